package v1

import (
	"context"
	"reflect"
)

// Operations are the endpoints, in the order of the contract. Everything that lists endpoints reads this table: the
// router, the reference, the translate tables and the tests.
var Operations = []*Operation{
	SubmitItem, GetSubmission, SubmitBatch, GetBatch,
	BrowseItems, GetItem, UpdateItem, CloseItem, RestartItem,
	BrowseSales, GetSale, RateBuyer, GetRating, ReviseRating,
	BrowseBills, GetBill, BrowseTrackings, AddTracking, UpdateTracking, RemoveTracking, MarkBillSent,
	CreateWebhook, BrowseWebhooks, UpdateWebhook, DeleteWebhook, TestWebhook, BrowseDeliveries, Redeliver,
	GetAccount, GetLimits, GetLegacyUsage,
	BrowseCategories, BrowseShippingModels, BrowseDeliveryServices,
	SimulateBid, SimulatePurchase, SimulateEnd, SimulateInvoice, SimulatePayment, SimulateCancellation,
}

// OperatorOperations are the endpoints of the marketplace's own side, on the operator's listener (contract, section 8).
var OperatorOperations = []*Operation{
	OperatorCreateAccount, OperatorUpdateAccount, OperatorCreateKey, OperatorRevokeKey, OperatorImportLegacyKey,
	OperatorBid, OperatorPurchase, OperatorEnd, OperatorMove,
	OperatorInvoice, OperatorPayment, OperatorCancellation,
}

// The endpoints of items and their submissions.
var (
	SubmitItem    = op("SubmitItem", "POST", "/v1/items", 202, (*Service).submitItem, publishes)
	GetSubmission = op("GetSubmission", "GET", "/v1/item-submissions/{id}", 200, (*Service).getSubmission, tagged)
	SubmitBatch   = op("SubmitBatch", "POST", "/v1/item-batches", 202, (*Service).submitBatch, publishes, takesBatch)
	GetBatch      = op("GetBatch", "GET", "/v1/item-batches/{id}", 200, (*Service).getBatch, tagged)
	BrowseItems   = op("BrowseItems", "GET", "/v1/items", 200, (*Service).browseItems)
	GetItem       = op("GetItem", "GET", "/v1/items/{id}", 200, (*Service).getItem, tagged)
	UpdateItem    = op("UpdateItem", "PATCH", "/v1/items/{id}", 200, (*Service).updateItem)
	CloseItem     = op("CloseItem", "POST", "/v1/items/{id}/close", 200, (*Service).closeItem)
	RestartItem   = op("RestartItem", "POST", "/v1/items/{id}/restart", 200, (*Service).restartItem, publishes)
)

// The endpoints of sales and ratings.
var (
	BrowseSales  = op("BrowseSales", "GET", "/v1/sales", 200, (*Service).browseSales)
	GetSale      = op("GetSale", "GET", "/v1/sales/{id}", 200, (*Service).getSale, tagged)
	RateBuyer    = op("RateBuyer", "POST", "/v1/sales/{id}/rating", 201, (*Service).rateBuyer)
	GetRating    = op("GetRating", "GET", "/v1/sales/{id}/rating", 200, (*Service).getRating, tagged)
	ReviseRating = op("ReviseRating", "PATCH", "/v1/sales/{id}/rating", 200, (*Service).reviseRating)
)

// The endpoints of bills and trackings.
var (
	BrowseBills     = op("BrowseBills", "GET", "/v1/bills", 200, (*Service).browseBills)
	GetBill         = op("GetBill", "GET", "/v1/bills/{id}", 200, (*Service).getBill, tagged)
	BrowseTrackings = op("BrowseTrackings", "GET", "/v1/bills/{id}/trackings", 200, (*Service).browseTrackings)
	AddTracking     = op("AddTracking", "POST", "/v1/bills/{id}/trackings", 201, (*Service).addTracking)
	UpdateTracking  = op("UpdateTracking", "PATCH", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Service).updateTracking)
	RemoveTracking  = op("RemoveTracking", "DELETE", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Service).removeTracking)
	MarkBillSent    = op("MarkBillSent", "POST", "/v1/bills/{id}/mark-sent", 200, (*Service).markBillSent)
)

