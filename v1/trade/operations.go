package trade

import (
	"sellerd/v1/core"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
)

// Operations are the endpoints of sales, ratings, bills and trackings, in the order of the documents.
var Operations = []*core.Operation{
	BrowseSales.Operation, GetSale.Operation, RateBuyer.Operation, GetRating.Operation, ReviseRating.Operation,
	BrowseBills.Operation, GetBill.Operation, BrowseTrackings.Operation, AddTracking.Operation, GetTracking.Operation,
	UpdateTracking.Operation, RemoveTracking.Operation, MarkBillSent.Operation,
}

// trackingsBodyLimit is the largest body with trackings, in bytes.
const trackingsBodyLimit = 512 << 10

// SandboxOperations are the endpoints by which a seller with a test key acts as the marketplace.
var SandboxOperations = []*core.Operation{
	SimulateBid.Operation, SimulatePurchase.Operation, SimulateEnd.Operation, SimulateInvoice.Operation,
	SimulatePayment.Operation, SimulateCancellation.Operation, ResetSandbox.Operation,
}

// Operator are the endpoints by which the marketplace reports what buyers and it have done.
var Operator = []*core.Operation{
	OperatorBid.Operation, OperatorPurchase.Operation, OperatorEnd.Operation, OperatorMove.Operation, OperatorVisits.Operation,
	OperatorInvoice.Operation, OperatorPayment.Operation, OperatorCancellation.Operation,
}

// The endpoints of sales and ratings.
var (
	BrowseSales = core.NewOp("BrowseSales", "GET", "/v1/sales", 200, (*Market).browseSales, core.Needs(permission.SalesRead), core.Claims,
		core.Doc("Lists your sales, cancelled ones too. Values of one filter are alternatives, filters add up."))
	GetSale = core.NewOp("GetSale", "GET", "/v1/sales/{id}", 200, (*Market).getSale, core.Needs(permission.SalesRead), core.Tagged,
		core.Doc("Reads a sale with your rating of its buyer."))
	RateBuyer = core.NewOp("RateBuyer", "POST", "/v1/sales/{id}/rating", 201, (*Market).rateBuyer, core.Needs(permission.SalesWrite),
		core.Locates, core.AnswersETag,
		core.Doc("Rates the buyer of a sale, once and within 60 days."),
		core.Refuses(refusal.MissingField, refusal.ScoreNotAllowed, refusal.RatingExists, refusal.RatingWindowClosed))
	GetRating = core.NewOp("GetRating", "GET", "/v1/sales/{id}/rating", 200, (*Market).getRating, core.Needs(permission.SalesRead),
		core.Tagged,
		core.Doc("Reads your rating of a sale's buyer."),
		core.Refuses(refusal.RatingNotFound))
	ReviseRating = core.NewOp("ReviseRating", "PATCH", "/v1/sales/{id}/rating", 200, (*Market).reviseRating, core.Needs(permission.SalesWrite),
		core.AnswersETag,
		core.Doc("Changes your rating of a sale's buyer, within 60 days of the sale."),
		core.Refuses(refusal.RatingNotFound, refusal.EmptyPatch, refusal.MissingField, refusal.ScoreNotAllowed, refusal.RatingWindowClosed,
			refusal.PreconditionFailed))
)

