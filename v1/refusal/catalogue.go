package refusal

import "sellerd/internal/base/each"

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
	sixth     = "1.6.0"
)

// ErrorCatalogue lists every code that the service can answer, in the order of the statuses. Those that occur only in
// submissions come last. The constants of the codes in codes.go are made from it (codes_test.go).
var ErrorCatalogue = []ErrorInfo{
	{"malformed_json", 400, first, "The body is not one well-formed JSON value.", "Send valid UTF-8 JSON without duplicate members, nested at most 32 levels deep."},
	{"invalid_idempotency_key", 400, first, "The Idempotency-Key header is not 1 to 255 visible ASCII characters.", "Send a random key, such as a UUID, once."},
	{"invalid_header", 400, first, "A request header cannot be understood.", "Correct the header named in field."},

	{"missing_api_key", 401, first, "The request carries no API key.", "Send your key in the X-Api-Key header. Authorization and the URL are not read."},
	{"invalid_api_key", 401, first, "The API key is not valid.", "Check that the key is complete, neither revoked nor expired, and sent once in X-Api-Key, never in the URL."},

	{"account_suspended", 403, first, "The account is suspended.", "Contact the marketplace's support."},
	{"test_key_only", 403, additions, "This operation works with test keys only.", "Call it with a dk_test_ key."},
	{"permission_denied", 403, third, "The key lacks a permission that the request needs.", "Use a key that has the permission in details.permission. The marketplace's operator makes keys; the permissions of a key never change."},

	{"route_not_found", 404, first, "There is nothing at this path.", "Compare the path with the reference; a trailing slash is not accepted."},
	{"item_not_found", 404, first, "There is no such item.", "Check the id and that the key belongs to the item's account and mode."},
	{"submission_not_found", 404, first, "There is no such submission.", "Check the id and that the key belongs to the submission's account and mode."},
	{"batch_not_found", 404, additions, "There is no such batch.", "Check the id and that the key belongs to the batch's account and mode."},
	{"sale_not_found", 404, first, "There is no such sale.", "Check the id and that the key belongs to the sale's account and mode."},
	{"rating_not_found", 404, first, "The sale has no rating.", "Create one with POST."},
	{"bill_not_found", 404, first, "There is no such bill.", "Check the id and that the key belongs to the bill's account and mode."},
	{"tracking_not_found", 404, first, "The bill has no such tracking.", "List the bill's trackings."},
	{"webhook_not_found", 404, first, "There is no such webhook.", "List your webhooks."},
	{"delivery_not_found", 404, additions, "There is no such delivery.", "Deliveries are kept for 30 days; list them."},
	{"event_not_found", 404, third, "There is no such event.", "Events are kept for 30 days; list them."},
	{"drill_not_found", 404, fourth, "There is no such drill.", "List your drills; a key sees those of its account and mode."},

	{"method_not_allowed", 405, first, "This path does not accept this method.", "Use one of the methods in the Allow header."},

	{"item_has_bids", 409, first, "The auction has bids.", "It runs to its end and cannot be closed. Only the fields in details.editable_fields can still change."},
	{"item_partially_sold", 409, first, "Part of the item is sold.", "Its price is fixed and its quantity cannot fall below what is sold."},
	{"item_not_open", 409, first, "The item is not open.", "Read the item's status first."},
	{"item_not_editable", 409, first, "The item cannot be changed in its present state.", "Only the fields in details.editable_fields can still change; restart the item to sell it again."},
	{"item_not_restartable", 409, first, "The item cannot be restarted in its present state.", "Only unsold and closed items restart; a sold one opens by itself when the last of its sales is cancelled."},
	{"reference_ambiguous", 409, third, "Several of your items have this personal_reference.", "Name one of details.item_ids by item_id; there may be more than the 100 shown."},
	{"store_limit_reached", 409, first, "The store's limit of open items is reached.", "Close items or ask for a larger store plan."},
	{"rating_exists", 409, first, "The sale is rated already.", "Revise the rating with PATCH."},
	{"rating_window_closed", 409, first, "Ratings are accepted for 60 days after the sale.", "Nothing can be done after that."},
	{"bill_not_paid", 409, first, "The bill is not paid.", "Wait for the event payment.received."},
	{"bill_already_sent", 409, first, "The bill is marked as sent already.", "details.sent_at says since when."},
	{"bill_cancelled", 409, first, "The bill is cancelled.", "Do not ship it."},
	{"tracking_exists", 409, first, "The bill has a tracking with this service and number.", "Change the existing tracking with PATCH."},
	{"tracking_limit_reached", 409, third, "The bill has as many trackings as it may have.", "Remove a tracking that is not needed."},
	{"webhook_limit_reached", 409, first, "The account has as many webhooks as it may have.", "Delete a webhook first."},
	{"webhook_exists", 409, first, "A webhook with this URL and these events exists.", "Change the existing webhook, details.webhook_id, with PATCH. If its secret is lost, rotate_secret makes a new one."},
	{"drill_limit_reached", 409, fourth, "The account has as many drills to come as it may have.", "Call one off, or wait until one is over."},
	{"key_already_rotated", 409, sixth, "The key was replaced already, and its successor was used.", "Use the successor, details.successor_id, or rotate that one. If nobody of yours has it, your key has leaked: ask the marketplace's operator to revoke both."},
	{"key_limit_reached", 409, sixth, "The account has as many keys in use as it may have.", "Let one end, or rotate with overlap_seconds 0. GET /v1/account/keys lists them."},
	{"idempotency_key_in_progress", 409, first, "A request with this Idempotency-Key is still running.", "Repeat the request after Retry-After seconds."},

	{"legacy_api_retired", 410, first, "The legacy interface was switched off on 5 October 2027.", "Follow the migration guide to /v1."},
	{"cursor_expired", 410, third, "The cursor is older than the events that are kept.", "Take a new cursor with after=latest. Then list what has changed meanwhile with updated_from."},
	{"precondition_failed", 412, additions, "The object changed since you read it.", "Read it again and repeat with its new ETag."},

	{"payload_too_large", 413, first, "The body is larger than this operation accepts.", "Items, batches and lists of changes take 2 MiB, a shipment 512 KiB, other bodies 64 KiB: send less at once."},
	{"unsupported_media_type", 415, first, "The body's media type is not accepted.", "Send application/json (PATCH: application/merge-patch+json as well), uncompressed."},

	{"missing_field", 422, first, "A required field is missing.", "Add the field."},
	{"unknown_field", 422, first, "The body has a member that this operation does not know.", "Remove it or correct its spelling."},
	{"invalid_type", 422, first, "The value has the wrong JSON type.", "Send the type that the reference shows; amounts and ids are strings."},
	{"invalid_value", 422, first, "The value is not one of those accepted.", "See the reference for the accepted values."},
	{"too_long", 422, first, "The value is too long.", "Shorten it."},
	{"too_short", 422, first, "The value is too short.", "Lengthen it."},
	{"out_of_range", 422, first, "The number or date lies outside the accepted range.", "See the reference for the range."},
	{"immutable_field", 422, first, "The field cannot change after creation.", "Leave it out of the patch."},
	{"conflicting_fields", 422, first, "Two fields exclude each other.", "Send one of them."},
	{"empty_patch", 422, first, "The patch changes nothing.", "Send at least one field."},
	{"missing_parameter", 422, first, "A required query parameter is missing.", "Add the parameter."},
	{"unknown_parameter", 422, first, "The operation does not know this query parameter.", "Remove it or correct its spelling."},
	{"invalid_parameter", 422, first, "The query parameter's value is not accepted.", "See the reference for the accepted values."},
	{"invalid_cursor", 422, first, "The cursor is damaged or not ours.", "Pass next_cursor unchanged, or start without after."},
	{"cursor_mismatch", 422, first, "The cursor belongs to another sort or other filters.", "Repeat the sort and filters of the first page."},
	{"idempotency_key_reused", 422, first, "The Idempotency-Key was used for a different request.", "Use a new key for each new request."},
	{"batch_empty", 422, first, "The list of items or changes is empty.", "Send 1 to 100 of them."},
	{"batch_too_large", 422, first, "The list has more than 100 items or changes.", "Split it."},
	{"unknown_category", 422, first, "There is no such category.", "See GET /v1/categories."},
	{"category_not_selectable", 422, first, "The category only groups others.", "Choose one of its descendants with selectable true."},
	{"unknown_shipping_model", 422, first, "You have no such shipping model.", "See GET /v1/shipping-models."},
	{"weight_required", 422, first, "The shipping model charges by weight.", "Add weight_grams."},
	{"unknown_delivery_service", 422, first, "There is no such delivery service.", "See GET /v1/delivery-services."},
	{"invalid_tracking_number", 422, first, "The number does not fit the delivery service.", "Check the number against the service's number_pattern."},
	{"unsupported_currency", 422, first, "The currency is not supported.", "Use EUR, USD, GBP, CAD, CHF or AUD."},
	{"currency_mismatch", 422, first, "An item's amounts must share one currency.", "Send every amount in the same currency."},
	{"date_in_past", 422, first, "The date lies in the past.", "Send a future date."},
	{"too_many_images", 422, first, "An item takes at most 99 images.", "Remove some images."},
	{"invalid_image_url", 422, first, "The image's address is not a public https URL.", "Use an https URL on a public host, at port 443 or one from 1024 on."},
	{"html_not_allowed", 422, first, "The field takes plain text.", "Remove the markup; only description accepts HTML."},
	{"invalid_webhook_url", 422, first, "The webhook's address is not a public https URL.", "Use an https URL on a public host, at port 443 or one from 1024 on."},
	{"unknown_event", 422, first, "There is no such event.", "See the event catalogue."},
	{"unknown_key", 422, sixth, "The account has no such key in this mode.", "Name keys by their ids: the part of a key between its second and its third underscore."},
	{"score_not_allowed", 422, first, "A cancelled sale takes only 25, 0 or a neutral comment.", "Choose another score."},
	{"sale_not_on_bill", 422, first, "The sale is not on this bill.", "Use the ids in the bill's sales."},

	{"rate_limited", 429, first, "Too many requests.", "Wait Retry-After seconds; the X-RateLimit headers tell the budget."},
	{"daily_item_limit_reached", 429, first, "The day's limit of new items is reached.", "Go on after Retry-After seconds, at midnight UTC."},
	{"internal_error", 500, first, "Something failed on our side.", "Repeat the request with the same Idempotency-Key; quote X-Request-Id when it persists."},
	{"service_unavailable", 503, first, "The service cannot answer just now.", "Repeat the request after Retry-After seconds with the same Idempotency-Key."},

	{"images_unreachable", 0, first, "None of the images could be used, so the item was not published.", "Make the images reachable and submit again."},
	{"image_too_large", 0, first, "The image is larger than 10 MiB, 30,000 pixels on a side or 300 million pixels.", "Serve a smaller file."},
	{"image_format_unsupported", 0, first, "The file is not a JPEG, PNG, WebP or GIF image.", "Convert the image."},
	{"publication_timeout", 0, first, "The submission could not be published before its deadline.", "Submit again."},
	{"image_unreachable", 0, first, "The image could not be fetched.", "Check that the address answers 200 to the public."},
}

// SubmissionCodes are the codes in the errors and warnings of submissions, which say how publication ended.
var SubmissionCodes = []Code{
	ImagesUnreachable, ImageTooLarge, ImageFormatUnsupported, CategoryNotSelectable, StoreLimitReached, PublicationTimeout, ImageUnreachable,
}

var errorInfoByCode = each.Keyed(ErrorCatalogue, func(info ErrorInfo) (Code, ErrorInfo) { return info.Code, info })

// LookupError finds a code's row in the catalogue.
func LookupError(code Code) (ErrorInfo, bool) {
	info, ok := errorInfoByCode[code]
	return info, ok
}

// InfoOf is a code's row in the catalogue.
func InfoOf(code Code) ErrorInfo { return errorInfoByCode[code] }
