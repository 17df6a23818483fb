package v1

import "sellerd/v1/refusal"

// Names of package refusal that are part of this package's public face.

type (
	Code      = refusal.Code
	Error     = refusal.Error
	ErrorInfo = refusal.ErrorInfo
	Errors    = refusal.Errors
	Index     = refusal.Index
	Problems  = refusal.Problems
)

const (
	AccountSuspended         = refusal.AccountSuspended
	BatchEmpty               = refusal.BatchEmpty
	BatchNotFound            = refusal.BatchNotFound
	BatchTooLarge            = refusal.BatchTooLarge
	BillAlreadySent          = refusal.BillAlreadySent
	BillCancelled            = refusal.BillCancelled
	BillNotFound             = refusal.BillNotFound
	BillNotPaid              = refusal.BillNotPaid
	CategoryNotSelectable    = refusal.CategoryNotSelectable
	ConflictingFields        = refusal.ConflictingFields
	CurrencyMismatch         = refusal.CurrencyMismatch
	CursorMismatch           = refusal.CursorMismatch
	DailyItemLimitReached    = refusal.DailyItemLimitReached
	DateInPast               = refusal.DateInPast
	DeliveryNotFound         = refusal.DeliveryNotFound
	EmptyPatch               = refusal.EmptyPatch
	HTMLNotAllowed           = refusal.HTMLNotAllowed
	IdempotencyKeyInProgress = refusal.IdempotencyKeyInProgress
	IdempotencyKeyReused     = refusal.IdempotencyKeyReused
	ImageFormatUnsupported   = refusal.ImageFormatUnsupported
	ImageTooLarge            = refusal.ImageTooLarge
	ImageUnreachable         = refusal.ImageUnreachable
	ImagesUnreachable        = refusal.ImagesUnreachable
	ImmutableField           = refusal.ImmutableField
	InternalError            = refusal.InternalError
	InvalidAPIKey            = refusal.InvalidAPIKey
	InvalidCursor            = refusal.InvalidCursor
	InvalidHeader            = refusal.InvalidHeader
	InvalidIdempotencyKey    = refusal.InvalidIdempotencyKey
	InvalidImageURL          = refusal.InvalidImageURL
	InvalidParameter         = refusal.InvalidParameter
	InvalidTrackingNumber    = refusal.InvalidTrackingNumber
	InvalidType              = refusal.InvalidType
	InvalidValue             = refusal.InvalidValue
	InvalidWebhookURL        = refusal.InvalidWebhookURL
	ItemHasBids              = refusal.ItemHasBids
	ItemNotEditable          = refusal.ItemNotEditable
	ItemNotFound             = refusal.ItemNotFound
	ItemNotOpen              = refusal.ItemNotOpen
	ItemNotRestartable       = refusal.ItemNotRestartable
	ItemPartiallySold        = refusal.ItemPartiallySold
	LegacyAPIRetired         = refusal.LegacyAPIRetired
	MalformedJSON            = refusal.MalformedJSON
	MethodNotAllowed         = refusal.MethodNotAllowed
	MissingAPIKey            = refusal.MissingAPIKey
	MissingField             = refusal.MissingField
	MissingParameter         = refusal.MissingParameter
	OutOfRange               = refusal.OutOfRange
	PayloadTooLarge          = refusal.PayloadTooLarge
	PreconditionFailed       = refusal.PreconditionFailed
	PublicationTimeout       = refusal.PublicationTimeout
	RateLimited              = refusal.RateLimited
	RatingExists             = refusal.RatingExists
	RatingNotFound           = refusal.RatingNotFound
	RatingWindowClosed       = refusal.RatingWindowClosed
	RouteNotFound            = refusal.RouteNotFound
	SaleNotFound             = refusal.SaleNotFound
	SaleNotOnBill            = refusal.SaleNotOnBill
	ScoreNotAllowed          = refusal.ScoreNotAllowed
	ServiceUnavailable       = refusal.ServiceUnavailable
	StoreLimitReached        = refusal.StoreLimitReached
	SubmissionNotFound       = refusal.SubmissionNotFound
	TestKeyOnly              = refusal.TestKeyOnly
	TooLong                  = refusal.TooLong
	TooManyImages            = refusal.TooManyImages
	TooShort                 = refusal.TooShort
	TrackingExists           = refusal.TrackingExists
	TrackingNotFound         = refusal.TrackingNotFound
	UnknownCategory          = refusal.UnknownCategory
	UnknownDeliveryService   = refusal.UnknownDeliveryService
	UnknownEvent             = refusal.UnknownEvent
	UnknownField             = refusal.UnknownField
	UnknownParameter         = refusal.UnknownParameter
	UnknownShippingModel     = refusal.UnknownShippingModel
	UnsupportedCurrency      = refusal.UnsupportedCurrency
	UnsupportedMediaType     = refusal.UnsupportedMediaType
	WebhookExists            = refusal.WebhookExists
	WebhookLimitReached      = refusal.WebhookLimitReached
	WebhookNotFound          = refusal.WebhookNotFound
	WeightRequired           = refusal.WeightRequired
)

var (
	ErrorCatalogue  = refusal.ErrorCatalogue
	SubmissionCodes = refusal.SubmissionCodes
)

// IndexAt is refusal.IndexAt.
func IndexAt(i int) Index { return refusal.IndexAt(i) }

// LookupError is refusal.LookupError.
func LookupError(code Code) (ErrorInfo, bool) { return refusal.LookupError(code) }
