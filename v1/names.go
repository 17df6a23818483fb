package v1

import (
	"context"
	"net/http"
	"time"

	"sellerd/v1/apikey"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/operators"
	"sellerd/v1/outbound"
	"sellerd/v1/permission"
	"sellerd/v1/ratelimit"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/secret"
	"sellerd/v1/shipping"
	"sellerd/v1/wire"
)

// This file has the names of the rooms below that belong to this package's public face.

type (
	// Of package apikey.
	KeyID = apikey.KeyID

	// Of package delivery.
	Backlog = delivery.Backlog

	// Of package operators.
	OperatorInfo = operators.Info
	OperatorRole = operators.Role

	// Of package outbound.
	FetchedImage       = outbound.FetchedImage
	ImageFetcher       = outbound.ImageFetcher
	ImageFetcherConfig = outbound.ImageFetcherConfig
	OutboundConfig     = outbound.Config
	OutboundURLError   = outbound.URLError

	// Of package permission.
	Permissions = permission.Set

	// Of package ratelimit.
	RateState = ratelimit.State

	// Of package reference.
	SandboxBuyer = reference.SandboxBuyer

	// Of package refusal.
	Code      = refusal.Code
	Error     = refusal.Error
	ErrorInfo = refusal.ErrorInfo
	Errors    = refusal.Errors
	Index     = refusal.Index
	Problems  = refusal.Problems

	// Of package rows.
	Page[T any] = rows.Page[T]
	Rows        = rows.Rows

	// Of package secret.
	ReplacedSecret    = secret.Replaced
	UnreadableWebhook = secret.UnreadableWebhook

	// Of package shipping.
	ShippingCost       = shipping.Charge
	ShippingModel      = shipping.Model
	ShippingModelInput = shipping.ModelInput
	Tracking           = shipping.Tracking
	TrackingInput      = shipping.TrackingInput

	// Of package wire.
	Amount       = wire.Amount
	BatchID      = wire.BatchID
	CostAmount   = wire.CostAmount
	Currency     = wire.Currency
	DeliveryID   = wire.DeliveryID
	DrillID      = wire.DrillID
	EventID      = wire.EventID
	ID           = wire.ID
	Money        = wire.Money
	Opt[T any]   = wire.Opt[T]
	Patch[T any] = wire.Patch[T]
	Raw[T any]   = wire.Raw[T]
	SubmissionID = wire.SubmissionID
	Time         = wire.Time
	TotalAmount  = wire.TotalAmount
	TrackingID   = wire.TrackingID
	WebhookID    = wire.WebhookID
)

const (
	// Of package delivery.
	FormatStandard      = delivery.FormatStandard
	WebhookActive       = delivery.WebhookActive
	WebhookPaused       = delivery.WebhookPaused
	WebhookDisabled     = delivery.WebhookDisabled
	DeliveryScheduled   = delivery.Scheduled
	DeliverySending     = delivery.Sending
	DeliverySucceeded   = delivery.Succeeded
	DeliveryFailed      = delivery.Failed
	DeliveryInterrupted = delivery.Interrupted
	DeliveryCancelled   = delivery.Cancelled

	// Of package ratelimit.
	MaxRequestsPerMinute = ratelimit.MostPerMinute

	// Of package outbound.
	URLForeignPort    = outbound.URLForeignPort
	URLHTTPPort       = outbound.URLHTTPPort
	URLHTTPSPort      = outbound.URLHTTPSPort
	URLHasCredentials = outbound.URLHasCredentials
	URLMalformed      = outbound.URLMalformed
	URLNotHTTP        = outbound.URLNotHTTP
	URLNotHTTPS       = outbound.URLNotHTTPS
	URLPrivateTarget  = outbound.URLPrivateTarget
	URLTooLong        = outbound.URLTooLong

	// Of package refusal.
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
	DrillLimitReached        = refusal.DrillLimitReached
	DrillNotFound            = refusal.DrillNotFound
	CursorExpired            = refusal.CursorExpired
	EventNotFound            = refusal.EventNotFound
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
	ReferenceAmbiguous       = refusal.ReferenceAmbiguous
	ItemPartiallySold        = refusal.ItemPartiallySold
	KeyAlreadyRotated        = refusal.KeyAlreadyRotated
	KeyLimitReached          = refusal.KeyLimitReached
	LegacyAPIRetired         = refusal.LegacyAPIRetired
	MalformedJSON            = refusal.MalformedJSON
	MethodNotAllowed         = refusal.MethodNotAllowed
	MissingAPIKey            = refusal.MissingAPIKey
	MissingField             = refusal.MissingField
	MissingParameter         = refusal.MissingParameter
	OutOfRange               = refusal.OutOfRange
	PayloadTooLarge          = refusal.PayloadTooLarge
	PermissionDenied         = refusal.PermissionDenied
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
	TrackingLimitReached     = refusal.TrackingLimitReached
	TrackingNotFound         = refusal.TrackingNotFound
	UnknownCategory          = refusal.UnknownCategory
	UnknownDeliveryService   = refusal.UnknownDeliveryService
	UnknownEvent             = refusal.UnknownEvent
	UnknownField             = refusal.UnknownField
	UnknownKey               = refusal.UnknownKey
	UnknownParameter         = refusal.UnknownParameter
	UnknownShippingModel     = refusal.UnknownShippingModel
	UnsupportedCurrency      = refusal.UnsupportedCurrency
	UnsupportedMediaType     = refusal.UnsupportedMediaType
	WebhookExists            = refusal.WebhookExists
	WebhookLimitReached      = refusal.WebhookLimitReached
	WebhookNotFound          = refusal.WebhookNotFound
	WeightRequired           = refusal.WeightRequired

	// Of package operators.
	ReadRole    = operators.Read
	SupportRole = operators.Support
	AdminRole   = operators.Admin

	// Of package secret.
	SecretLength = secret.Length

	// Of package wire.
	MaxAmount = wire.MaxAmount
	MaxTotal  = wire.MaxTotal
	MinAmount = wire.MinAmount

	// Of package permission.
	AllPermissions  = permission.All
	ReadPermissions = permission.Reads
)

