package v1

import "sellerd/v1/permission"

// Operations are the endpoints of sales, ratings, bills and trackings, in the order of the documents.
var tradeOperations = []*Operation{
	BrowseSales.Operation, GetSale.Operation, RateBuyer.Operation, GetRating.Operation, ReviseRating.Operation,
	BrowseBills.Operation, GetBill.Operation, BrowseTrackings.Operation, AddTracking.Operation, GetTracking.Operation,
	UpdateTracking.Operation, RemoveTracking.Operation, MarkBillSent.Operation,
}

// Sandbox are the endpoints by which a seller with a test key acts as the marketplace.
var tradeSandbox = []*Operation{
	SimulateBid.Operation, SimulatePurchase.Operation, SimulateEnd.Operation, SimulateInvoice.Operation,
	SimulatePayment.Operation, SimulateCancellation.Operation, ResetSandbox.Operation,
}

// Operator are the endpoints by which the marketplace reports what buyers and it have done.
var tradeOperator = []*Operation{
	OperatorBid.Operation, OperatorPurchase.Operation, OperatorEnd.Operation, OperatorMove.Operation, OperatorVisits.Operation,
	OperatorInvoice.Operation, OperatorPayment.Operation, OperatorCancellation.Operation,
}

// The endpoints of sales and ratings.
var (
	BrowseSales = op("BrowseSales", "GET", "/v1/sales", 200, (*Market).browseSales, needs(permission.SalesRead), claims,
		doc("Lists your sales, cancelled ones too. Values of one filter are alternatives, filters add up."))
	GetSale = op("GetSale", "GET", "/v1/sales/{id}", 200, (*Market).getSale, needs(permission.SalesRead), tagged,
		doc("Reads a sale with your rating of its buyer."))
	RateBuyer = op("RateBuyer", "POST", "/v1/sales/{id}/rating", 201, (*Market).rateBuyer, needs(permission.SalesWrite), locates, answersETag,
		doc("Rates the buyer of a sale, once and within 60 days."),
		refuses(MissingField, ScoreNotAllowed, RatingExists, RatingWindowClosed))
	GetRating = op("GetRating", "GET", "/v1/sales/{id}/rating", 200, (*Market).getRating, needs(permission.SalesRead), tagged,
		doc("Reads your rating of a sale's buyer."),
		refuses(RatingNotFound))
	ReviseRating = op("ReviseRating", "PATCH", "/v1/sales/{id}/rating", 200, (*Market).reviseRating, needs(permission.SalesWrite), answersETag,
		doc("Changes your rating of a sale's buyer, within 60 days of the sale."),
		refuses(RatingNotFound, EmptyPatch, MissingField, ScoreNotAllowed, RatingWindowClosed, PreconditionFailed))
)

// The endpoints of bills and trackings.
var (
	BrowseBills = op("BrowseBills", "GET", "/v1/bills", 200, (*Market).browseBills, needs(permission.BillsRead),
		doc("Lists your bills, the shipping worklist. Values of one filter are alternatives, filters add up."))
	GetBill = op("GetBill", "GET", "/v1/bills/{id}", 200, (*Market).getBill, needs(permission.BillsRead), tagged,
		doc("Reads a bill with its sales, its payment and its trackings."))
	BrowseTrackings = op("BrowseTrackings", "GET", "/v1/bills/{id}/trackings", 200, (*Market).browseTrackings, needs(permission.BillsRead),
		doc("Lists a bill's trackings."))
	AddTracking = op("AddTracking", "POST", "/v1/bills/{id}/trackings", 201, (*Market).addTracking, needs(permission.BillsWrite), locates, answersETag,
		doc("Adds a tracking to a bill in any state but cancelled."),
		refuses(trackingCodes...), refuses(BillCancelled, TrackingLimitReached))
	GetTracking = op("GetTracking", "GET", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Market).getTracking, needs(permission.BillsRead), tagged, since("1.3.0"),
		doc("Reads a tracking."))
	UpdateTracking = op("UpdateTracking", "PATCH", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Market).updateTracking, needs(permission.BillsWrite), answersETag,
		doc("Changes a tracking, whatever the state of its bill."),
		refuses(trackingCodes...), refuses(EmptyPatch, PreconditionFailed))
	RemoveTracking = op("RemoveTracking", "DELETE", "/v1/bills/{id}/trackings/{tracking_id}", 200, (*Market).removeTracking, needs(permission.BillsWrite),
		doc("Removes a tracking, whatever the state of its bill."),
		refuses(PreconditionFailed))
	MarkBillSent = op("MarkBillSent", "POST", "/v1/bills/{id}/mark-sent", 200, (*Market).markBillSent, needs(permission.BillsWrite), takesTrackings, answersETag,
		doc("Declares a paid bill sent and adds the trackings given: all of that or nothing."),
		refuses(trackingCodes...), refuses(BillNotPaid, BillAlreadySent, BillCancelled, TrackingLimitReached, PreconditionFailed))
)

