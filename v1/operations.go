package v1

import "sellerd/v1/permission"

// Operations are the endpoints, in the order in which the documents list them. Everything that lists endpoints reads this
// table: the router, the reference, the translate tables and the tests.
var Operations = []*Operation{
	SubmitItem.Operation, GetSubmission.Operation, SubmitBatch.Operation, GetBatch.Operation,
	BrowseItems.Operation, GetItem.Operation, UpdateItem.Operation, CloseItem.Operation, RestartItem.Operation,
	ChangeItems.Operation,
	BrowseSales.Operation, GetSale.Operation, RateBuyer.Operation, GetRating.Operation, ReviseRating.Operation,
	BrowseBills.Operation, GetBill.Operation, BrowseTrackings.Operation, AddTracking.Operation, GetTracking.Operation, UpdateTracking.Operation, RemoveTracking.Operation,
	MarkBillSent.Operation,
	CreateWebhook.Operation, BrowseWebhooks.Operation, GetWebhook.Operation, UpdateWebhook.Operation, DeleteWebhook.Operation, TestWebhook.Operation,
	RecoverEvents.Operation,
	BrowseDeliveries.Operation, GetDelivery.Operation, Redeliver.Operation,
	BrowseEvents.Operation, GetEvent.Operation,
	GetAccount.Operation, GetLimits.Operation,
	GetLegacyUsage.Operation, CreateLegacyDrill.Operation, BrowseLegacyDrills.Operation, GetLegacyDrill.Operation, DeleteLegacyDrill.Operation, // sunset
	BrowseCategories.Operation, BrowseShippingModels.Operation, BrowseDeliveryServices.Operation,
	SimulateBid.Operation, SimulatePurchase.Operation, SimulateEnd.Operation, SimulateInvoice.Operation, SimulatePayment.Operation, SimulateCancellation.Operation, ResetSandbox.Operation,
}

// OperatorOperations are the endpoints of the marketplace itself, on the operator's listener (docs/operating-api.md).
var OperatorOperations = []*Operation{
	OperatorBrowseAccounts.Operation, OperatorGetAccount.Operation, OperatorCreateAccount.Operation, OperatorUpdateAccount.Operation,
	OperatorBrowseKeys.Operation, OperatorGetKey.Operation, OperatorCreateKey.Operation, OperatorRevokeKey.Operation,
	OperatorImportLegacyKey.Operation, OperatorCreateLegacyDrill.Operation, OperatorBrowseLegacyDrills.Operation, OperatorGetLegacyDrill.Operation, OperatorDeleteLegacyDrill.Operation, // sunset
	OperatorLegacyUsage.Operation, // sunset
	OperatorCreateShippingModel.Operation, OperatorReplaceShippingModel.Operation, OperatorRemoveShippingModel.Operation,
	OperatorBid.Operation, OperatorPurchase.Operation, OperatorEnd.Operation, OperatorMove.Operation, OperatorVisits.Operation,
	OperatorInvoice.Operation, OperatorPayment.Operation, OperatorCancellation.Operation,
}

