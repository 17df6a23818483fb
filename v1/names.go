package v1

import (
	"time"

	"sellerd/v1/apikey"
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

	// Of package operators.
	OperatorNameError = operators.NameError
	OperatorRole      = operators.Role

	// Of package outbound.
	FetchedImage       = outbound.FetchedImage
	ImageFetcher       = outbound.ImageFetcher
	ImageFetcherConfig = outbound.ImageFetcherConfig
	OutboundConfig     = outbound.Config

	// Of package permission.
	Permissions = permission.Set

	// Of package ratelimit.
	RateState = ratelimit.State

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
	UnreadableWebhook = secret.UnreadableWebhook

	// Of package shipping.
	ShippingCost  = shipping.Charge
	ShippingModel = shipping.Model
	TrackingInput = shipping.TrackingInput

	// Of package wire.
	Amount     = wire.Amount
	CostAmount = wire.CostAmount
	Currency   = wire.Currency
	ID         = wire.ID
	Money      = wire.Money
	Opt[T any] = wire.Opt[T]
	Raw[T any] = wire.Raw[T]
	Time       = wire.Time
	WebhookID  = wire.WebhookID
)

const (
	// Of package delivery.
	WebhookActive   = delivery.WebhookActive
	WebhookPaused   = delivery.WebhookPaused
	WebhookDisabled = delivery.WebhookDisabled

	// Of package ratelimit.
	MaxRequestsPerMinute = ratelimit.MostPerMinute

	// Of package refusal.
	AccountSuspended         = refusal.AccountSuspended
	BatchEmpty               = refusal.BatchEmpty
	BatchTooLarge            = refusal.BatchTooLarge
	CurrencyMismatch         = refusal.CurrencyMismatch
	CursorMismatch           = refusal.CursorMismatch
	DailyItemLimitReached    = refusal.DailyItemLimitReached
	HTMLNotAllowed           = refusal.HTMLNotAllowed
	IdempotencyKeyInProgress = refusal.IdempotencyKeyInProgress
	IdempotencyKeyReused     = refusal.IdempotencyKeyReused
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
	PermissionDenied         = refusal.PermissionDenied
	PreconditionFailed       = refusal.PreconditionFailed
	RateLimited              = refusal.RateLimited
	RatingExists             = refusal.RatingExists
	RouteNotFound            = refusal.RouteNotFound
	SaleNotFound             = refusal.SaleNotFound
	ServiceUnavailable       = refusal.ServiceUnavailable
	TooLong                  = refusal.TooLong
	TooShort                 = refusal.TooShort
	UnknownEvent             = refusal.UnknownEvent
	UnknownField             = refusal.UnknownField
	UnknownKey               = refusal.UnknownKey
	UnknownParameter         = refusal.UnknownParameter
	UnknownShippingModel     = refusal.UnknownShippingModel
	UnsupportedMediaType     = refusal.UnsupportedMediaType
	WebhookExists            = refusal.WebhookExists
	WebhookNotFound          = refusal.WebhookNotFound
	WeightRequired           = refusal.WeightRequired

	// Of package operators.
	ReadRole    = operators.Read
	SupportRole = operators.Support
	AdminRole   = operators.Admin

	// Of package secret.
	SecretLength = secret.Length

	// Of package permission.
	AllPermissions  = permission.All
	ReadPermissions = permission.Reads
)

var (
	ErrNoOperator     = operators.ErrNone
	ErrNoSecret       = secret.ErrNone
	ErrOtherSecret    = secret.ErrOther
	ErrSameSecret     = secret.ErrSame
	ErrUnprovenSecret = secret.ErrUnproven
	ErrorCatalogue    = refusal.ErrorCatalogue
	IndexAt           = refusal.IndexAt
	LookupError       = refusal.LookupError
	NewImageFetcher   = outbound.NewImageFetcher
	NewOutboundClient = outbound.NewClient
	ParsePermissions  = permission.Parse
	PreferredLanguage = reference.PreferredLanguage
	ProbeWebhook      = delivery.Probe
	SandboxBuyers     = reference.SandboxBuyers
	SecretMayBeMade   = secret.MayBeMade
	SubmissionCodes   = refusal.SubmissionCodes
)

// AppendString is wire.AppendString.
func AppendString(b []byte, s string) []byte { return wire.AppendString(b, s) }

// EncodeJSON is wire.EncodeJSON.
func EncodeJSON(b []byte, v any) []byte { return wire.EncodeJSON(b, v) }

// RawOf is wire.RawOf.
func RawOf[T any](v T) Raw[T] { return wire.RawOf(v) }

// Some is wire.Some.
func Some[T any](v T) Opt[T] { return wire.Some(v) }

// TimeOf is wire.TimeOf.
func TimeOf(t time.Time) Time { return wire.TimeOf(t) }

// LoadReference reads the reference data, which New needs. A program calls it beside work that takes a while.
func LoadReference() { reference.Load() }