// The endpoints of bills and trackings.
var (
	BrowseBills = core.NewOp("BrowseBills", "GET", "/v1/bills", 200, (*Market).browseBills, core.Needs(permission.BillsRead),
		core.Doc("Lists your bills, the shipping worklist. Values of one filter are alternatives, filters add up."))
	GetBill = core.NewOp("GetBill", "GET", "/v1/bills/{id}", 200, (*Market).getBill, core.Needs(permission.BillsRead), core.Tagged,
		core.Doc("Reads a bill with its sales, its payment and its trackings."))
	BrowseTrackings = core.NewOp("BrowseTrackings", "GET", "/v1/bills/{id}/trackings", 200, (*Market).browseTrackings,
		core.Needs(permission.BillsRead),
		core.Doc("Lists a bill's trackings."))
	AddTracking = core.NewOp("AddTracking", "POST", "/v1/bills/{id}/trackings", 201, (*Market).addTracking, core.Needs(permission.BillsWrite),
		core.Locates, core.AnswersETag,
		core.Doc("Adds a tracking to a bill in any state but cancelled."),
		core.Refuses(trackingCodes...), core.Refuses(refusal.BillCancelled, refusal.TrackingLimitReached))
	GetTracking = core.NewOp("GetTracking", "GET", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Market).getTracking,
		core.Needs(permission.BillsRead), core.Tagged, core.Since("1.3.0"),
		core.Doc("Reads a tracking."))
	UpdateTracking = core.NewOp("UpdateTracking", "PATCH", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Market).updateTracking,
		core.Needs(permission.BillsWrite), core.AnswersETag,
		core.Doc("Changes a tracking, whatever the state of its bill."),
		core.Refuses(trackingCodes...), core.Refuses(refusal.EmptyPatch, refusal.PreconditionFailed))
	RemoveTracking = core.NewOp("RemoveTracking", "DELETE", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Market).removeTracking,
		core.Needs(permission.BillsWrite),
		core.Doc("Removes a tracking, whatever the state of its bill."),
		core.Refuses(refusal.PreconditionFailed))
	MarkBillSent = core.NewOp("MarkBillSent", "POST", "/v1/bills/{id}/mark-sent", 200, (*Market).markBillSent,
		core.Needs(permission.BillsWrite), core.TakesBody(trackingsBodyLimit), core.AnswersETag,
		core.Doc("Declares a paid bill sent and adds the trackings given: all of that or nothing."),
		core.Refuses(trackingCodes...), core.Refuses(refusal.BillNotPaid, refusal.BillAlreadySent, refusal.BillCancelled,
			refusal.TrackingLimitReached, refusal.PreconditionFailed))
)

// The simulation endpoints: with a test key, the actions of buyers and of the marketplace.
var (
	SimulateBid = core.NewOp("SimulateBid", "POST", "/v1/test/items/{id}/bids", 200, (*Market).simulateBid, core.Needs(permission.ItemsWrite),
		core.TestOnly, core.Since("1.2.0"),
		core.Doc("Bids on one of your auctions as a buyer does."),
		core.Refuses(buyerCodes...), core.Refuses(refusal.ItemNotOpen, refusal.CurrencyMismatch, refusal.OutOfRange, refusal.PreconditionFailed))
	SimulatePurchase = core.NewOp("SimulatePurchase", "POST", "/v1/test/items/{id}/purchase", 200, (*Market).simulatePurchase,
		core.Needs(permission.SalesWrite), core.TestOnly, core.Since("1.2.0"),
		core.Doc("Buys some of one of your fixed-price items as a buyer does."),
		core.Refuses(buyerCodes...), core.Refuses(refusal.ItemNotOpen, refusal.OutOfRange, refusal.PreconditionFailed))
	SimulateEnd = core.NewOp("SimulateEnd", "POST", "/v1/test/items/{id}/end", 200, (*Market).endItem, core.Needs(permission.ItemsWrite),
		core.TestOnly, core.Since("1.2.0"),
		core.Doc("Ends one of your items as if its time were up."),
		core.Refuses(refusal.ItemNotOpen, refusal.PreconditionFailed))
	SimulateInvoice = core.NewOp("SimulateInvoice", "POST", "/v1/test/bills/{id}/invoice", 200, (*Market).simulateInvoice,
		core.Needs(permission.BillsWrite), core.TestOnly, core.Since("1.2.0"), core.AnswersETag,
		core.Doc("Invoices one of your bills as the marketplace does."),
		core.Refuses(refusal.InvalidValue, refusal.CurrencyMismatch, refusal.BillAlreadySent, refusal.BillCancelled, refusal.PreconditionFailed))
	SimulatePayment = core.NewOp("SimulatePayment", "POST", "/v1/test/bills/{id}/pay", 200, (*Market).receivePayment,
		core.Needs(permission.BillsWrite), core.TestOnly, core.Since("1.2.0"), core.AnswersETag,
		core.Doc("Pays one of your bills as its buyer does."),
		core.Refuses(refusal.InvalidValue, refusal.CurrencyMismatch, refusal.BillAlreadySent, refusal.BillCancelled, refusal.PreconditionFailed))
	SimulateCancellation = core.NewOp("SimulateCancellation", "POST", "/v1/test/sales/{id}/cancel", 200, (*Market).simulateCancellation,
		core.Needs(permission.SalesWrite), core.TestOnly, core.Since("1.2.0"),
		core.Doc("Cancels one of your sales, or requests or refuses its cancellation, as the marketplace does."),
		core.Refuses(refusal.InvalidValue, refusal.BillAlreadySent, refusal.PreconditionFailed))
	ResetSandbox = core.NewOp("ResetSandbox", "POST", "/v1/test/reset", 202, (*Market).resetSandbox, core.Needs(permission.AccountWrite),
		core.TestOnly, core.Since("1.3.0"),
		core.Doc("Removes all of your test data but keys, webhooks and shipping models. GET /v1/account tells when it is done; until then, requests that change test data are answered 503."))
)