// The endpoints of items and their submissions.
var (
	SubmitItem = op("SubmitItem", "POST", "/v1/items", 202, (*Service).submitItem, needs(permission.ItemsWrite), publishes, locates, takesItem, recallsLate, claims, keyedSince(FirstRelease), mayAnswer(200, "1.2.0"),
		doc("Checks an item and accepts it for publication, which follows usually within a second, at most 15 minutes later."),
		refuses(itemCodes...), refuses(storeCodes...))
	GetSubmission = op("GetSubmission", "GET", "/v1/item-submissions/{id}", 200, (*Service).getSubmission, needs(permission.ItemsRead), tagged,
		doc("Tells what became of an accepted item: it is published or rejected by publish_deadline."))
	SubmitBatch = op("SubmitBatch", "POST", "/v1/item-batches", 202, (*Service).submitBatch, needs(permission.ItemsWrite), publishes, locates, takesBatch, keyedSince(FirstRelease),
		doc("Accepts up to 100 items at once. Each item gets the answer that it alone would have got; the batch is refused when none is accepted."),
		refuses(itemCodes...), refuses(storeCodes...), refuses(BatchEmpty, BatchTooLarge))
	GetBatch = op("GetBatch", "GET", "/v1/item-batches/{id}", 200, (*Service).getBatch, needs(permission.ItemsRead), tagged, since("1.2.0"),
		doc("Sums up what became of a batch's items."))
	BrowseItems = op("BrowseItems", "GET", "/v1/items", 200, (*Service).browseItems, needs(permission.ItemsRead), claims,
		doc("Lists your items. Values of one filter are alternatives, filters add up."),
		refuses(ConflictingFields))
	GetItem = op("GetItem", "GET", "/v1/items/{id}", 200, (*Service).getItem, needs(permission.ItemsRead), tagged, claims,
		doc("Reads an item."))
	UpdateItem = op("UpdateItem", "PATCH", "/v1/items/{id}", 200, (*Service).updateItem, needs(permission.ItemsWrite), takesItem, answersETag,
		doc("Changes what the item's state lets change: with bids, or partly sold, less than before."),
		refuses(itemCodes...), refuses(ImmutableField, EmptyPatch, ItemHasBids, ItemPartiallySold, ItemNotEditable, PreconditionFailed))
	CloseItem = op("CloseItem", "POST", "/v1/items/{id}/close", 200, (*Service).closeItem, needs(permission.ItemsWrite), answersETag,
		doc("Takes an item off sale at once. An auction with bids runs to its end."),
		refuses(ItemNotOpen, ItemHasBids, PreconditionFailed))
	RestartItem = op("RestartItem", "POST", "/v1/items/{id}/restart", 200, (*Service).restartItem, needs(permission.ItemsWrite), publishes, answersETag,
		doc("Puts an unsold or closed item on sale again under the same id, from now on."),
		refuses(ItemNotRestartable, ConflictingFields, CurrencyMismatch, PreconditionFailed), refuses(storeCodes...))
	ChangeItems = op("ChangeItems", "POST", "/v1/item-changes", 200, (*Service).changeItems, needs(permission.ItemsWrite), publishes, takesChanges, since("1.3.0"),
		doc("Patches, closes and restarts up to 100 items in one request, one after another. Each change gets the answer that it alone would have got; the request is refused when none is done."),
		refuses(BatchEmpty, BatchTooLarge), refusesEntries(itemCodes...), refusesEntries(storeCodes...), refusesEntries(ImmutableField, EmptyPatch, ItemNotFound,
			ReferenceAmbiguous, ItemHasBids, ItemPartiallySold, ItemNotOpen, ItemNotEditable, ItemNotRestartable, PreconditionFailed))
)

// The endpoints of sales and ratings.
var (
	BrowseSales = op("BrowseSales", "GET", "/v1/sales", 200, (*Service).browseSales, needs(permission.SalesRead), claims,
		doc("Lists your sales, cancelled ones too. Values of one filter are alternatives, filters add up."))
	GetSale = op("GetSale", "GET", "/v1/sales/{id}", 200, (*Service).getSale, needs(permission.SalesRead), tagged,
		doc("Reads a sale with your rating of its buyer."))
	RateBuyer = op("RateBuyer", "POST", "/v1/sales/{id}/rating", 201, (*Service).rateBuyer, needs(permission.SalesWrite), locates, answersETag,
		doc("Rates the buyer of a sale, once and within 60 days."),
		refuses(MissingField, ScoreNotAllowed, RatingExists, RatingWindowClosed))
	GetRating = op("GetRating", "GET", "/v1/sales/{id}/rating", 200, (*Service).getRating, needs(permission.SalesRead), tagged,
		doc("Reads your rating of a sale's buyer."),
		refuses(RatingNotFound))
	ReviseRating = op("ReviseRating", "PATCH", "/v1/sales/{id}/rating", 200, (*Service).reviseRating, needs(permission.SalesWrite), answersETag,
		doc("Changes your rating of a sale's buyer, within 60 days of the sale."),
		refuses(RatingNotFound, EmptyPatch, MissingField, ScoreNotAllowed, RatingWindowClosed, PreconditionFailed))
)