// The endpoints of webhooks and their deliveries.
var (
	CreateWebhook    = op("CreateWebhook", "POST", "/v1/webhooks", 201, (*Service).createWebhook, answersSecret)
	BrowseWebhooks   = op("BrowseWebhooks", "GET", "/v1/webhooks", 200, (*Service).browseWebhooks)
	UpdateWebhook    = op("UpdateWebhook", "PATCH", "/v1/webhooks/{id}", 200, (*Service).updateWebhook)
	DeleteWebhook    = op("DeleteWebhook", "DELETE", "/v1/webhooks/{id}", 200, (*Service).deleteWebhook)
	TestWebhook      = op("TestWebhook", "POST", "/v1/webhooks/{id}/test", 202, (*Service).testWebhook)
	BrowseDeliveries = op("BrowseDeliveries", "GET", "/v1/webhook-deliveries", 200, (*Service).browseDeliveries)
	Redeliver        = op("Redeliver", "POST", "/v1/webhook-deliveries/{id}/redeliver", 202, (*Service).redeliver)
)

// The simulation endpoints: with a test key, what buyers do.
var (
	SimulateBid          = op("SimulateBid", "POST", "/v1/test/items/{id}/bids", 200, (*Service).simulateBid, testOnly)
	SimulatePurchase     = op("SimulatePurchase", "POST", "/v1/test/items/{id}/purchase", 200, (*Service).simulatePurchase, testOnly)
	SimulateEnd          = op("SimulateEnd", "POST", "/v1/test/items/{id}/end", 200, (*Service).simulateEnd, testOnly)
	SimulateInvoice      = op("SimulateInvoice", "POST", "/v1/test/bills/{id}/invoice", 200, (*Service).simulateInvoice, testOnly)
	SimulatePayment      = op("SimulatePayment", "POST", "/v1/test/bills/{id}/pay", 200, (*Service).simulatePayment, testOnly)
	SimulateCancellation = op("SimulateCancellation", "POST", "/v1/test/sales/{id}/cancel", 200, (*Service).simulateCancellation, testOnly)
)

// The operator's endpoints.
var (
	OperatorCreateAccount   = op("OperatorCreateAccount", "POST", "/operator/accounts", 201, (*Service).operatorCreateAccount)
	OperatorUpdateAccount   = op("OperatorUpdateAccount", "PATCH", "/operator/accounts/{id}", 200, (*Service).operatorUpdateAccount)
	OperatorCreateKey       = op("OperatorCreateKey", "POST", "/operator/accounts/{id}/keys", 201, (*Service).operatorCreateKey)
	OperatorRevokeKey       = op("OperatorRevokeKey", "DELETE", "/operator/keys/{id}", 200, (*Service).operatorRevokeKey)
	OperatorImportLegacyKey = op("OperatorImportLegacyKey", "POST", "/operator/accounts/{id}/legacy-keys", 201, (*Service).operatorImportLegacyKey)
	OperatorBid             = op("OperatorBid", "POST", "/operator/items/{id}/bids", 200, (*Service).operatorBid)
	OperatorPurchase        = op("OperatorPurchase", "POST", "/operator/items/{id}/purchases", 200, (*Service).operatorPurchase)
	OperatorEnd             = op("OperatorEnd", "POST", "/operator/items/{id}/end", 200, (*Service).operatorEnd)
	OperatorMove            = op("OperatorMove", "POST", "/operator/items/{id}/move", 200, (*Service).operatorMove)
	OperatorInvoice         = op("OperatorInvoice", "POST", "/operator/bills/{id}/invoice", 200, (*Service).operatorInvoice)
	OperatorPayment         = op("OperatorPayment", "POST", "/operator/bills/{id}/payment", 200, (*Service).operatorPayment)
	OperatorCancellation    = op("OperatorCancellation", "POST", "/operator/sales/{id}/cancellation", 200, (*Service).operatorCancellation)
)

