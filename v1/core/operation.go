package core

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"sellerd/v1/operators"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file describes and runs one operation. Each room has a table of its operations.

// Operation is one endpoint: its method and path, its facts for the documents, and the typed function behind it.
type Operation struct {
	Name    string
	Method  string
	Pattern string // in chi's syntax
	Status  int    // of a success
	In, Out reflect.Type

	// These are set by the traits of the same names.
	Doc                            string
	Needs                          permission.Set // empty for reference data, which every key may read
	Role                           operators.Role // that an operation of the operator needs; 0 for one of sellers
	Tagged, AnswersETag            bool
	Publishes, Locates, Batch      bool
	TestOnly, AnswersSecret, OnKey bool
	BodyLimit                      int64 // in bytes
	MayAnswer                      int   // 0 for none
	MayAnswerSince                 string
	MayOut                         reflect.Type   // what MayAnswer has instead of Out; nil for Out
	EntryCodes                     []refusal.Code // of RefusesEntries
	Since, KeyedSince, TaggedSince string         // releases of /v1

	refusals []refusal.Code // the method's error codes beyond those that the operation's shape implies: see Codes

	// recallsLate operations run before the stored answer to an Idempotency-Key is looked for, and fail if there is one.
	recallsLate bool

	claims bool // the method runs with an open claim, and lets a statement confirm it before anything is changed
	waits  bool // the method may wait for events, longer than AnswerLimit

	run func(ctx context.Context, s *Core, c *Call, in any) (any, error)
}

// These are the traits of operations, which NewOp takes.

// Doc says in a sentence or two what the operation does, for the documents.
func Doc(text string) func(*Operation) { return func(o *Operation) { o.Doc = text } }

// Needs names the permissions that a key needs for the operation.
func Needs(p permission.Set) func(*Operation) { return func(o *Operation) { o.Needs = p } }

// TestOnly operations reject live keys with test_key_only.
func TestOnly(o *Operation) { o.TestOnly = true }

// TakesBody names the largest body that the operation accepts, in bytes. A body whose members all keep to their limits must fit, in
// whatever way its characters are written: a test adds them up.
func TakesBody(limit int64) func(*Operation) { return func(o *Operation) { o.BodyLimit = limit } }

// Refuses names the error codes of the method, beyond those that the operation's shape implies. With precondition_failed the
// operation reads If-Match.
func Refuses(codes ...refusal.Code) func(*Operation) {
	return func(o *Operation) { o.refusals = append(o.refusals, codes...) }
}

// RefusesEntries names the codes with which entries of the body's list are refused. If all entries are, the answer has 422.
func RefusesEntries(codes ...refusal.Code) func(*Operation) {
	return func(o *Operation) { o.EntryCodes = append(o.EntryCodes, codes...) }
}

// Batch operations may refuse with codes of several statuses at once. The answer has the status of the first.
func Batch(o *Operation) { o.Batch = true }

// Publishes operations use the store's limits and return them in the headers X-StoreLimit.
func Publishes(o *Operation) { o.Publishes = true }

// Locates operations return the path of the created object in Location (Meta.Location).
func Locates(o *Operation) { o.Locates = true }

// Tagged operations read one object and return its ETag, which is made of the answer's bytes unless the method sets Meta.ETag.
func Tagged(o *Operation) { o.Tagged = true }

// AnswersETag operations return the ETag of the object that they changed (Meta.ETag).
func AnswersETag(o *Operation) { o.AnswersETag = true }

// AnswersSecret operations return a secret, so their answers are sealed when they are stored for an Idempotency-Key.
func AnswersSecret(o *Operation) { o.AnswersSecret = true }

// OnKey operations change the key that asks. An Idempotency-Key belongs to that key, the operator can switch them off, and the log has a
// line about each call.
func OnKey(o *Operation) { o.OnKey = true }

// MayAnswer names another status of a success, and the release of /v1 that added it.
func MayAnswer(status int, release string) func(*Operation) {
	return func(o *Operation) { o.MayAnswer, o.MayAnswerSince = status, release }
}

// MayAnswerWith is MayAnswer for a status whose data are an O (Meta.Instead).
func MayAnswerWith[O any](status int, release string) func(*Operation) {
	return func(o *Operation) {
		o.MayAnswer, o.MayAnswerSince, o.MayOut = status, release, reflect.TypeFor[O]()
	}
}

// Since names the release of /v1 that added the operation, FirstRelease without it.
func Since(release string) func(*Operation) { return func(o *Operation) { o.Since = release } }

// KeyedSince names the release from which a POST accepts an Idempotency-Key, if that is not the one of most operations.
func KeyedSince(release string) func(*Operation) {
	return func(o *Operation) { o.KeyedSince = release }
}

// TaggedSince is Tagged for an operation whose answer got its ETag in a later release than most.
func TaggedSince(release string) func(*Operation) {
	return func(o *Operation) { o.Tagged, o.TaggedSince = true, release }
}

// Claims operations run with an open claim of their key (admission.go), and let a statement confirm it (Call.ConfirmBy) before
// anything is changed. What they leave open is confirmed before the answer. Their work may be done twice.
func Claims(o *Operation) { o.claims = true }

// RecallsLate operations run before the stored answer to an Idempotency-Key is looked for, and fail if there is one.
func RecallsLate(o *Operation) { o.recallsLate = true }

// Waits operations may wait for events, within WaitLimit instead of AnswerLimit.
func Waits(o *Operation) { o.waits = true }

// IsOperators says whether the operation is one of the operator's, who has a token and no account, key or budget.
func (o *Operation) IsOperators() bool { return strings.HasPrefix(o.Pattern, OperatorPath) }