// The endpoints of bills and trackings.
var (
	BrowseBills = op("BrowseBills", "GET", "/v1/bills", 200, (*Service).browseBills, needs(permission.BillsRead),
		doc("Lists your bills, the shipping worklist. Values of one filter are alternatives, filters add up."))
	GetBill = op("GetBill", "GET", "/v1/bills/{id}", 200, (*Service).getBill, needs(permission.BillsRead), tagged,
		doc("Reads a bill with its sales, its payment and its trackings."))
	BrowseTrackings = op("BrowseTrackings", "GET", "/v1/bills/{id}/trackings", 200, (*Service).browseTrackings, needs(permission.BillsRead),
		doc("Lists a bill's trackings."))
	AddTracking = op("AddTracking", "POST", "/v1/bills/{id}/trackings", 201, (*Service).addTracking, needs(permission.BillsWrite), locates, answersETag,
		doc("Adds a tracking to a bill in any state but cancelled."),
		refuses(trackingCodes...), refuses(BillCancelled, TrackingLimitReached))
	GetTracking = op("GetTracking", "GET", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Service).getTracking, needs(permission.BillsRead), tagged, since("1.3.0"),
		doc("Reads a tracking."))
	UpdateTracking = op("UpdateTracking", "PATCH", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Service).updateTracking, needs(permission.BillsWrite), answersETag,
		doc("Changes a tracking, whatever the state of its bill."),
		refuses(trackingCodes...), refuses(EmptyPatch, PreconditionFailed))
	RemoveTracking = op("RemoveTracking", "DELETE", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Service).removeTracking, needs(permission.BillsWrite),
		doc("Removes a tracking, whatever the state of its bill."),
		refuses(PreconditionFailed))
	MarkBillSent = op("MarkBillSent", "POST", "/v1/bills/{id}/mark-sent", 200, (*Service).markBillSent, needs(permission.BillsWrite), takesTrackings, answersETag,
		doc("Declares a paid bill sent and adds the trackings given: all of that or nothing."),
		refuses(trackingCodes...), refuses(BillNotPaid, BillAlreadySent, BillCancelled, TrackingLimitReached, PreconditionFailed))
)

