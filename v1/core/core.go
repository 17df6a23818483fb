package core

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sellerd/ent"
	"sellerd/internal/base/crash"
	"sellerd/internal/base/tracing"
	"sellerd/internal/base/turns"
	"sellerd/v1/delivery"
	"sellerd/v1/feed"
	"sellerd/v1/keycheck"
	"sellerd/v1/lease"
	"sellerd/v1/numbering"
	"sellerd/v1/outbound"
	"sellerd/v1/ratelimit"
	"sellerd/v1/reference"
	"sellerd/v1/rows"
	"sellerd/v1/secret"
	"sellerd/v1/wire"
)

// Store is the database as the service needs it. internal/store implements it for SQLite and PostgreSQL.
type Store interface {
	// Reader reads outside transactions.
	Reader() *ent.Client
	// Query is QueryContext of Reader for the hot reads, for less.
	Query(ctx context.Context, query string, args ...any) (rows.Rows, error)
	// Write runs fn in one transaction and returns after the commit is durable. fn may run more than once, so it must set
	// its results anew each time. Within fn only tx may be used.
	Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error
	// Patient marks the context of a Write that is long and in no hurry: others go before it.
	Patient(ctx context.Context) context.Context
	// Late marks a statement of a Write whose result is not needed: it may be sent as late as the commit.
	Late(ctx context.Context) context.Context
	// Snapshot runs fn in one read-only transaction: all its reads see the same state.
	Snapshot(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error
	// ManyWriters says whether changes run beside each other, also those of other processes, and lock their rows. Else this process alone
	// has the database, and makes one change after another. It also says which database it is: PostgreSQL has many writers, SQLite has one.
	ManyWriters() bool
	// Claim is the statement that updates rows of a table which a query chooses and no other process holds, and returns
	// columns of them.
	Claim(table, query, set, returning string) string
	// RefreshStatistics updates the planner's statistics of tables that have grown much.
	RefreshStatistics(ctx context.Context) error
	// Erase removes what was deleted from the disk, as far as the program can: everywhere, or where that has to be done often.
	Erase(ctx context.Context, everywhere bool) error
	// SkipLocked makes a query lock its rows and pass over those that another transaction holds, and AwaitLocked makes it lock
	// its rows and wait for them. Where there is one writer, the query stays as it is.
	SkipLocked(query string) string
	AwaitLocked(query string) string
	// Announce is a condition by which a transaction takes the advisory lock on the name at a placeholder, where there are
	// many writers. Announced says whether a transaction holds the lock on a name.
	Announce(placeholder string) string
	Announced(ctx context.Context, name string) (bool, error)
	// Confirm returns once what was read before is as durable as an acknowledged change. With a synchronous standby not all that can be
	// read is. MustConfirm is an SQL expression that says whether what its statement reads has to be confirmed.
	Confirm(ctx context.Context) error
	MustConfirm() string
	// Ping fails when the database does not answer, or has no tables.
	Ping(ctx context.Context) error
	// Unavailable recognises errors that end when the database is back.
	Unavailable(err error) bool
	// Busy recognises a wait for a lock that timed out.
	Busy(err error) bool
}

// Reads answers reads, perhaps from a standby. A read sees everything that was acknowledged before it began. The methods are
// those of Store, but Snapshot may run fn twice.
//
// Reads is only for what a GET answers with. Store is for everything that decides something, such as keys, limits and the
// checks before a change.
type Reads interface {
	Reader() *ent.Client
	Query(ctx context.Context, query string, args ...any) (rows.Rows, error)
	Snapshot(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error
	ManyWriters() bool
}

// Clock gives the current time. A service and everything around it share one.
type Clock interface{ Now() time.Time }

// SystemClock is the machine's clock, in UTC.
type SystemClock struct{}

// Now is the present instant. It has no monotonic reading, as no time.Time in UTC has.
func (SystemClock) Now() time.Time { return crash.Clock(time.Now()).UTC() }

// Config is what all rooms share. Store, BaseURL and SiteURL are mandatory. Where a comment names a value or says what nil or
// zero means, that is the default.
type Config struct {
	Store Store
	Reads Reads // Store: answers the GETs
	Clock Clock // SystemClock
	// how long the process has run, by the monotonic clock, which cannot be set; by another Clock than SystemClock, if that is given
	Uptime func() time.Duration
	Random io.Reader      // crypto/rand: keys, secrets and lease tokens
	Logger *slog.Logger   // slog.Default()
	Tracer tracing.Tracer // records what requests and workers do; nil: nothing is traced

	// BaseURL is where the service is reached, without a trailing slash: http://localhost:8080.
	BaseURL string
	// SiteURL is the marketplace's own site, where an item's page is: https://www.delcampe.net.
	SiteURL string
	// Secret (32 bytes) authenticates cursors and seals webhook secrets and legacy sessions. Processes on one database must
	// share it, which secret.Keeper.Claim makes sure of. Nil makes a service for short commands: what needs the secret fails with
	// ErrNoSecret, and internal/server does not put such a service on the network.
	Secret []byte

	// RateLimit is how many requests a minute an account may make in each mode, 0 for no limit.
	RateLimit int
	// OpenItems is how many items an account may have scheduled, open or pending in each mode, 0 for no limit.
	OpenItems int
	// NewItemsPerDay is how many items an account may submit or restart on one UTC day in each mode, 0 for no limit.
	NewItemsPerDay int

	// BuyerRetentionYears is after how many years without a purchase or a bid a buyer is forgotten, 0 for never.
	BuyerRetentionYears int

	// Actor is who acts where no request does.
	Actor Actor

	// NoKeyRotation refuses that keys replace or revoke themselves.
	NoKeyRotation bool

	// AllowPrivateTargets lets images (and webhooks) be on http and private addresses: for a developer's machine.
	AllowPrivateTargets bool
	// Dial opens the connections of the default Webhooks and Images, for tests, which lead public names to their own machine by
	// it. It stands in for the lookup of names and for the guard that keeps off private addresses, and is nil in production;
	// what is asked of URLs and redirects holds all the same.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Webhooks sends events; the default is a client that is guarded against private addresses.
	Webhooks *http.Client
	// Images fetches the pictures of submissions; the default is the guarded fetcher of package outbound.
	Images ImageSource
}

// ImageSource fetches images and measures them, in the order of their URLs.
type ImageSource interface {
	FetchAll(ctx context.Context, urls []string) []outbound.FetchedImage
}

// The default limits (docs/seller/limits.md).
const (
	DefaultRateLimit      = 180
	DefaultOpenItems      = 100_000
	DefaultNewItemsPerDay = 10_000
)

// Core is what the operations of all rooms share: the database, the clock, the caller's admission and the change. It is safe for
// concurrent use.
type Core struct {
	Config    Config            // as New has checked and completed it; not changed afterwards
	Store     Store             // for changes, and for reads that decide something
	Reads     Reads             // for what GETs answer with
	elsewhere bool              // reads may be answered by another server than that of store
	IDs       *numbering.Source // of all new rows
	Reference *reference.Data   // what all sellers share: countries, categories
	limiter   *ratelimit.Limiter
	Secret    *secret.Keeper // seals and opens; without bytes it fails with ErrNoSecret. A server claims the database by it before it serves
	Cursors   rows.Key       // authenticates the cursors of pages
	Retrier   lease.Retrier  // of workers, for a database that may be away
	started   wire.Time
	counters  Counters

	Waiters    *feed.Waiters // for an owner's next event
	ownerTurns *turns.Turns[Owner]
	keys       keycheck.Memory // rows of valid keys
	touched    sync.Map        // key id → Time of its last use that is not stored yet

	rooms []Room
	types map[reflect.Type]any // the rooms by their types, for the operations
	wakes map[Worker]func()
}

// New checks the configuration and makes what the rooms stand on.
func New(c Config) (*Core, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	elsewhere := c.Reads != nil
	c.setDefaults()
	s := &Core{
		Config: c, Store: c.Store, Reads: c.Reads, elsewhere: elsewhere, Reference: reference.Load(), started: wire.TimeOf(c.Clock.Now()),
		Retrier: lease.Retrier{Store: c.Store, Pause: lease.Pause},
		IDs:     numbering.New(c.Store, c.Clock),
		limiter: ratelimit.New(c.Store, c.Clock), ownerTurns: turns.New[Owner](ChangesAtOnce),
		types: map[reflect.Type]any{}, wakes: map[Worker]func(){},
	}
	s.Waiters = s.newWaiters()
	var err error
	s.Secret, err = secret.New(secret.Config{
		Bytes: c.Secret, Store: c.Store, Clock: c.Clock, Random: c.Random,
		AccountOf: func(owner int64) (wire.ID, string) { return wire.ID(Owner(owner).Account()), Owner(owner).Mode() },
	})
	if err != nil {
		return nil, fmt.Errorf("v1: %w", err)
	}
	if c.Secret != nil {
		s.Cursors = rows.NewKey(c.Secret)
	}
	return s, nil
}

// check refuses a configuration that lacks something or contradicts itself.
func (c *Config) check() error {
	if c.Store == nil {
		return errors.New("v1: a store is required")
	}
	for _, address := range []struct{ name, value string }{{"base URL", c.BaseURL}, {"site URL", c.SiteURL}} {
		u, err := url.Parse(address.value)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.HasSuffix(address.value, "/") {
			return fmt.Errorf("v1: the %s must be http(s)://host without a trailing slash, not %q", address.name, address.value)
		}
	}
	if c.RateLimit < 0 || c.OpenItems < 0 || c.NewItemsPerDay < 0 {
		return errors.New("v1: limits cannot be negative; 0 means no limit")
	}
	if c.RateLimit > ratelimit.MostPerMinute || c.OpenItems > MaxItemLimit || c.NewItemsPerDay > MaxItemLimit {
		return fmt.Errorf("v1: limits are at most %d requests a minute and %d items", ratelimit.MostPerMinute, MaxItemLimit)
	}
	return nil
}

// setDefaults fills in what was left out.
func (c *Config) setDefaults() {
	if c.Reads == nil {
		c.Reads = c.Store
	}
	if c.Tracer != nil {
		c.Store = newTracedStore(c.Store, c.Tracer)
	}
	if c.Clock == nil {
		c.Clock = SystemClock{}
	}
	if c.Uptime == nil {
		clock, started := c.Clock, c.Clock.Now()
		c.Uptime = func() time.Duration { return clock.Now().Sub(started) }
		if _, settable := clock.(SystemClock); settable {
			began := time.Now()
			c.Uptime = func() time.Duration { return time.Since(began) } // by the monotonic clock
		}
	}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	// Only programs of an earlier interface may name http addresses, so every http address was accepted there: see CheckAddress.
	if c.Webhooks == nil {
		c.Webhooks = outbound.NewClient(outbound.Config{
			AllowPrivate: c.AllowPrivateTargets, AllowHTTP: true, IdlePerHost: delivery.SlotsPerOwner,
			Dial: c.Dial,
		})
	}
	if c.Images == nil {
		c.Images = outbound.NewImageFetcher(outbound.ImageFetcherConfig{
			Client: outbound.NewClient(outbound.Config{
				AllowPrivate: c.AllowPrivateTargets, AllowHTTP: true, MaxRedirects: 3,
				UserAgent: "sellerd-images/1", Dial: c.Dial,
			}),
			Concurrency: 256,
		})
	}
}

// Uptime is how long the process has run, by a clock that cannot be set.
func (s *Core) Uptime() time.Duration { return s.Config.Uptime() }

// Counters count the work of the workers since the program started, for the metrics.
type Counters struct {
	Published, Rejected                   atomic.Int64 // submissions
	ItemsOpened, ItemsEnded, ItemsRenewed atomic.Int64 // by the closer
	StaleLeases                           atomic.Int64 // work that was dropped because its lease had ended
	Delivered, DeliveryFailures           atomic.Int64 // attempts to send an event
}

// Counters are the workers' counts.
func (s *Core) Counters() *Counters { return &s.counters }

// Ready fails while the database cannot be used.
func (s *Core) Ready(ctx context.Context) error { return s.Store.Ping(ctx) }

// Clock is the clock of the service, which the servers around it share.
func (s *Core) Clock() Clock { return s.Config.Clock }

// Images fetches images as publication does.
func (s *Core) Images() ImageSource { return s.Config.Images }

// HasSecret says whether the service has a secret. Without one it serves short commands only.
func (s *Core) HasSecret() bool { return s.Config.Secret != nil }
