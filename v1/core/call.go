package core

import (
	"cmp"
	"context"
	"crypto/sha256"
	"time"

	"github.com/go-chi/chi/v5"

	"sellerd/ent"
	"sellerd/internal/base/wrap"
	"sellerd/v1/operators"
	"sellerd/v1/permission"
	"sellerd/v1/ratelimit"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// Caller is the caller of an operation: one account in one mode, with the key that was used. Authenticate makes it.
type Caller struct {
	AccountID int64
	Owner     Owner // of the rows that the caller may see; 0 if the caller is not known
	Test      bool
	TimeZone  string        // of the account, by its IANA name
	Currency  wire.Currency // of the account
	KeyID     string        // the public id of the key

	Limits AccountLimits
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

// ModeName is "live" or "test".
func ModeName(test bool) string {
	if test {
		return "test"
	}
	return "live"
}

// Call is one run of an operation: who asks, what is asked beside the input, and what is answered beside the result. Both stacks
// make one for each request. It is for one goroutine.
type Call struct {
	Caller        // who asks; on the operator's side the account concerned, once it is known
	Operator bool // the operator asks, who has no account
	browser  bool // the operator's browser asks, which can send the token as a password

	Request
	Meta Meta

	admission

	target   string   // of Audits, on the operator's side
	snapshot Snapshot // likewise
}

// Request is what the transport knows of a request beside the operation's input.
type Request struct {
	Language    string             // one of Languages
	IfMatch     string             // the list of ETags of If-Match, empty without the header
	Idempotency *IdempotencyKeyUse // nil if the caller sent no Idempotency-Key
	Problems    refusal.Problems   // what was wrong with the input, and what a rule finds wrong before it gives up

	path *chi.RouteParams // the values in the path, until the request is answered; nil outside of HTTP

	// Needs are the permissions that the request needs. Enter refuses a key that lacks one.
	Needs permission.Set
	role  operators.Role // that the request needs on the operator's side

	// Of callers of an interface before /v1:
	Via           string // its name in the cause of events
	HTTPAddresses bool   // webhooks and pictures may have http addresses
	WholeLists    bool   // short lists have no pages
}

// Permit refuses a call whose key lacks some of the needed permissions: an error for each of them, about a field or none. BuyersRead has an
// error only if the key lacks nothing else, because releases before it promised which errors there are. Otherwise the messages name it.
func (c *Call) Permit(needed permission.Set, field string) error {
	missing := c.May.Missing(needed)
	if missing == 0 {
		return nil
	}
	named := cmp.Or(missing&^permission.BuyersRead, missing)
	var errs refusal.Errors
	for _, name := range named.Names() {
		entry := refusal.Entry(refusal.PermissionDenied, field, "The key lacks the permission "+name+".")
		if named != missing {
			entry.Message = "The key lacks the permissions " + name + " and buyers:read."
		}
		entry.Details = map[string]any{"permission": name}
		errs = append(errs, entry)
	}
	return errs
}

// ReadsBuyers says whether the answer shows the personal data of buyers.
func (c *Call) ReadsBuyers() bool { return c.Operator || c.May.Missing(permission.BuyersRead) == 0 }

// Redact hides in an answer what the caller may not read: the personal data of buyers. What is stored for an Idempotency-Key stays whole.
// Operation.Run does it, and what answers a stack without an operation.
func (c *Call) Redact(out any) error {
	if c.ReadsBuyers() {
		return nil
	}
	hides, err := wire.HidePersonal(out)
	if hides {
		c.Meta.replayedData = nil
	}
	return err
}

// IdempotencyKeyUse is an Idempotency-Key with the fingerprint of its request.
type IdempotencyKeyUse struct {
	Key         string
	Fingerprint [sha256.Size]byte // over method, path and canonical body
	Life        time.Duration     // how long the answer to a key is kept that the caller did not send; 0 for a key that was sent: IdempotencyRetention

	secret bool // the answer has a secret, so it is sealed when it is stored
	waited bool // the call waited in vain for another request with the same key
	freed  bool // the key is derived, and the request whose answer was stored has failed
}

// NotLoaded is the error for an object that a caller names and that was not loaded: the code for one that is not there, or is not the
// caller's. It is nil for a nil error.
func NotLoaded(err error, missing refusal.Code, what string, id int64) error {
	switch {
	case err == nil: // most reads end here, and need no text
		return nil
	case ent.IsNotFound(err):
		return refusal.New(missing)
	}
	return wrap.Err(err, "load %s %d", what, id)
}

// Missing is wrap.Err for a row that was looked for. If there is no such row, it is the error missing.
func Missing(err, missing error, what string, args ...any) error {
	if ent.IsNotFound(err) {
		return missing
	}
	return wrap.Err(err, what, args...)
}

// Meta is the part of an answer outside its data: the status and what the headers say.
type Meta struct {
	Status   int              // of HTTP; 0 is the operation's usual one
	Location string           // path of the created object, empty for none
	ETag     string           // with its quotes, empty for none
	Language string           // of names in the data, if the operation has chosen one
	Replayed bool             // the answer is that to an earlier request with the same Idempotency-Key
	Rate     *ratelimit.State // of the caller's budget; nil if no caller is known
	Store    *StoreLimitState // nil if the operation does not publish

	instead      any    // the data of the status that MayAnswer names, if they are of a type of their own
	replayedData []byte // the data as they are stored for the Idempotency-Key, nil without one
	beside       any    // the data of a refusal that has some, nil for none
}

// Instead answers another status than the operation's usual one with data of another type, as MayAnswerWith names them.
func (m *Meta) Instead(status int, data any) { m.Status, m.instead = status, data }

// ShowOnce says that the answer shows what its stored form does not, so that only this answer shows it.
func (m *Meta) ShowOnce() { m.replayedData = nil }

// StoreLimitState is the state of the store's limits after a call that publishes items.
type StoreLimitState struct {
	OpenLimit, OpenUsed   int // items; a limit of 0 is off
	DailyLimit, DailyUsed int
	DailyReset            wire.Time
}

// Trace has the facts of a request for its log line and metrics. The server puts one into the request's context and sets
// Proxied and InClear; the stacks fill the rest.
type Trace struct {
	Operation string // the name of the operation, of the call of /rest or else of the route; empty for an unknown path
	Account   int64
	Key       string             // the public id of the account's key that the request showed, also if it is revoked or expired
	RequestID string             // of the answer
	Operator  operators.Operator // who asks, on the operator's side
	Object    string             // on the operator's side: the id in the path; of a key that was rotated: the id of its successor
	Audited   bool               // the request is about the key that it shows, so the log has a line more about it
	Cause     error              // the cause of internal_error or service_unavailable
	Resetting bool               // the answer is that of a sandbox that is being reset, which is no failure

	Proxied bool // a trusted proxy has sent the request
	// InClear is the header by which a trusted proxy says that the request came by http, and empty otherwise.
	InClear string

	Secret bool // the answer shows a secret, or what may be one, although its operation is none that AnswersSecret

	call      *Call      // the call that is answered, nil before there is one
	operation *Operation // the operation that the call runs, nil for none or several
	carrier   carrier    // the context with the trace
}

// answers notes the call that answers the request, so that the limits of the answer are known even after a panic.
func (t *Trace) answers(o *Operation, c *Call) { t.operation, t.call = o, c }

// Route is the pattern of the operation's path, or else what Operation says; empty for an unknown path.
func (t *Trace) Route() string {
	if t.operation != nil {
		return t.operation.Pattern
	}
	return t.Operation
}

// ShowsSecret says whether the answer shows a secret. Then it must not be compressed: its length would tell whether a part that somebody
// else has chosen resembles the secret.
func (t *Trace) ShowsSecret() bool {
	return t.Secret || t.operation != nil && (t.operation.AnswersSecret || t.operation.OnKey)
}

// SameForAll says whether the answer is that of an operation which answers the same to all callers, but for the language.
func (t *Trace) SameForAll() bool {
	return t.operation != nil && t.operation.Needs == 0 && t.call.Meta.Language != ""
}

type traceKey struct{}

// carrier is the context of a request that carries its trace.
type carrier struct {
	context.Context
	trace *Trace
}

// Value implements context.Context.
func (c *carrier) Value(key any) any {
	if key == (traceKey{}) {
		return c.trace
	}
	return c.Context.Value(key)
}

// WithTrace returns a context that carries the trace. It is a part of the trace, which one context carries at most.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	t.carrier = carrier{ctx, t}
	return &t.carrier
}

// TraceFrom finds the request's trace; without one it returns a new trace, which is not read.
func TraceFrom(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return &Trace{}
}