// The endpoints of webhooks and their deliveries.
var (
	CreateWebhook = op("CreateWebhook", "POST", "/v1/webhooks", 201, (*Service).createWebhook, needs(permission.WebhooksWrite), answersSecret, locates, answersETag,
		doc("Subscribes a URL to events. The answer shows the secret that signs them, and no other answer does."),
		refuses(InvalidWebhookURL, UnknownEvent, WebhookLimitReached, WebhookExists))
	BrowseWebhooks = op("BrowseWebhooks", "GET", "/v1/webhooks", 200, (*Service).browseWebhooks, needs(permission.WebhooksRead),
		doc("Lists your webhooks."))
	GetWebhook = op("GetWebhook", "GET", "/v1/webhooks/{id}", 200, (*Service).getWebhook, needs(permission.WebhooksRead), tagged, since("1.3.0"),
		doc("Reads a webhook. Its secret is not shown."))
	UpdateWebhook = op("UpdateWebhook", "PATCH", "/v1/webhooks/{id}", 200, (*Service).updateWebhook, needs(permission.WebhooksWrite), answersETag,
		doc("Changes a webhook, pauses or resumes it, or gives it a new secret."),
		refuses(MissingField, EmptyPatch, InvalidWebhookURL, UnknownEvent, WebhookExists, PreconditionFailed))
	DeleteWebhook = op("DeleteWebhook", "DELETE", "/v1/webhooks/{id}", 200, (*Service).deleteWebhook, needs(permission.WebhooksWrite),
		doc("Deletes a webhook. What it still had to send is cancelled."),
		refuses(PreconditionFailed))
	TestWebhook = op("TestWebhook", "POST", "/v1/webhooks/{id}/test", 202, (*Service).testWebhook, needs(permission.WebhooksWrite), since("1.2.0"), locates,
		doc("Sends an invented event of a type to a webhook, once, whatever it subscribes to."),
		refuses(UnknownEvent, PreconditionFailed))
	BrowseDeliveries = op("BrowseDeliveries", "GET", "/v1/webhook-deliveries", 200, (*Service).browseDeliveries, needs(permission.WebhooksRead),
		doc("Lists the attempts of the last 30 days to send your events, newest first."))
	GetDelivery = op("GetDelivery", "GET", "/v1/webhook-deliveries/{id}", 200, (*Service).getDelivery, needs(permission.WebhooksRead), tagged, since("1.3.0"),
		doc("Reads an attempt to send an event."))
	BrowseEvents = op("BrowseEvents", "GET", "/v1/events", 200, (*Service).browseEvents, needs(permission.WebhooksRead), claims, waits, since("1.3.0"),
		doc("Lists your events of the last 30 days in the order in which their changes became visible. With wait it holds the answer until there is an event. next_cursor is never null: go on from it."),
		refuses(CursorExpired))
	GetEvent = op("GetEvent", "GET", "/v1/events/{id}", 200, (*Service).getEvent, needs(permission.WebhooksRead), tagged, since("1.3.0"),
		doc("Reads an event of the last 30 days."))
	RecoverEvents = op("RecoverEvents", "POST", "/v1/webhooks/{id}/recover", 202, (*Service).recoverEvents, needs(permission.WebhooksWrite), since("1.3.0"),
		doc("Sends to a webhook every event of a time of at most 30 days that it subscribes to and has not accepted. What still waits for it is not sent twice."),
		refuses(OutOfRange, PreconditionFailed))
	Redeliver = op("Redeliver", "POST", "/v1/webhook-deliveries/{id}/redeliver", 202, (*Service).redeliver, needs(permission.WebhooksWrite), since("1.2.0"), locates,
		doc("Sends an event again, once and at once, under the same webhook-id."),
		refuses(WebhookNotFound))
)

// The simulation endpoints: with a test key, the actions of buyers and of the marketplace.
var (
	SimulateBid = op("SimulateBid", "POST", "/v1/test/items/{id}/bids", 200, (*Service).simulateBid, needs(permission.ItemsWrite), testOnly, since("1.2.0"),
		doc("Bids on one of your auctions as a buyer does."),
		refuses(buyerCodes...), refuses(ItemNotOpen, CurrencyMismatch, OutOfRange, PreconditionFailed))
	SimulatePurchase = op("SimulatePurchase", "POST", "/v1/test/items/{id}/purchase", 200, (*Service).simulatePurchase, needs(permission.SalesWrite), testOnly, since("1.2.0"),
		doc("Buys some of one of your fixed-price items as a buyer does."),
		refuses(buyerCodes...), refuses(ItemNotOpen, OutOfRange, PreconditionFailed))
	SimulateEnd = op("SimulateEnd", "POST", "/v1/test/items/{id}/end", 200, (*Service).simulateEnd, needs(permission.ItemsWrite), testOnly, since("1.2.0"),
		doc("Ends one of your items as if its time were up."),
		refuses(ItemNotOpen, PreconditionFailed))
	SimulateInvoice = op("SimulateInvoice", "POST", "/v1/test/bills/{id}/invoice", 200, (*Service).simulateInvoice, needs(permission.BillsWrite), testOnly, since("1.2.0"), answersETag,
		doc("Invoices one of your bills as the marketplace does."),
		refuses(InvalidValue, CurrencyMismatch, BillAlreadySent, BillCancelled, PreconditionFailed))
	SimulatePayment = op("SimulatePayment", "POST", "/v1/test/bills/{id}/pay", 200, (*Service).simulatePayment, needs(permission.BillsWrite), testOnly, since("1.2.0"), answersETag,
		doc("Pays one of your bills as its buyer does."),
		refuses(InvalidValue, CurrencyMismatch, BillAlreadySent, BillCancelled, PreconditionFailed))
	SimulateCancellation = op("SimulateCancellation", "POST", "/v1/test/sales/{id}/cancel", 200, (*Service).simulateCancellation, needs(permission.SalesWrite), testOnly, since("1.2.0"),
		doc("Cancels one of your sales, or requests or refuses its cancellation, as the marketplace does."),
		refuses(InvalidValue, BillAlreadySent, PreconditionFailed))
	ResetSandbox = op("ResetSandbox", "POST", "/v1/test/reset", 202, (*Service).resetSandbox, needs(permission.AccountWrite), testOnly, since("1.3.0"),
		doc("Removes all of your test data but keys, webhooks and shipping models. GET /v1/account tells when it is done; until then, requests that change test data are answered 503."))
)

