package core

import (
	"context"
	"crypto/sha256"
	"time"

	"sellerd/v1/keycheck"
	"sellerd/v1/permission"
	"sellerd/v1/ratelimit"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// Caller is the caller of an operation: one account in one mode, with the key that was used. Authenticate makes it.
type Caller struct {
	AccountID int64
	Owner     Owner
	Test      bool
	TimeZone  string
	Currency  wire.Currency
	KeyID     string

	Limits accountLimits
	May    permission.Set // what the key permits
}

// Owner is an account in one mode, the number that every row of a seller carries: 2 × account, + 1 in test mode.
type Owner int64

// OwnerOf is the owner of an account's rows in a mode.
func OwnerOf(account int64, test bool) Owner {
	if test {
		return Owner(account*2 + 1)
	}
	return Owner(account * 2)
}

// Account is the owner's account.
func (o Owner) Account() int64 { return int64(o) / 2 }

// Test says whether the rows are test data.
func (o Owner) Test() bool { return int64(o)%2 == 1 }

// Mode is "live" or "test".
func (o Owner) Mode() string { return ModeName(o.Test()) }

func ModeName(test bool) string {
	if test {
		return "test"
	}
	return "live"
}

// Call is one run of an operation: what the transport knows besides the input, and what the answer needs besides the
// result. Both stacks make one for each request.
type Call struct {
	Caller
	Operator bool // from the operator's API; Caller is then the account concerned, once it is known

	// Of callers of an interface before /v1:
	HTTPAddresses bool // webhooks and pictures may have http addresses
	WholeLists    bool // short lists have no pages

	// Needs are the permissions that the request needs. Enter refuses a key that lacks one.
	Needs permission.Set

	Language    string             // one of Languages
	IfMatch     string             // the ETag list of If-Match, empty when absent
	Idempotency *IdempotencyKeyUse // nil when the caller sent no Idempotency-Key
	Problems    refusal.Problems   // the problems found by decoding

	Meta Meta

	claims        bool                     // the call may claim a remembered row of its key
	Claim         *keycheck.Claim          // the claim, which is confirmed before the answer; nil if the row was read
	Charged       bool                     // the request was charged to the caller's budget
	sent          *sentBody                // what was read of the body, if the work may be done twice
	onceAdmitted  []func()                 // to be called when the claim is confirmed
	waitedForKey  bool                     // the call waited in vain for another request with the same Idempotency-Key
	sealAnswer    bool                     // seal the answer that is stored for the Idempotency-Key, since it has a secret
	ShippingTypes map[wire.ID]ShippingType // the shipping models that a batch has looked up

	browser            bool              // the operator's, which can send the token as a password
	slowBody           bool              // the caller took long to send the body
	KeepsShippingModel wire.Opt[wire.ID] // the current model of the changed item, which may be retired
}

// Permit refuses a call whose key lacks some of the needed permissions: an error for each of them, about a field or none.
func (c *Call) Permit(needed permission.Set, field string) error {
	missing := c.May.Missing(needed)
	if missing == 0 {
		return nil
	}
	var errs refusal.Errors
	for _, name := range missing.Names() {
		entry := refusal.Entry(refusal.PermissionDenied, field, "The key lacks the permission "+name+".")
		entry.Details = map[string]any{"permission": name}
		errs = append(errs, entry)
	}
	return errs
}

// IdempotencyKeyUse is an Idempotency-Key with the fingerprint of its request.
type IdempotencyKeyUse struct {
	Key         string
	Fingerprint [sha256.Size]byte // over method, path and canonical body
	Life        time.Duration     // how long the answer is kept; 0 is IdempotencyRetention
}

// Meta is the part of an answer outside its data.
type Meta struct {
	Status   int    // when it differs from the operation's usual one
	Location string // path of the created object
	ETag     string
	Replayed bool // the stored answer to an earlier request with the same Idempotency-Key
	Rate     *ratelimit.State
	Store    *StoreLimitState

	replayedData []byte
	SentBuyer    wire.ID // the buyer whom the event of a delivery shows, 0 for none
}

// StoreLimitState is the state of the store's limits after a call that publishes items.
type StoreLimitState struct {
	OpenLimit, OpenUsed   int // items; a limit of 0 is off
	DailyLimit, DailyUsed int
	DailyReset            wire.Time
}

// Trace has the facts of a request for its log line and metrics. The server puts one into the request's context and sets
// InClear; the stacks fill the rest.
type Trace struct {
	Operation string // the name of the operation, of the call of /rest or else of the route; empty for an unknown path
	Account   int64
	Key       string // the public id of the account's key that the request showed, also if it is revoked or expired
	Object    string // on the operator's side: the id in the path
	Cause     error  // the cause of internal_error or service_unavailable

	// InClear is the header by which a trusted proxy says that the request came by http, and empty otherwise.
	InClear string

	call      *Call      // the call that is answered, nil before there is one
	operation *Operation // the operation that the call runs, nil for none or several
}

// answers notes the call that answers the request, so that the limits of the answer are known even after a panic.
func (t *Trace) answers(o *Operation, c *Call) { t.operation, t.call = o, c }

type traceKey struct{}

// WithTrace returns a context that carries the trace.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceFrom finds the request's trace; without one it returns a new trace, which is not read.
func TraceFrom(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return &Trace{}
}

// ShippingType is the part of a shipping model that a batch keeps, so that 100 items need one query.
type ShippingType struct {
	Name    string
	Known   bool
	Retired bool // valid only for an item that has it already
}