var (
	ErrNoOperator       = operators.ErrNone
	ErrOperatorExists   = operators.ErrExists
	ErrOperatorName     = operators.ErrName
	ErrOperatorRole     = operators.ErrRole
	ErrResponseTooLarge = outbound.ErrResponseTooLarge
	ErrorCatalogue      = refusal.ErrorCatalogue
	SandboxBuyers       = reference.SandboxBuyers
	SubmissionCodes     = refusal.SubmissionCodes
	ErrNoSecret         = secret.ErrNone
	ErrOtherSecret      = secret.ErrOther
	ErrSameSecret       = secret.ErrSame
	ErrUnprovenSecret   = secret.ErrUnproven
	Currencies          = wire.Currencies
)

// Backlog is how the outbox stands, for the metrics.

// The states of webhook deliveries. Each is one attempt to send one event to one receiver.

// CheckLegacyURL is outbound.CheckLegacyURL.
func CheckLegacyURL(raw string, allowPrivate bool) error {
	return outbound.CheckLegacyURL(raw, allowPrivate)
}

// CheckOutboundURL is outbound.CheckURL.
func CheckOutboundURL(raw string, allowPrivate bool) error {
	return outbound.CheckURL(raw, allowPrivate)
}

// NewImageFetcher is outbound.NewImageFetcher.
func NewImageFetcher(cfg ImageFetcherConfig) *ImageFetcher { return outbound.NewImageFetcher(cfg) }

// NewOutboundClient is outbound.NewClient.
func NewOutboundClient(cfg OutboundConfig) *http.Client { return outbound.NewClient(cfg) }

// ProbeWebhook is delivery.Probe.
func ProbeWebhook(ctx context.Context, client *http.Client, clock Clock, url, secret string) error {
	return delivery.Probe(ctx, client, clock, url, secret)
}

// OutboundErrorCode is outbound.ErrorCode.
func OutboundErrorCode(err error) string { return outbound.ErrorCode(err) }

// IndexAt is refusal.IndexAt.
func IndexAt(i int) Index { return refusal.IndexAt(i) }

// LookupError is refusal.LookupError.
func LookupError(code Code) (ErrorInfo, bool) { return refusal.LookupError(code) }

// ParsePermissions is permission.Parse.
func ParsePermissions(list []string) (Permissions, error) { return permission.Parse(list) }

// SecretMayBeMade is secret.MayBeMade.
func SecretMayBeMade(ctx context.Context, store core.Store) (bool, error) {
	return secret.MayBeMade(ctx, store)
}

// AppendString is wire.AppendString.
func AppendString(b []byte, s string) []byte { return wire.AppendString(b, s) }

// EncodeJSON is wire.EncodeJSON.
func EncodeJSON(b []byte, v any) []byte { return wire.EncodeJSON(b, v) }

// Maybe is wire.Maybe.
func Maybe[T any](p *T) Opt[T] { return wire.Maybe(p) }

// MaybeID is wire.MaybeID.
func MaybeID(p *int64) Opt[ID] { return wire.MaybeID(p) }

// MaybeTime is wire.MaybeTime.
func MaybeTime(p *int64) Opt[Time] { return wire.MaybeTime(p) }

// RawOf is wire.RawOf.
func RawOf[T any](v T) Raw[T] { return wire.RawOf(v) }

// Some is wire.Some.
func Some[T any](v T) Opt[T] { return wire.Some(v) }

// TimeOf is wire.TimeOf.
func TimeOf(t time.Time) Time { return wire.TimeOf(t) }

// PreferredLanguage is reference.PreferredLanguage.
func PreferredLanguage(header string) string { return reference.PreferredLanguage(header) }

// LoadReference reads the reference data, which New needs. A program calls it beside work that takes a while.
func LoadReference() { reference.Load() }