// The operator's endpoints: what the marketplace reports.
var (
	OperatorBid = core.NewOp("OperatorBid", "POST", "/operator/items/{id}/bids", 200, onBehalf((*Market).lookAtItem, (*Market).placeBid),
		core.Doc("A buyer bids on an auction."),
		core.Refuses(buyerCodes...), core.Refuses(refusal.ItemNotOpen, refusal.CurrencyMismatch, refusal.OutOfRange, refusal.PreconditionFailed))
	OperatorPurchase = core.NewOp("OperatorPurchase", "POST", "/operator/items/{id}/purchases", 200,
		onBehalf((*Market).lookAtItem, (*Market).purchase),
		core.Doc("A buyer buys some of a fixed-price item."),
		core.Refuses(buyerCodes...), core.Refuses(refusal.ItemNotOpen, refusal.OutOfRange, refusal.PreconditionFailed))
	OperatorEnd = core.NewOp("OperatorEnd", "POST", "/operator/items/{id}/end", 200, onBehalf((*Market).lookAtItem, (*Market).endItem),
		core.Doc("Ends an item as if its time were up."),
		core.Refuses(refusal.ItemNotOpen, refusal.PreconditionFailed))
	OperatorMove = core.NewOp("OperatorMove", "POST", "/operator/items/{id}/move", 200,
		onBehalf((*Market).lookAtItem, (*Market).moveToCategory),
		core.Doc("Moves an item to another category, in any state."),
		core.Refuses(refusal.UnknownCategory, refusal.CategoryNotSelectable, refusal.PreconditionFailed))
	OperatorVisits = core.NewOp("OperatorVisits", "POST", "/operator/items/{id}/visits", 200,
		onBehalf((*Market).lookAtItem, (*Market).addVisits), core.AnswersETag,
		core.Doc("Adds the visits since the last report to an item. There is no event."),
		core.Refuses(refusal.OutOfRange, refusal.PreconditionFailed))
	OperatorInvoice = core.NewOp("OperatorInvoice", "POST", "/operator/bills/{id}/invoice", 200,
		onBehalf((*Market).lookAtBill, (*Market).invoiceBill), core.AnswersETag,
		core.Doc("Invoices a bill: later purchases go on another one."),
		core.Refuses(refusal.WeightRequired, refusal.InvalidValue, refusal.CurrencyMismatch, refusal.BillAlreadySent, refusal.BillCancelled, refusal.PreconditionFailed))
	OperatorPayment = core.NewOp("OperatorPayment", "POST", "/operator/bills/{id}/payment", 200,
		onBehalf((*Market).lookAtBill, (*Market).receivePayment), core.AnswersETag,
		core.Doc("The buyer has paid a bill."),
		core.Refuses(refusal.InvalidValue, refusal.CurrencyMismatch, refusal.BillAlreadySent, refusal.BillCancelled, refusal.PreconditionFailed))
	OperatorCancellation = core.NewOp("OperatorCancellation", "POST", "/operator/sales/{id}/cancellation", 200,
		onBehalf((*Market).lookAtSale, (*Market).decideCancellation),
		core.Doc("Requests, accepts or refuses the cancellation of a sale."),
		core.Refuses(refusal.InvalidValue, refusal.BillAlreadySent, refusal.PreconditionFailed))
)

// The error codes of several operations beyond those of their input's tags.
var (
	trackingCodes = []refusal.Code{
		refusal.OutOfRange, refusal.UnknownDeliveryService, refusal.InvalidTrackingNumber, refusal.SaleNotOnBill,
		refusal.TrackingExists,
	}
	buyerCodes = []refusal.Code{refusal.MissingField, refusal.InvalidValue, refusal.ConflictingFields}
)
