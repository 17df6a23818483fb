package v1

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Code is the stable name of an error. Messages may change or be translated; a code never changes its meaning.
type Code string

// ErrorInfo is one row of the error catalogue: what a code means and what the caller can do about it.
type ErrorInfo struct {
	Code    Code
	Status  int    // HTTP status, 0 for codes that occur only inside submissions
	Meaning string // one sentence, also the default message
	Remedy  string // what to do
}

// The codes of the contract, section 2, in its order.
const (
	MalformedJSON            Code = "malformed_json"
	InvalidIdempotencyKey    Code = "invalid_idempotency_key"
	InvalidHeader            Code = "invalid_header"
	MissingAPIKey            Code = "missing_api_key"
	InvalidAPIKey            Code = "invalid_api_key"
	AccountSuspended         Code = "account_suspended"
	TestKeyOnly              Code = "test_key_only"
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
	MethodNotAllowed         Code = "method_not_allowed"
	PayloadTooLarge          Code = "payload_too_large"
	UnsupportedMediaType     Code = "unsupported_media_type"
	ItemHasBids              Code = "item_has_bids"
	ItemPartiallySold        Code = "item_partially_sold"
	ItemNotOpen              Code = "item_not_open"
	ItemNotEditable          Code = "item_not_editable"
	ItemNotRestartable       Code = "item_not_restartable"
	StoreLimitReached        Code = "store_limit_reached"
	RatingExists             Code = "rating_exists"
	RatingWindowClosed       Code = "rating_window_closed"
	BillNotPaid              Code = "bill_not_paid"
	BillAlreadySent          Code = "bill_already_sent"
	BillCancelled            Code = "bill_cancelled"
	TrackingExists           Code = "tracking_exists"
	WebhookLimitReached      Code = "webhook_limit_reached"
	WebhookExists            Code = "webhook_exists"
	IdempotencyKeyInProgress Code = "idempotency_key_in_progress"
	LegacyAPIRetired         Code = "legacy_api_retired"
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

// ErrorCatalogue lists every code the service can answer, in the order of the contract, section 2.
var ErrorCatalogue = []ErrorInfo{
	{MalformedJSON, 400, "The body is not one well-formed JSON value.", "Send valid UTF-8 JSON without duplicate members, nested at most 32 levels deep."},
	{InvalidIdempotencyKey, 400, "The Idempotency-Key header is not 1 to 255 visible ASCII characters.", "Send a random key, such as a UUID, once."},
	{InvalidHeader, 400, "A request header cannot be understood.", "Correct the header named in field."},

	{MissingAPIKey, 401, "The request carries no API key.", "Send your key in the X-Api-Key header."},
	{InvalidAPIKey, 401, "The API key is not valid.", "Check that the key is complete, neither revoked nor expired, and sent once in X-Api-Key."},

	{AccountSuspended, 403, "The account is suspended.", "Contact the marketplace's support."},
	{TestKeyOnly, 403, "This operation works with test keys only.", "Call it with a dk_test_ key."},

	{RouteNotFound, 404, "There is nothing at this path.", "Compare the path with the reference; a trailing slash is not accepted."},
	{ItemNotFound, 404, "There is no such item.", "Check the id and that the key belongs to the item's account and mode."},
	{SubmissionNotFound, 404, "There is no such submission.", "Check the id and that the key belongs to the submission's account and mode."},
	{BatchNotFound, 404, "There is no such batch.", "Check the id and that the key belongs to the batch's account and mode."},
	{SaleNotFound, 404, "There is no such sale.", "Check the id and that the key belongs to the sale's account and mode."},
	{RatingNotFound, 404, "The sale has no rating.", "Create one with POST."},
	{BillNotFound, 404, "There is no such bill.", "Check the id and that the key belongs to the bill's account and mode."},
	{TrackingNotFound, 404, "The bill has no such tracking.", "List the bill's trackings."},
	{WebhookNotFound, 404, "There is no such webhook.", "List your webhooks."},
	{DeliveryNotFound, 404, "There is no such delivery.", "Deliveries are kept for 30 days; list them."},

	{MethodNotAllowed, 405, "This path does not accept this method.", "Use one of the methods in the Allow header."},
	{PayloadTooLarge, 413, "The body is larger than this operation accepts.", "Items take 64 KiB, batches 2 MiB: send smaller batches."},
	{UnsupportedMediaType, 415, "The body's media type is not accepted.", "Send application/json (PATCH: application/merge-patch+json as well), uncompressed."},

	{ItemHasBids, 409, "The auction has bids.", "Only the fields in details.editable_fields can still change."},
	{ItemPartiallySold, 409, "Part of the item is sold.", "Its price is fixed and its quantity cannot fall below what is sold."},
	{ItemNotOpen, 409, "The item is not open.", "Read the item's status first."},
	{ItemNotEditable, 409, "The item cannot be changed in its present state.", "Only the fields in details.editable_fields can still change; restart the item to sell it again."},
	{ItemNotRestartable, 409, "The item cannot be restarted in its present state.", "Only unsold and closed items restart; a sold one opens by itself when the last of its sales is cancelled."},
	{StoreLimitReached, 409, "The store's limit of open items is reached.", "Close items or ask for a larger store plan."},
	{RatingExists, 409, "The sale is rated already.", "Revise the rating with PATCH."},
	{RatingWindowClosed, 409, "Ratings are accepted for 60 days after the sale.", "Nothing can be done after that."},
	{BillNotPaid, 409, "The bill is not paid.", "Wait for the event payment.received."},
	{BillAlreadySent, 409, "The bill is marked as sent already.", "details.sent_at says since when."},
	{BillCancelled, 409, "The bill is cancelled.", "Do not ship it."},
	{TrackingExists, 409, "The bill has a tracking with this service and number.", "Change the existing tracking with PATCH."},
	{WebhookLimitReached, 409, "The account has as many webhooks as it may have.", "Delete a webhook first."},
	{WebhookExists, 409, "A webhook with this URL and these events exists.", "Change the existing webhook with PATCH."},
	{IdempotencyKeyInProgress, 409, "A request with this Idempotency-Key is still running.", "Repeat the request after Retry-After seconds."},

	{LegacyAPIRetired, 410, "The legacy interface was switched off on 5 October 2027.", "Follow the migration guide to /v1."},
	{PreconditionFailed, 412, "The object changed since you read it.", "Read it again and repeat with its new ETag."},

	{MissingField, 422, "A required field is missing.", "Add the field."},
	{UnknownField, 422, "The body has a member that this operation does not know.", "Remove it or correct its spelling."},
	{InvalidType, 422, "The value has the wrong JSON type.", "Send the type that the reference shows; amounts and ids are strings."},
	{InvalidValue, 422, "The value is not one of those accepted.", "See the reference for the accepted values."},
	{TooLong, 422, "The value is too long.", "Shorten it."},
	{TooShort, 422, "The value is too short.", "Lengthen it."},
	{OutOfRange, 422, "The number or date lies outside the accepted range.", "See the reference for the range."},
	{ImmutableField, 422, "The field cannot change after creation.", "Leave it out of the patch."},
	{ConflictingFields, 422, "Two fields exclude each other.", "Send one of them."},
	{EmptyPatch, 422, "The patch changes nothing.", "Send at least one field."},
	{MissingParameter, 422, "A required query parameter is missing.", "Add the parameter."},
	{UnknownParameter, 422, "The operation does not know this query parameter.", "Remove it or correct its spelling."},
	{InvalidParameter, 422, "The query parameter's value is not accepted.", "See the reference for the accepted values."},
	{InvalidCursor, 422, "The cursor is damaged or not ours.", "Pass next_cursor unchanged, or start without after."},
	{CursorMismatch, 422, "The cursor belongs to another sort or other filters.", "Repeat the sort and filters of the first page."},
	{IdempotencyKeyReused, 422, "The Idempotency-Key was used for a different request.", "Use a new key for each new request."},
	{BatchEmpty, 422, "The batch holds no items.", "Send 1 to 100 items."},
	{BatchTooLarge, 422, "The batch holds more than 100 items.", "Split it."},
	{UnknownCategory, 422, "There is no such category.", "See GET /v1/categories."},
	{CategoryNotSelectable, 422, "The category only groups others.", "Choose one of its descendants with selectable true."},
	{UnknownShippingModel, 422, "You have no such shipping model.", "See GET /v1/shipping-models."},
	{WeightRequired, 422, "The shipping model charges by weight.", "Add weight_grams."},
	{UnknownDeliveryService, 422, "There is no such delivery service.", "See GET /v1/delivery-services."},
	{InvalidTrackingNumber, 422, "The number does not fit the delivery service.", "Check the number against the service's number_pattern."},
	{UnsupportedCurrency, 422, "The currency is not supported.", "Use EUR, USD, GBP, CAD, CHF or AUD."},
	{CurrencyMismatch, 422, "An item's amounts must share one currency.", "Send every amount in the same currency."},
	{DateInPast, 422, "The date lies in the past.", "Send a future date."},
	{TooManyImages, 422, "An item takes at most 99 images.", "Remove some images."},
	{InvalidImageURL, 422, "The image's address is not a public https URL.", "Use an https URL on a public host."},
	{HTMLNotAllowed, 422, "The field takes plain text.", "Remove the markup; only description accepts HTML."},
	{InvalidWebhookURL, 422, "The webhook's address is not a public https URL.", "Use an https URL on a public host."},
	{UnknownEvent, 422, "There is no such event.", "See the event catalogue."},
	{ScoreNotAllowed, 422, "A cancelled sale takes only 25, 0 or a neutral comment.", "Choose another score."},
	{SaleNotOnBill, 422, "The sale is not on this bill.", "Use the ids in the bill's sales."},

	{RateLimited, 429, "Too many requests.", "Wait Retry-After seconds; the X-RateLimit headers tell the budget."},
	{DailyItemLimitReached, 429, "The day's limit of new items is reached.", "Go on after Retry-After seconds, at midnight UTC."},
	{InternalError, 500, "Something failed on our side.", "Repeat the request with the same Idempotency-Key; quote X-Request-Id when it persists."},
	{ServiceUnavailable, 503, "The service cannot answer just now.", "Repeat the request after Retry-After seconds with the same Idempotency-Key."},

	{ImagesUnreachable, 0, "None of the images could be used, so the item was not published.", "Make the images reachable and submit again."},
	{ImageTooLarge, 0, "The image is larger than 10 MiB.", "Serve a smaller file."},
	{ImageFormatUnsupported, 0, "The file is not a JPEG, PNG, WebP or GIF image.", "Convert the image."},
	{PublicationTimeout, 0, "The submission could not be published before its deadline.", "Submit again."},
	{ImageUnreachable, 0, "The image could not be fetched.", "Check that the address answers 200 to the public."},
}

// SubmissionCodes are those among the errors and warnings of submissions, which tell how publication ended.
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

// Error is one entry of a response's errors.
type Error struct {
	Code    Code           `json:"code"`
	Message string         `json:"message" doc:"for people; it may change"`
	Field   string         `json:"field,omitempty" doc:"dotted path into the body, or the name of a header or parameter"`
	Index   Opt[int]       `json:"index,omitempty" doc:"position in a batch"`
	Details map[string]any `json:"details,omitempty" doc:"facts that help, by code"`
	DocsURL string         `json:"docs_url,omitempty" since:"1.2.0" doc:"page about the code"`

	retryAfter time.Duration
}

// Errors answers a call instead of data. All entries share one HTTP status, the first one's.
type Errors []Error

// Error joins codes and fields; it is for logs and tests, callers read the entries.
func (e Errors) Error() string {
	var b strings.Builder
	for i, entry := range e {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(string(entry.Code))
		if entry.Field != "" {
			b.WriteString(" " + entry.Field)
		}
		b.WriteString(": " + entry.Message)
	}
	return b.String()
}

// Status is the HTTP status of the answer.
func (e Errors) Status() int {
	if len(e) == 0 {
		return http.StatusInternalServerError
	}
	if status := errorInfoByCode[e[0].Code].Status; status != 0 {
		return status
	}
	return http.StatusUnprocessableEntity
}

// RetryAfter is how long the caller should wait before trying again, 0 when waiting does not help.
func (e Errors) RetryAfter() time.Duration {
	for _, entry := range e {
		if entry.retryAfter > 0 {
			return entry.retryAfter
		}
	}
	return 0
}

// RetryAfterSeconds is RetryAfter as the header of that name has it, rounded up.
func (e Errors) RetryAfterSeconds() int { return ceilSeconds(e.RetryAfter()) }

// fail is an answer with a single code and the catalogue's message.
func fail(code Code) Errors { return Errors{newError(code, "", "")} }

// failf is an answer with a single code about one field, with a message of its own.
func failf(code Code, field, format string, args ...any) Errors {
	return Errors{newError(code, field, fmt.Sprintf(format, args...))}
}

// failWith is an answer with a single code and details.
func failWith(code Code, details map[string]any) Errors {
	entry := newError(code, "", "")
	entry.Details = details
	return Errors{entry}
}

// failLater is an answer that asks the caller to wait.
func failLater(code Code, wait time.Duration) Errors {
	entry := newError(code, "", "")
	entry.retryAfter = wait
	return Errors{entry}
}

func newError(code Code, field, message string) Error {
	if message == "" {
		message = errorInfoByCode[code].Meaning
	}
	return Error{Code: code, Field: field, Message: message}
}

// Refusal turns any error into the contract's, for every stack: ours as it is, a lost database or too little time into
// service_unavailable, everything else into internal_error. What hides behind the last two goes to the request's trace,
// where the server logs it, and is never shown. ctx is the request's own: when that has ended, the caller has gone, and
// work that was cut short for it is no failure of ours.
func (s *Service) Refusal(ctx context.Context, err error) Errors {
	var known Errors
	if errors.As(err, &known) {
		return known
	}
	late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	cut := late || s.store.Unavailable(err) || s.store.Busy(err)
	if !cut || ctx.Err() == nil {
		TraceFrom(ctx).Cause = err
	}
	if cut {
		return failLater(ServiceUnavailable, time.Second)
	}
	return fail(InternalError)
}

// documented adds the address of each code's page.
func (e Errors) documented(baseURL string) []Error {
	out := make([]Error, len(e))
	for i, entry := range e {
		entry.DocsURL = baseURL + "/errors/" + string(entry.Code)
		out[i] = entry
	}
	return out
}

// maxProblems bounds how many problems are reported of one body, so that a hostile body does not cost a huge answer.
// maxEntryProblems bounds what decoding reports of each entry of a list.
const (
	maxProblems      = 200
	maxEntryProblems = 50
)

// Problems gathers everything wrong with one input, so that the caller learns it all at once.
type Problems struct {
	list  Errors
	apart int // entries of the list that came from join
	most  int // bound of the others, 0 for maxProblems
}

// Add reports one problem. A second problem of the same field, or one inside a field reported as a whole, is dropped:
// the first explains it.
func (p *Problems) Add(code Code, field, format string, args ...any) {
	if p.full() || p.has(field) {
		return
	}
	p.list = append(p.list, newError(code, field, fmt.Sprintf(format, args...)))
}

// AddError reports a problem that is already an entry.
func (p *Problems) AddError(entry Error) {
	if !p.full() {
		p.list = append(p.list, entry)
	}
}

// join takes over what is wrong with one entry of a list. It does not count towards the bound: were there a common
// one, the errors of a batch's first item could hide those of the next, which would then be accepted.
func (p *Problems) join(other Problems) {
	p.list = append(p.list, other.list...)
	p.apart += len(other.list)
}

func (p *Problems) full() bool {
	most := maxProblems
	if p.most > 0 {
		most = p.most
	}
	return len(p.list)-p.apart >= most
}

// Err is nil when there is no problem.
func (p *Problems) Err() error {
	if len(p.list) == 0 {
		return nil
	}
	return p.list
}

func (p *Problems) has(field string) bool {
	for _, entry := range p.list {
		known := entry.Field
		if known == field || known != "" && strings.HasPrefix(field, known) && (field[len(known)] == '.' || field[len(known)] == '[') {
			return true
		}
	}
	return false
}
