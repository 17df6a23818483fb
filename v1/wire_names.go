package v1

import (
	"time"

	"sellerd/v1/wire"
)

// Names of package wire that are part of this package's public face.

type (
	Amount       = wire.Amount
	BatchID      = wire.BatchID
	CostAmount   = wire.CostAmount
	Currency     = wire.Currency
	DeliveryID   = wire.DeliveryID
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
	MaxAmount = wire.MaxAmount
	MaxTotal  = wire.MaxTotal
	MinAmount = wire.MinAmount
)

var Currencies = wire.Currencies

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