// The endpoints of the account and of reference data.
var (
	GetAccount             = op("GetAccount", "GET", "/v1/account", 200, (*Service).getAccount, tagged)
	GetLimits              = op("GetLimits", "GET", "/v1/account/limits", 200, (*Service).getLimits)
	GetLegacyUsage         = op("GetLegacyUsage", "GET", "/v1/account/legacy-usage", 200, (*Service).getLegacyUsage)
	BrowseCategories       = op("BrowseCategories", "GET", "/v1/categories", 200, (*Service).browseCategories, tagged)
	BrowseShippingModels   = op("BrowseShippingModels", "GET", "/v1/shipping-models", 200, (*Service).browseShippingModels, tagged)
	BrowseDeliveryServices = op("BrowseDeliveryServices", "GET", "/v1/delivery-services", 200, (*Service).browseDeliveryServices, tagged)
)

// Body limits in bytes.
const (
	itemBodyLimit  = 64 << 10
	batchBodyLimit = 2 << 20
)

// Operation is one endpoint: how it is reached, and the typed method behind it.
type Operation struct {
	Name    string
	Method  string
	Pattern string // as chi has it
	Status  int    // of a success
	In, Out reflect.Type

	// Tagged operations read one object, whose ETag is made of its bytes unless the method knows a version.
	Tagged bool
	// Publishes operations spend the store's limits and say so in X-StoreLimit headers.
	Publishes bool
	// TestOnly operations refuse live keys.
	TestOnly bool
	// AnswersSecret operations show a secret, so their answers are sealed when they are kept for an Idempotency-Key.
	AnswersSecret bool
	// BodyLimit is the largest body accepted, in bytes.
	BodyLimit int64

	run func(ctx context.Context, s *Service, c *Call, in any) (any, error)
}

func tagged(o *Operation)     { o.Tagged = true }
func publishes(o *Operation)  { o.Publishes = true }
func testOnly(o *Operation)   { o.TestOnly = true }
func takesBatch(o *Operation) { o.BodyLimit = batchBodyLimit }

func answersSecret(o *Operation) { o.AnswersSecret = true }

// op binds an endpoint to its method.
func op[I, O any](name, method, pattern string, status int, fn func(*Service, context.Context, *Call, *I) (*O, error), traits ...func(*Operation)) *Operation {
	o := &Operation{
		Name: name, Method: method, Pattern: pattern, Status: status, BodyLimit: itemBodyLimit,
		In: reflect.TypeFor[I](), Out: reflect.TypeFor[O](),
	}
	for _, trait := range traits {
		trait(o)
	}
	o.run = func(ctx context.Context, s *Service, c *Call, in any) (any, error) {
		c.sealAnswer = o.AnswersSecret
		out := new(O)
		if replayed, err := s.recall(ctx, c, out); replayed || err != nil {
			return out, err
		}
		result, err := fn(s, ctx, c, in.(*I))
		if err != nil && c.Idempotency != nil { // perhaps a twin was faster, and its answer is ours
			if replayed, recallErr := s.recall(ctx, c, out); replayed || recallErr != nil {
				return out, firstError(recallErr)
			}
		}
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	return o
}

// HasBody says whether the input has a body. Such operations check it whole before they refuse.
func (o *Operation) HasBody() bool { return inputOf(o.In).body >= 0 }

// NewInput makes the operation's input for a transport to fill.
func (o *Operation) NewInput() any { return reflect.New(o.In).Interface() }

// Run runs the operation for an admitted caller: *O for success, Errors for a refusal, anything else is a failure of
// ours. Both stacks end here.
func (o *Operation) Run(ctx context.Context, s *Service, c *Call, in any) (any, error) {
	TraceFrom(ctx).Operation = o.Name
	if c.Meta.Status == 0 {
		c.Meta.Status = o.Status
	}
	if o.TestOnly && !c.Test {
		return nil, fail(TestKeyOnly)
	}
	checkParameters(in, &c.Problems)
	if err := c.Problems.Err(); err != nil && !o.HasBody() {
		return nil, err
	}
	out, err := o.run(ctx, s, c, in)
	if err != nil && s.store.Busy(err) && c.Idempotency != nil {
		err = failLater(IdempotencyKeyInProgress, retryBusy)
	}
	if o.Publishes && c.Meta.Store == nil {
		c.Meta.Store, _ = s.currentStoreLimits(ctx, c)
	}
	return out, err
}
