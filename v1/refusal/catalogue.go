package refusal

// Code is the stable name of an error. Messages may change or be translated; a code never changes its meaning.
type Code string

// ErrorInfo is one row of the error catalogue: what a code means and what the caller can do about it.
type ErrorInfo struct {
	Code    Code
	Status  int    // HTTP status, 0 for codes that occur only inside submissions
	Since   string // the release of /v1 in which the code came
	Meaning string // one sentence, also the default message
	Remedy  string // what to do
}

// The releases of /v1 in which codes came.
const (
	first     = "1.0.0"
	additions = "1.2.0"
	third     = "1.3.0"
	fourth    = "1.4.0"
)

// The codes, in the order of their statuses.
const (
	MalformedJSON            Code = "malformed_json"
	InvalidIdempotencyKey    Code = "invalid_idempotency_key"
	InvalidHeader            Code = "invalid_header"
	MissingAPIKey            Code = "missing_api_key"
	InvalidAPIKey            Code = "invalid_api_key"
	AccountSuspended         Code = "account_suspended"
	TestKeyOnly              Code = "test_key_only"
	PermissionDenied         Code = "permission_denied"
	RouteNotFound            Code = "route_not_found"
	ItemNotFound             Code = "item_not_found"
	SubmissionNotFound       Code = "submission_not_found"
	BatchNotFound            Code = "batch_not_found"
	SaleNotFound             Code = "sale_not_found"
	RatingNotFound           Code = "rating_not_found"
	BillNotFound             Code = "bill_not_found"
	TrackingNotFound         Code = "tracking_not_found"
	WebhookNotFound          Code = "webhook_not_found"
	DeliveryNotFound         Code = "delivery_not_found"
	EventNotFound            Code = "event_not_found"
	DrillNotFound            Code = "drill_not_found"
	MethodNotAllowed         Code = "method_not_allowed"
	PayloadTooLarge          Code = "payload_too_large"
	UnsupportedMediaType     Code = "unsupported_media_type"
	ItemHasBids              Code = "item_has_bids"
	ItemPartiallySold        Code = "item_partially_sold"
	ItemNotOpen              Code = "item_not_open"
	ItemNotEditable          Code = "item_not_editable"
	ItemNotRestartable       Code = "item_not_restartable"
	ReferenceAmbiguous       Code = "reference_ambiguous"
	StoreLimitReached        Code = "store_limit_reached"
	RatingExists             Code = "rating_exists"
	RatingWindowClosed       Code = "rating_window_closed"
	BillNotPaid              Code = "bill_not_paid"
	BillAlreadySent          Code = "bill_already_sent"
	BillCancelled            Code = "bill_cancelled"
	TrackingExists           Code = "tracking_exists"
	TrackingLimitReached     Code = "tracking_limit_reached"
	WebhookLimitReached      Code = "webhook_limit_reached"
	WebhookExists            Code = "webhook_exists"
	DrillLimitReached        Code = "drill_limit_reached"
	IdempotencyKeyInProgress Code = "idempotency_key_in_progress"
	LegacyAPIRetired         Code = "legacy_api_retired"
	CursorExpired            Code = "cursor_expired"
	PreconditionFailed       Code = "precondition_failed"
	MissingField             Code = "missing_field"
	UnknownField             Code = "unknown_field"
	InvalidType              Code = "invalid_type"
	InvalidValue             Code = "invalid_value"
	TooLong                  Code = "too_long"
	TooShort                 Code = "too_short"
	OutOfRange               Code = "out_of_range"
	ImmutableField           Code = "immutable_field"
	ConflictingFields        Code = "conflicting_fields"
	EmptyPatch               Code = "empty_patch"
	MissingParameter         Code = "missing_parameter"
	UnknownParameter         Code = "unknown_parameter"
	InvalidParameter         Code = "invalid_parameter"
	InvalidCursor            Code = "invalid_cursor"
	CursorMismatch           Code = "cursor_mismatch"
	IdempotencyKeyReused     Code = "idempotency_key_reused"
	BatchEmpty               Code = "batch_empty"
	BatchTooLarge            Code = "batch_too_large"
	UnknownCategory          Code = "unknown_category"
	CategoryNotSelectable    Code = "category_not_selectable"
	UnknownShippingModel     Code = "unknown_shipping_model"
	WeightRequired           Code = "weight_required"
	UnknownDeliveryService   Code = "unknown_delivery_service"
	InvalidTrackingNumber    Code = "invalid_tracking_number"
	UnsupportedCurrency      Code = "unsupported_currency"
	CurrencyMismatch         Code = "currency_mismatch"
	DateInPast               Code = "date_in_past"
	TooManyImages            Code = "too_many_images"
	InvalidImageURL          Code = "invalid_image_url"
	HTMLNotAllowed           Code = "html_not_allowed"
	InvalidWebhookURL        Code = "invalid_webhook_url"
	UnknownEvent             Code = "unknown_event"
	ScoreNotAllowed          Code = "score_not_allowed"
	SaleNotOnBill            Code = "sale_not_on_bill"
	RateLimited              Code = "rate_limited"
	DailyItemLimitReached    Code = "daily_item_limit_reached"
	InternalError            Code = "internal_error"
	ServiceUnavailable       Code = "service_unavailable"
	ImagesUnreachable        Code = "images_unreachable"
	ImageTooLarge            Code = "image_too_large"
	ImageFormatUnsupported   Code = "image_format_unsupported"
	PublicationTimeout       Code = "publication_timeout"
	ImageUnreachable         Code = "image_unreachable"
)