// The operator's endpoints.
var (
	OperatorCreateAccount = op("OperatorCreateAccount", "POST", "/operator/accounts", 201, (*Service).operatorCreateAccount, locates,
		doc("Creates an account without keys, with the first shipping models of its country."),
		refuses(InvalidValue, UnsupportedCurrency))
	OperatorUpdateAccount = op("OperatorUpdateAccount", "PATCH", "/operator/accounts/{id}", 200, (*Service).operatorUpdateAccount, answersETag,
		doc("Changes an account from its next request on: its data, its status, its store and its limits."),
		refuses(InvalidValue, MissingField, ConflictingFields, UnsupportedCurrency, EmptyPatch, PreconditionFailed))
	OperatorCreateKey = op("OperatorCreateKey", "POST", "/operator/accounts/{id}/keys", 201, (*Service).operatorCreateKey, locates,
		doc("Creates a key. Only this answer shows it, so the operation takes no Idempotency-Key."),
		refuses(InvalidValue, OutOfRange, DateInPast))
	OperatorRevokeKey = op("OperatorRevokeKey", "DELETE", "/operator/keys/{id}", 200, (*Service).operatorRevokeKey,
		doc("Revokes a key at once, an imported one as well."),
		refuses(PreconditionFailed))
	OperatorCreateShippingModel = op("OperatorCreateShippingModel", "POST", "/operator/accounts/{id}/shipping-models", 201, (*Service).operatorCreateShippingModel,
		takesShippingModel, locates, answersETag,
		doc("Gives the account another shipping model in one mode."),
		refuses(shippingModelCodes...))
	OperatorReplaceShippingModel = op("OperatorReplaceShippingModel", "PUT", "/operator/accounts/{id}/shipping-models/{model_id}", 200,
		(*Service).operatorReplaceShippingModel, takesShippingModel, answersETag,
		doc("Replaces a shipping model as a whole. Bills that are invoiced keep their cost."),
		refuses(shippingModelCodes...), refuses(PreconditionFailed))
	OperatorRemoveShippingModel = op("OperatorRemoveShippingModel", "DELETE", "/operator/accounts/{id}/shipping-models/{model_id}", 200,
		(*Service).operatorRemoveShippingModel,
		doc("Deletes a shipping model, or retires it if an item or a sale has it."),
		refuses(PreconditionFailed))
	OperatorBid = op("OperatorBid", "POST", "/operator/items/{id}/bids", 200, (*Service).operatorBid,
		doc("A buyer bids on an auction."),
		refuses(buyerCodes...), refuses(ItemNotOpen, CurrencyMismatch, OutOfRange, PreconditionFailed))
	OperatorPurchase = op("OperatorPurchase", "POST", "/operator/items/{id}/purchases", 200, (*Service).operatorPurchase,
		doc("A buyer buys some of a fixed-price item."),
		refuses(buyerCodes...), refuses(ItemNotOpen, OutOfRange, PreconditionFailed))
	OperatorEnd = op("OperatorEnd", "POST", "/operator/items/{id}/end", 200, (*Service).operatorEnd,
		doc("Ends an item as if its time were up."),
		refuses(ItemNotOpen, PreconditionFailed))
	OperatorMove = op("OperatorMove", "POST", "/operator/items/{id}/move", 200, (*Service).operatorMove,
		doc("Moves an item to another category, in any state."),
		refuses(UnknownCategory, CategoryNotSelectable, PreconditionFailed))
	OperatorVisits = op("OperatorVisits", "POST", "/operator/items/{id}/visits", 200, (*Service).operatorVisits, answersETag,
		doc("Adds the visits since the last report to an item. There is no event."),
		refuses(OutOfRange, PreconditionFailed))
	OperatorInvoice = op("OperatorInvoice", "POST", "/operator/bills/{id}/invoice", 200, (*Service).operatorInvoice, answersETag,
		doc("Invoices a bill: later purchases go on another one."),
		refuses(InvalidValue, CurrencyMismatch, BillAlreadySent, BillCancelled, PreconditionFailed))
	OperatorPayment = op("OperatorPayment", "POST", "/operator/bills/{id}/payment", 200, (*Service).operatorPayment, answersETag,
		doc("The buyer has paid a bill."),
		refuses(InvalidValue, CurrencyMismatch, BillAlreadySent, BillCancelled, PreconditionFailed))
	OperatorCancellation = op("OperatorCancellation", "POST", "/operator/sales/{id}/cancellation", 200, (*Service).operatorCancellation,
		doc("Requests, accepts or refuses the cancellation of a sale."),
		refuses(InvalidValue, BillAlreadySent, PreconditionFailed))
)