// HasBody says whether the input has a body. An operation with a body checks all of it before it rejects the request.
func (o *Operation) HasBody() bool { return wire.InputOf(o.In).Body >= 0 }

// NewInput makes the operation's input, which a transport fills.
func (o *Operation) NewInput() any { return reflect.New(o.In).Interface() }

// Run runs the operation for an admitted caller. It returns *O for success, or what MayAnswerWith names, without what the caller may
// not read, and Errors for a rejected request; any other error is a failure of the service. Both stacks use it.
func (o *Operation) Run(ctx context.Context, h Host, c *Call, in any) (any, error) {
	s := h.foundation()
	TraceFrom(ctx).Operation = o.Name
	if c.Meta.Status == 0 {
		c.Meta.Status = o.Status
	}
	if o.TestOnly && !c.Test {
		return nil, refusal.New(refusal.TestKeyOnly)
	}
	if o.Role != 0 {
		if err := PermitRole(ctx, o.Role); err != nil {
			return nil, err
		}
	}
	if err := c.Permit(o.Needs, ""); err != nil { // Enter did this, if the transport said what the request needs
		return nil, err
	}
	wire.CheckParameters(in, &c.Problems)
	if err := c.Problems.Err(); err != nil && !o.HasBody() {
		return nil, err
	}
	if !o.claims || s.elsewhere && o.Method == http.MethodGet {
		if err := s.Confirm(ctx, c); err != nil { // before anything is changed, or read where no claim is confirmed
			return nil, err
		}
	}
	out, err := o.run(ctx, s, c, in)
	if err == nil {
		out = cmp.Or(c.Meta.instead, out)
		err = c.Redact(out)
	}
	if err != nil && s.Store.Busy(err) && s.keyIsHeld(ctx, c) {
		err = refusal.Later(refusal.IdempotencyKeyInProgress, retryBusy)
	}
	return out, err
}

// Op is an operation together with the types of its input and of its result. The tables list its Operation, which both
// stacks run without knowing either type; code that means one operation uses Call.
type Op[I, O any] struct{ *Operation }

// Call runs the operation for a caller as Run does: with the result, Errors for a refusal, or another error for a failure
// of the service.
func (o Op[I, O]) Call(ctx context.Context, h Host, c *Call, in *I) (*O, error) {
	return o.Result(o.Run(ctx, h, c, in))
}

// Input is Bind with the type of the input.
func (o Op[I, O]) Input(c *Call, path map[string]string, query string, body []byte) (*I, error) {
	in, err := o.Bind(c, path, query, body)
	if err != nil {
		return nil, err
	}
	return in.(*I), nil
}

// Result gives what Run returned for this operation its type. The result of a failed run is nil.
func (o Op[I, O]) Result(out any, err error) (*O, error) {
	if err != nil {
		return nil, err
	}
	return out.(*O), nil
}

// NewOp binds an endpoint to its method, which is one of the room R. pattern is in chi's syntax, status is the HTTP status of
// a success, and the tags of I and O say where the input comes from and how both look in the documents (package wire). fn
// returns the result, refusal.Errors for a rejected request, or another error for a failure of the service. If the caller's
// Idempotency-Key has a stored answer, that is the result, and fn is not called, except with RecallsLate.
func NewOp[R, I, O any](name, method, pattern string, status int, fn func(R, context.Context, *Call, *I) (*O, error),
	traits ...func(*Operation),
) Op[I, O] {
	o := &Operation{
		Name: name, Method: method, Pattern: pattern, Status: status, BodyLimit: BodyLimit,
		In: reflect.TypeFor[I](), Out: reflect.TypeFor[O](),
		Since: FirstRelease, KeyedSince: everyKeyRelease, TaggedSince: ConditionalRelease,
	}
	o.Role = usualRole(o)
	for _, trait := range traits {
		trait(o)
	}
	room := reflect.TypeFor[R]()
	o.run = func(ctx context.Context, s *Core, c *Call, in any) (any, error) {
		if c.Idempotency == nil {
			return answered(fn(s.types[room].(R), ctx, c, in.(*I)))
		}
		c.Idempotency.secret = o.AnswersSecret
		if o.OnKey {
			c.Idempotency.Fingerprint = sha256.Sum256(append(c.Idempotency.Fingerprint[:], c.KeyID...))
		}
		out := new(O)
		if !o.recallsLate {
			if replayed, err := s.Recall(ctx, c, out); replayed || err != nil {
				return out, err
			}
		}
		for tries := 0; ; tries++ {
			c.Idempotency.freed = false
			result, err := fn(s.types[room].(R), ctx, c, in.(*I))
			if err != nil { // perhaps a twin was faster, and its answer is ours
				if replayed, recallErr := s.Recall(ctx, c, out); replayed || recallErr != nil {
					return out, recallErr
				}
			}
			var refused refusal.Errors // with a derived key perhaps because of an answer that a twin has freed since
			taken := c.Idempotency.Life > 0 && errors.As(err, &refused) && refused[0].Code == refusal.IdempotencyKeyInProgress
			if err == nil || !o.recallsLate || !c.Idempotency.freed && !taken || tries == 3 {
				return answered(result, err)
			}
		}
	}
	return Op[I, O]{o}
}

// answered is what a method has returned, without a result if it has failed.
func answered[O any](result *O, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return result, nil
}

// NoInput is the input of operations that take none.
type NoInput struct{}

// OperatorPath is what the paths of the operator API begin with.
const OperatorPath = "/operator/"

// BodyLimit is the largest body of most operations, in bytes. TakesBody names another one.
const BodyLimit = 64 << 10