// ErrorCatalogue lists every code that the service can answer, in the order of the statuses. Those that occur only in
// submissions come last.
var ErrorCatalogue = []ErrorInfo{
	{MalformedJSON, 400, first, "The body is not one well-formed JSON value.", "Send valid UTF-8 JSON without duplicate members, nested at most 32 levels deep."},
	{InvalidIdempotencyKey, 400, first, "The Idempotency-Key header is not 1 to 255 visible ASCII characters.", "Send a random key, such as a UUID, once."},
	{InvalidHeader, 400, first, "A request header cannot be understood.", "Correct the header named in field."},

	{MissingAPIKey, 401, first, "The request carries no API key.", "Send your key in the X-Api-Key header. Authorization and the URL are not read."},
	{InvalidAPIKey, 401, first, "The API key is not valid.", "Check that the key is complete, neither revoked nor expired, and sent once in X-Api-Key, never in the URL."},

	{AccountSuspended, 403, first, "The account is suspended.", "Contact the marketplace's support."},
	{TestKeyOnly, 403, additions, "This operation works with test keys only.", "Call it with a dk_test_ key."},
	{PermissionDenied, 403, third, "The key lacks a permission that the request needs.", "Use a key that has the permission in details.permission. The marketplace's operator makes keys; the permissions of a key never change."},

	{RouteNotFound, 404, first, "There is nothing at this path.", "Compare the path with the reference; a trailing slash is not accepted."},
	{ItemNotFound, 404, first, "There is no such item.", "Check the id and that the key belongs to the item's account and mode."},
	{SubmissionNotFound, 404, first, "There is no such submission.", "Check the id and that the key belongs to the submission's account and mode."},
	{BatchNotFound, 404, additions, "There is no such batch.", "Check the id and that the key belongs to the batch's account and mode."},
	{SaleNotFound, 404, first, "There is no such sale.", "Check the id and that the key belongs to the sale's account and mode."},
	{RatingNotFound, 404, first, "The sale has no rating.", "Create one with POST."},
	{BillNotFound, 404, first, "There is no such bill.", "Check the id and that the key belongs to the bill's account and mode."},
	{TrackingNotFound, 404, first, "The bill has no such tracking.", "List the bill's trackings."},
	{WebhookNotFound, 404, first, "There is no such webhook.", "List your webhooks."},
	{DeliveryNotFound, 404, additions, "There is no such delivery.", "Deliveries are kept for 30 days; list them."},
	{EventNotFound, 404, third, "There is no such event.", "Events are kept for 30 days; list them."},
	{DrillNotFound, 404, fourth, "There is no such drill.", "List your drills; a key sees those of its account and mode."},

	{MethodNotAllowed, 405, first, "This path does not accept this method.", "Use one of the methods in the Allow header."},

	{ItemHasBids, 409, first, "The auction has bids.", "It runs to its end and cannot be closed. Only the fields in details.editable_fields can still change."},
	{ItemPartiallySold, 409, first, "Part of the item is sold.", "Its price is fixed and its quantity cannot fall below what is sold."},
	{ItemNotOpen, 409, first, "The item is not open.", "Read the item's status first."},
	{
		ItemNotEditable, 409, first, "The item cannot be changed in its present state.",
		"Only the fields in details.editable_fields can still change; restart the item to sell it again.",
	},
	{
		ItemNotRestartable, 409, first, "The item cannot be restarted in its present state.",
		"Only unsold and closed items restart; a sold one opens by itself when the last of its sales is cancelled.",
	},
	{ReferenceAmbiguous, 409, third, "Several of your items have this personal_reference.", "Name one of details.item_ids by item_id; there may be more than the 100 shown."},
	{StoreLimitReached, 409, first, "The store's limit of open items is reached.", "Close items or ask for a larger store plan."},
	{RatingExists, 409, first, "The sale is rated already.", "Revise the rating with PATCH."},
	{RatingWindowClosed, 409, first, "Ratings are accepted for 60 days after the sale.", "Nothing can be done after that."},
	{BillNotPaid, 409, first, "The bill is not paid.", "Wait for the event payment.received."},
	{BillAlreadySent, 409, first, "The bill is marked as sent already.", "details.sent_at says since when."},
	{BillCancelled, 409, first, "The bill is cancelled.", "Do not ship it."},
	{TrackingExists, 409, first, "The bill has a tracking with this service and number.", "Change the existing tracking with PATCH."},
	{TrackingLimitReached, 409, third, "The bill has as many trackings as it may have.", "Remove a tracking that is not needed."},
	{WebhookLimitReached, 409, first, "The account has as many webhooks as it may have.", "Delete a webhook first."},
	{
		WebhookExists, 409, first, "A webhook with this URL and these events exists.",
		"Change the existing webhook, details.webhook_id, with PATCH. If its secret is lost, rotate_secret makes a new one.",
	},
	{DrillLimitReached, 409, fourth, "The account has as many drills to come as it may have.", "Call one off, or wait until one is over."},
	{IdempotencyKeyInProgress, 409, first, "A request with this Idempotency-Key is still running.", "Repeat the request after Retry-After seconds."},

	{LegacyAPIRetired, 410, first, "The legacy interface was switched off on 5 October 2027.", "Follow the migration guide to /v1."},
	{
		CursorExpired, 410, third, "The cursor is older than the events that are kept.",
		"Take a new cursor with after=latest. Then list what has changed meanwhile with updated_from.",
	},
	{PreconditionFailed, 412, additions, "The object changed since you read it.", "Read it again and repeat with its new ETag."},

	{PayloadTooLarge, 413, first, "The body is larger than this operation accepts.", "Items, batches and lists of changes take 2 MiB, a shipment 512 KiB, other bodies 64 KiB: send less at once."},
	{UnsupportedMediaType, 415, first, "The body's media type is not accepted.", "Send application/json (PATCH: application/merge-patch+json as well), uncompressed."},

	{MissingField, 422, first, "A required field is missing.", "Add the field."},
	{UnknownField, 422, first, "The body has a member that this operation does not know.", "Remove it or correct its spelling."},
	{InvalidType, 422, first, "The value has the wrong JSON type.", "Send the type that the reference shows; amounts and ids are strings."},
	{InvalidValue, 422, first, "The value is not one of those accepted.", "See the reference for the accepted values."},
	{TooLong, 422, first, "The value is too long.", "Shorten it."},
	{TooShort, 422, first, "The value is too short.", "Lengthen it."},
	{OutOfRange, 422, first, "The number or date lies outside the accepted range.", "See the reference for the range."},
	{ImmutableField, 422, first, "The field cannot change after creation.", "Leave it out of the patch."},
	{ConflictingFields, 422, first, "Two fields exclude each other.", "Send one of them."},
	{EmptyPatch, 422, first, "The patch changes nothing.", "Send at least one field."},
	{MissingParameter, 422, first, "A required query parameter is missing.", "Add the parameter."},
	{UnknownParameter, 422, first, "The operation does not know this query parameter.", "Remove it or correct its spelling."},
	{InvalidParameter, 422, first, "The query parameter's value is not accepted.", "See the reference for the accepted values."},
	{InvalidCursor, 422, first, "The cursor is damaged or not ours.", "Pass next_cursor unchanged, or start without after."},
	{CursorMismatch, 422, first, "The cursor belongs to another sort or other filters.", "Repeat the sort and filters of the first page."},
	{IdempotencyKeyReused, 422, first, "The Idempotency-Key was used for a different request.", "Use a new key for each new request."},
	{BatchEmpty, 422, first, "The list of items or changes is empty.", "Send 1 to 100 of them."},
	{BatchTooLarge, 422, first, "The list has more than 100 items or changes.", "Split it."},
	{UnknownCategory, 422, first, "There is no such category.", "See GET /v1/categories."},
	{CategoryNotSelectable, 422, first, "The category only groups others.", "Choose one of its descendants with selectable true."},
	{UnknownShippingModel, 422, first, "You have no such shipping model.", "See GET /v1/shipping-models."},
	{WeightRequired, 422, first, "The shipping model charges by weight.", "Add weight_grams."},
	{UnknownDeliveryService, 422, first, "There is no such delivery service.", "See GET /v1/delivery-services."},
	{InvalidTrackingNumber, 422, first, "The number does not fit the delivery service.", "Check the number against the service's number_pattern."},
	{UnsupportedCurrency, 422, first, "The currency is not supported.", "Use EUR, USD, GBP, CAD, CHF or AUD."},
	{CurrencyMismatch, 422, first, "An item's amounts must share one currency.", "Send every amount in the same currency."},
	{DateInPast, 422, first, "The date lies in the past.", "Send a future date."},
	{TooManyImages, 422, first, "An item takes at most 99 images.", "Remove some images."},
	{InvalidImageURL, 422, first, "The image's address is not a public https URL.", "Use an https URL on a public host, at port 443 or one from 1024 on."},
	{HTMLNotAllowed, 422, first, "The field takes plain text.", "Remove the markup; only description accepts HTML."},
	{InvalidWebhookURL, 422, first, "The webhook's address is not a public https URL.", "Use an https URL on a public host, at port 443 or one from 1024 on."},
	{UnknownEvent, 422, first, "There is no such event.", "See the event catalogue."},
	{ScoreNotAllowed, 422, first, "A cancelled sale takes only 25, 0 or a neutral comment.", "Choose another score."},
	{SaleNotOnBill, 422, first, "The sale is not on this bill.", "Use the ids in the bill's sales."},

	{RateLimited, 429, first, "Too many requests.", "Wait Retry-After seconds; the X-RateLimit headers tell the budget."},
	{DailyItemLimitReached, 429, first, "The day's limit of new items is reached.", "Go on after Retry-After seconds, at midnight UTC."},
	{InternalError, 500, first, "Something failed on our side.", "Repeat the request with the same Idempotency-Key; quote X-Request-Id when it persists."},
	{ServiceUnavailable, 503, first, "The service cannot answer just now.", "Repeat the request after Retry-After seconds with the same Idempotency-Key."},

	{ImagesUnreachable, 0, first, "None of the images could be used, so the item was not published.", "Make the images reachable and submit again."},
	{ImageTooLarge, 0, first, "The image is larger than 10 MiB, 30,000 pixels on a side or 300 million pixels.", "Serve a smaller file."},
	{ImageFormatUnsupported, 0, first, "The file is not a JPEG, PNG, WebP or GIF image.", "Convert the image."},
	{PublicationTimeout, 0, first, "The submission could not be published before its deadline.", "Submit again."},
	{ImageUnreachable, 0, first, "The image could not be fetched.", "Check that the address answers 200 to the public."},
}

// SubmissionCodes are the codes in the errors and warnings of submissions, which say how publication ended.
var SubmissionCodes = []Code{
	ImagesUnreachable, ImageTooLarge, ImageFormatUnsupported, CategoryNotSelectable, StoreLimitReached, PublicationTimeout, ImageUnreachable,
}

var errorInfoByCode = func() map[Code]ErrorInfo {
	m := make(map[Code]ErrorInfo, len(ErrorCatalogue))
	for _, info := range ErrorCatalogue {
		m[info.Code] = info
	}
	return m
}()

// LookupError finds a code's row in the catalogue.
func LookupError(code Code) (ErrorInfo, bool) {
	info, ok := errorInfoByCode[code]
	return info, ok
}

// InfoOf is a code's row in the catalogue.
func InfoOf(code Code) ErrorInfo { return errorInfoByCode[code] }
