package v1

import "sellerd/v1/permission"

// Operations are the endpoints of items and submissions, in the order of the documents.
var itemsOperations = []*Operation{
	SubmitItem.Operation, GetSubmission.Operation, SubmitBatch.Operation, GetBatch.Operation, BrowseItems.Operation,
	GetItem.Operation, UpdateItem.Operation, CloseItem.Operation, RestartItem.Operation, ChangeItems.Operation,
}

// The endpoints of items and their submissions.
var (
	SubmitItem = op("SubmitItem", "POST", "/v1/items", 202, (*Items).submitItem, needs(permission.ItemsWrite), publishes, locates, takesItem, recallsLate, claims, keyedSince(FirstRelease), mayAnswer(200, "1.2.0"),
		doc("Checks an item and accepts it for publication, which follows usually within a second, at most 15 minutes later."),
		refuses(itemCodes...), refuses(storeCodes...))
	GetSubmission = op("GetSubmission", "GET", "/v1/item-submissions/{id}", 200, (*Items).getSubmission, needs(permission.ItemsRead), tagged,
		doc("Tells what became of an accepted item: it is published or rejected by publish_deadline."))
	SubmitBatch = op("SubmitBatch", "POST", "/v1/item-batches", 202, (*Items).submitBatch, needs(permission.ItemsWrite), publishes, locates, takesBatch, keyedSince(FirstRelease),
		doc("Accepts up to 100 items at once. Each item gets the answer that it alone would have got; the batch is refused when none is accepted."),
		refuses(itemCodes...), refuses(storeCodes...), refuses(BatchEmpty, BatchTooLarge))
	GetBatch = op("GetBatch", "GET", "/v1/item-batches/{id}", 200, (*Items).getBatch, needs(permission.ItemsRead), tagged, since("1.2.0"),
		doc("Sums up what became of a batch's items."))
	BrowseItems = op("BrowseItems", "GET", "/v1/items", 200, (*Items).browseItems, needs(permission.ItemsRead), claims,
		doc("Lists your items. Values of one filter are alternatives, filters add up."),
		refuses(ConflictingFields))
	GetItem = op("GetItem", "GET", "/v1/items/{id}", 200, (*Items).getItem, needs(permission.ItemsRead), tagged, claims,
		doc("Reads an item."))
	UpdateItem = op("UpdateItem", "PATCH", "/v1/items/{id}", 200, (*Items).updateItem, needs(permission.ItemsWrite), takesItem, answersETag,
		doc("Changes what the item's state lets change: with bids, or partly sold, less than before."),
		refuses(itemCodes...), refuses(ImmutableField, EmptyPatch, ItemHasBids, ItemPartiallySold, ItemNotEditable, PreconditionFailed))
	CloseItem = op("CloseItem", "POST", "/v1/items/{id}/close", 200, (*Items).closeItem, needs(permission.ItemsWrite), answersETag,
		doc("Takes an item off sale at once. An auction with bids runs to its end."),
		refuses(ItemNotOpen, ItemHasBids, PreconditionFailed))
	RestartItem = op("RestartItem", "POST", "/v1/items/{id}/restart", 200, (*Items).restartItem, needs(permission.ItemsWrite), publishes, answersETag,
		doc("Puts an unsold or closed item on sale again under the same id, from now on."),
		refuses(ItemNotRestartable, ConflictingFields, CurrencyMismatch, PreconditionFailed), refuses(storeCodes...))
	ChangeItems = op("ChangeItems", "POST", "/v1/item-changes", 200, (*Items).changeItems, needs(permission.ItemsWrite), publishes, takesChanges, since("1.3.0"),
		doc("Patches, closes and restarts up to 100 items in one request, one after another. Each change gets the answer that it alone would have got; the request is refused when none is done."),
		refuses(BatchEmpty, BatchTooLarge), refusesEntries(itemCodes...), refusesEntries(storeCodes...), refusesEntries(ImmutableField, EmptyPatch, ItemNotFound,
			ReferenceAmbiguous, ItemHasBids, ItemPartiallySold, ItemNotOpen, ItemNotEditable, ItemNotRestartable, PreconditionFailed))
)

// The error codes of several operations beyond those of their input's tags.
var (
	itemCodes = []Code{
		MissingField, OutOfRange, ConflictingFields, UnknownCategory, CategoryNotSelectable, UnknownShippingModel, WeightRequired, CurrencyMismatch, DateInPast,
		InvalidImageURL,
	}
	storeCodes = []Code{StoreLimitReached, DailyItemLimitReached}
)