// The simulation endpoints: with a test key, the actions of buyers and of the marketplace.
var (
	SimulateBid = op("SimulateBid", "POST", "/v1/test/items/{id}/bids", 200, (*Market).simulateBid, needs(permission.ItemsWrite), testOnly, since("1.2.0"),
		doc("Bids on one of your auctions as a buyer does."),
		refuses(buyerCodes...), refuses(ItemNotOpen, CurrencyMismatch, OutOfRange, PreconditionFailed))
	SimulatePurchase = op("SimulatePurchase", "POST", "/v1/test/items/{id}/purchase", 200, (*Market).simulatePurchase, needs(permission.SalesWrite), testOnly, since("1.2.0"),
		doc("Buys some of one of your fixed-price items as a buyer does."),
		refuses(buyerCodes...), refuses(ItemNotOpen, OutOfRange, PreconditionFailed))
	SimulateEnd = op("SimulateEnd", "POST", "/v1/test/items/{id}/end", 200, (*Market).simulateEnd, needs(permission.ItemsWrite), testOnly, since("1.2.0"),
		doc("Ends one of your items as if its time were up."),
		refuses(ItemNotOpen, PreconditionFailed))
	SimulateInvoice = op("SimulateInvoice", "POST", "/v1/test/bills/{id}/invoice", 200, (*Market).simulateInvoice, needs(permission.BillsWrite), testOnly, since("1.2.0"), answersETag,
		doc("Invoices one of your bills as the marketplace does."),
		refuses(InvalidValue, CurrencyMismatch, BillAlreadySent, BillCancelled, PreconditionFailed))
	SimulatePayment = op("SimulatePayment", "POST", "/v1/test/bills/{id}/pay", 200, (*Market).simulatePayment, needs(permission.BillsWrite), testOnly, since("1.2.0"), answersETag,
		doc("Pays one of your bills as its buyer does."),
		refuses(InvalidValue, CurrencyMismatch, BillAlreadySent, BillCancelled, PreconditionFailed))
	SimulateCancellation = op("SimulateCancellation", "POST", "/v1/test/sales/{id}/cancel", 200, (*Market).simulateCancellation, needs(permission.SalesWrite), testOnly, since("1.2.0"),
		doc("Cancels one of your sales, or requests or refuses its cancellation, as the marketplace does."),
		refuses(InvalidValue, BillAlreadySent, PreconditionFailed))
	ResetSandbox = op("ResetSandbox", "POST", "/v1/test/reset", 202, (*Market).resetSandbox, needs(permission.AccountWrite), testOnly, since("1.3.0"),
		doc("Removes all of your test data but keys, webhooks and shipping models. GET /v1/account tells when it is done; until then, requests that change test data are answered 503."))
)

// The operator's endpoints: what the marketplace reports.
var (
	OperatorBid = op("OperatorBid", "POST", "/operator/items/{id}/bids", 200, (*Market).operatorBid,
		doc("A buyer bids on an auction."),
		refuses(buyerCodes...), refuses(ItemNotOpen, CurrencyMismatch, OutOfRange, PreconditionFailed))
	OperatorPurchase = op("OperatorPurchase", "POST", "/operator/items/{id}/purchases", 200, (*Market).operatorPurchase,
		doc("A buyer buys some of a fixed-price item."),
		refuses(buyerCodes...), refuses(ItemNotOpen, OutOfRange, PreconditionFailed))
	OperatorEnd = op("OperatorEnd", "POST", "/operator/items/{id}/end", 200, (*Market).operatorEnd,
		doc("Ends an item as if its time were up."),
		refuses(ItemNotOpen, PreconditionFailed))
	OperatorMove = op("OperatorMove", "POST", "/operator/items/{id}/move", 200, (*Market).operatorMove,
		doc("Moves an item to another category, in any state."),
		refuses(UnknownCategory, CategoryNotSelectable, PreconditionFailed))
	OperatorVisits = op("OperatorVisits", "POST", "/operator/items/{id}/visits", 200, (*Market).operatorVisits, answersETag,
		doc("Adds the visits since the last report to an item. There is no event."),
		refuses(OutOfRange, PreconditionFailed))
	OperatorInvoice = op("OperatorInvoice", "POST", "/operator/bills/{id}/invoice", 200, (*Market).operatorInvoice, answersETag,
		doc("Invoices a bill: later purchases go on another one."),
		refuses(InvalidValue, CurrencyMismatch, BillAlreadySent, BillCancelled, PreconditionFailed))
	OperatorPayment = op("OperatorPayment", "POST", "/operator/bills/{id}/payment", 200, (*Market).operatorPayment, answersETag,
		doc("The buyer has paid a bill."),
		refuses(InvalidValue, CurrencyMismatch, BillAlreadySent, BillCancelled, PreconditionFailed))
	OperatorCancellation = op("OperatorCancellation", "POST", "/operator/sales/{id}/cancellation", 200, (*Market).operatorCancellation,
		doc("Requests, accepts or refuses the cancellation of a sale."),
		refuses(InvalidValue, BillAlreadySent, PreconditionFailed))
)

// The error codes of several operations beyond those of their input's tags.
var (
	trackingCodes = []Code{OutOfRange, UnknownDeliveryService, InvalidTrackingNumber, SaleNotOnBill, TrackingExists}
	buyerCodes    = []Code{MissingField, InvalidValue, ConflictingFields}
)
