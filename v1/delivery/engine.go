package delivery

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"sellerd/ent"
	"sellerd/ent/webhook"
	"sellerd/internal/base/tracing"
	"sellerd/v1/lease"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// Store is the database as the engine needs it.
type Store interface {
	// Reader reads outside transactions.
	Reader() *ent.Client
	// Write runs fn in one transaction, more than once if need be, and returns after the commit is durable.
	Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error
	// Late marks a statement of a Write whose result is not needed: it may be sent as late as the commit.
	Late(ctx context.Context) context.Context
	// ManyWriters says whether it is PostgreSQL, which has many writers, or SQLite, which has one.
	ManyWriters() bool
	// SkipLocked makes a query lock its rows and pass over those that another process holds, and AwaitLocked makes it lock
	// its rows and wait for them. Where one writer has the database, the query stays as it is.
	SkipLocked(query string) string
	AwaitLocked(query string) string
}

// Config is what an engine is made of. All of it is mandatory but Stored and Tracer.
type Config struct {
	Store      Store
	Retrier    *lease.Retrier               // offers outcomes to the database again while that is away
	Clock      interface{ Now() time.Time } // can be set
	Uptime     func() time.Duration         // of the process, by a clock that cannot be set
	TrustClock func() error                 // fails when the clock moved while the process ran: then nothing is given up for its age
	Random     io.Reader                    // of the tokens of leases and of the random part of waits
	PrepareIDs func(context.Context) error  // makes sure that NextID can be called in a transaction
	NextID     func() int64                 // makes the id of a delivery; ids rise

	Unseal func(webhook int64, sealed []byte) (string, error) // opens a webhook's secret
	IsTest func(owner int64) bool                             // whether an owner's events are test data, which are sent less often
	Client *http.Client                                       // follows no redirects, and gives up after longestAttempt
	Logger *slog.Logger                                       // gets what the operator should look at
	Tracer tracing.Tracer                                     // records attempts; nil: nothing is traced

	// Render writes an event, given as JSON, in a format other than the standard one. The same event, url and owner must
	// give the same bytes.
	Render func(ctx context.Context, format, url, event string, owner int64) (contentType, body string, err error)
	// Stored is called with the numbers of outcomes that were stored: delivered, failed, and stale, whose leases were not
	// the engine's any more. The default counts nothing.
	Stored func(delivered, failed, stale int64)
}

// Engine delivers events to webhooks. It is safe for concurrent use; any number of engines, in any number of
// processes, may work on one database.
type Engine struct {
	config     Config
	woken      chan struct{}
	unanswered lease.Unanswered // claims whose commits were not answered
	walks      walks            // how far the walks of retention have come
	postgres   bool             // the database is PostgreSQL

	// Both are about the webhooks given. A claim passes over those that others hold; a settlement waits for them.
	lockForClaim, lockForSettling *rows.Set
}

// New checks the configuration and makes an engine.
func New(c Config) (*Engine, error) {
	if c.Stored == nil {
		c.Stored = func(_, _, _ int64) {}
	}
	for part, value := range reflect.ValueOf(c).Fields() {
		if value.IsNil() && part.Name != "Tracer" {
			return nil, errors.New("delivery: the configuration lacks " + part.Name)
		}
	}
	return &Engine{
		config: c, woken: make(chan struct{}, 1), walks: walks{last: map[*retention]int64{}}, postgres: c.Store.ManyWriters(),
		lockForClaim:    rows.NewSet(c.Store.SkipLocked(claimedWebhooks), webhook.FieldID+bigint),
		lockForSettling: rows.NewSet(c.Store.AwaitLocked(settledWebhooks), webhook.FieldID+bigint),
	}, nil
}

// now is the present instant.
func (e *Engine) now() wire.Time { return wire.TimeOf(e.config.Clock.Now()) }

// clockRight says whether something may be given up for its age.
func (e *Engine) clockRight() bool { return e.config.TrustClock() == nil }

// Wake makes the loop look for work at once; it never blocks.
func (e *Engine) Wake() {
	select {
	case e.woken <- struct{}{}:
	default:
	}
}
