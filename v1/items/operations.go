package items

import (
	"sellerd/v1/core"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
)

// Operations are the endpoints of items and submissions, in the order of the documents.
var Operations = []*core.Operation{
	SubmitItem.Operation, GetSubmission.Operation, SubmitBatch.Operation, GetBatch.Operation, BrowseItems.Operation,
	GetItem.Operation, UpdateItem.Operation, CloseItem.Operation, RestartItem.Operation, ChangeItems.Operation,
}

// The largest bodies, in bytes. A batch and a list of changes have room for ordinary items.
const (
	itemBodyLimit  = 2 << 20
	batchBodyLimit = 2 << 20
)

// The endpoints of items and their submissions.
var (
	SubmitItem = core.NewOp("SubmitItem", "POST", "/v1/items", 202, (*Items).submitItem, core.Needs(permission.ItemsWrite), core.Publishes,
		core.Locates, core.TakesBody(itemBodyLimit), core.RecallsLate, core.Claims, core.KeyedSince(core.FirstRelease),
		core.MayAnswer(200, "1.2.0"),
		core.Doc("Checks an item and accepts it for publication, which follows usually within a second, at most 15 minutes later."),
		core.Refuses(itemCodes...), core.Refuses(storeCodes...))
	GetSubmission = core.NewOp("GetSubmission", "GET", "/v1/item-submissions/{id}", 200, (*Items).getSubmission,
		core.Needs(permission.ItemsRead), core.Tagged,
		core.Doc("Tells what became of an accepted item: it is published or rejected by publish_deadline."))
	SubmitBatch = core.NewOp("SubmitBatch", "POST", "/v1/item-batches", 202, (*Items).submitBatch, core.Needs(permission.ItemsWrite),
		core.Publishes, core.Locates, core.TakesBody(batchBodyLimit), core.Batch, core.KeyedSince(core.FirstRelease),
		core.MayAnswerWith[BatchCheck](200, "1.7.0"),
		core.Doc("Accepts up to 100 items at once. Each item gets the answer that it alone would have got; the batch is refused when none is accepted."),
		core.Refuses(itemCodes...), core.Refuses(storeCodes...), core.Refuses(refusal.BatchEmpty, refusal.BatchTooLarge))
	GetBatch = core.NewOp("GetBatch", "GET", "/v1/item-batches/{id}", 200, (*Items).getBatch, core.Needs(permission.ItemsRead), core.Tagged,
		core.Since("1.2.0"),
		core.Doc("Sums up what became of a batch's items."))
	BrowseItems = core.NewOp("BrowseItems", "GET", "/v1/items", 200, (*Items).browseItems, core.Needs(permission.ItemsRead), core.Claims,
		core.Doc("Lists your items. Values of one filter are alternatives, filters add up."),
		core.Refuses(refusal.ConflictingFields))
	GetItem = core.NewOp("GetItem", "GET", "/v1/items/{id}", 200, (*Items).getItem, core.Needs(permission.ItemsRead), core.Tagged, core.Claims,
		core.Doc("Reads an item."))
	UpdateItem = core.NewOp("UpdateItem", "PATCH", "/v1/items/{id}", 200, (*Items).updateItem, core.Needs(permission.ItemsWrite),
		core.TakesBody(itemBodyLimit), core.AnswersETag,
		core.Doc("Changes what the item's state lets change: with bids, or partly sold, less than before."),
		core.Refuses(itemCodes...), core.Refuses(refusal.ImmutableField, refusal.EmptyPatch, refusal.ItemHasBids, refusal.ItemPartiallySold,
			refusal.ItemNotEditable, refusal.PreconditionFailed))
	CloseItem = core.NewOp("CloseItem", "POST", "/v1/items/{id}/close", 200, (*Items).closeItem, core.Needs(permission.ItemsWrite),
		core.AnswersETag,
		core.Doc("Takes an item off sale at once. An auction with bids runs to its end."),
		core.Refuses(refusal.ItemNotOpen, refusal.ItemHasBids, refusal.PreconditionFailed))
	RestartItem = core.NewOp("RestartItem", "POST", "/v1/items/{id}/restart", 200, (*Items).restartItem, core.Needs(permission.ItemsWrite),
		core.Publishes, core.AnswersETag,
		core.Doc("Puts an unsold or closed item on sale again under the same id, from now on."),
		core.Refuses(refusal.ItemNotRestartable, refusal.ConflictingFields, refusal.CurrencyMismatch,
			refusal.PreconditionFailed), core.Refuses(storeCodes...))
	ChangeItems = core.NewOp("ChangeItems", "POST", "/v1/item-changes", 200, (*Items).changeItems, core.Needs(permission.ItemsWrite),
		core.Publishes, core.TakesBody(batchBodyLimit), core.Since("1.3.0"),
		core.Doc("Patches, closes and restarts up to 100 items in one request, one after another. Each change gets the answer that it alone would have got; the request is refused when none is done."),
		core.Refuses(refusal.BatchEmpty, refusal.BatchTooLarge), core.RefusesEntries(itemCodes...), core.RefusesEntries(storeCodes...),
		core.RefusesEntries(refusal.ImmutableField, refusal.EmptyPatch, refusal.ItemNotFound,
			refusal.ReferenceAmbiguous, refusal.ItemHasBids, refusal.ItemPartiallySold, refusal.ItemNotOpen, refusal.ItemNotEditable, refusal.ItemNotRestartable, refusal.PreconditionFailed))
)

// The error codes of several operations beyond those of their input's tags.
var (
	itemCodes = []refusal.Code{
		refusal.MissingField, refusal.OutOfRange, refusal.ConflictingFields, refusal.UnknownCategory, refusal.CategoryNotSelectable, refusal.UnknownShippingModel, refusal.WeightRequired, refusal.CurrencyMismatch, refusal.DateInPast,
		refusal.InvalidImageURL,
	}
	storeCodes = []refusal.Code{refusal.StoreLimitReached, refusal.DailyItemLimitReached}
)