// The endpoints of the account and of reference data.
var (
	GetAccount = op("GetAccount", "GET", "/v1/account", 200, (*Service).getAccount, needs(permission.AccountRead), tagged,
		doc("Reads your account, the key in use and its mode."))
	GetLimits = op("GetLimits", "GET", "/v1/account/limits", 200, (*Service).getLimits, needs(permission.AccountRead),
		doc("Tells your limits and what is left of them."))
	BrowseCategories = op("BrowseCategories", "GET", "/v1/categories", 200, (*Service).browseCategories, taggedSince(FirstRelease), localized,
		doc("Lists the marketplace's categories in tree order."))
	BrowseShippingModels = op("BrowseShippingModels", "GET", "/v1/shipping-models", 200, (*Service).browseShippingModels, tagged,
		doc("Lists your shipping models, the ways in which you charge for shipping."))
	BrowseDeliveryServices = op("BrowseDeliveryServices", "GET", "/v1/delivery-services", 200, (*Service).browseDeliveryServices, tagged,
		doc("Lists the carriers' services, which trackings and shipping models refer to."))
)

// The error codes of several operations beyond those of their input's tags.
var (
	itemCodes = []Code{
		MissingField, OutOfRange, ConflictingFields, UnknownCategory, CategoryNotSelectable, UnknownShippingModel, WeightRequired, CurrencyMismatch, DateInPast,
		InvalidImageURL,
	}
	storeCodes    = []Code{StoreLimitReached, DailyItemLimitReached}
	trackingCodes = []Code{OutOfRange, UnknownDeliveryService, InvalidTrackingNumber, SaleNotOnBill, TrackingExists}
	buyerCodes    = []Code{MissingField, InvalidValue, ConflictingFields}

	shippingModelCodes = []Code{MissingField, TooShort, InvalidValue, OutOfRange, ConflictingFields, CurrencyMismatch, UnknownDeliveryService}
)
