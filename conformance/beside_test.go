package conformance_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5/pgconn"

	"sellerd/conformance"
	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/v1"
	"sellerd/v1/permission"
)

// beside does in a world what transcripts ask for after While:.
type beside struct {
	t     *testing.T
	w     *servertest.World
	store *moodyStore
	// receiver is the status with which the receivers of webhooks answer.
	receiver atomic.Int32
}

// newBeside makes a world in which a transcript's situations can be arranged.
func newBeside(t *testing.T, url string, options ...servertest.Option) *beside {
	b := &beside{t: t}
	b.receiver.Store(http.StatusOK)
	b.w = servertest.New(t, url, func(c *v1.Config) {
		b.store = &moodyStore{Store: c.Store}
		c.Store = b.store
		c.RateLimit = plenty
		c.AllowPrivateTargets = false // as it is in production
		c.Webhooks = &http.Client{Transport: receiver{&b.receiver}}
		for _, option := range options {
			option(c)
		}
	})
	return b
}

// plenty of requests a minute: no replay meets the limit unless it wants to.
const plenty = 100_000

// receiver answers webhooks instead of the network.
type receiver struct{ status *atomic.Int32 }

func (a receiver) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	status := int(a.status.Load())
	body := io.NopCloser(strings.NewReader(http.StatusText(status)))
	return &http.Response{StatusCode: status, Proto: "HTTP/1.1", Header: http.Header{}, Body: body, Request: r}, nil
}

// runner replays transcripts against the world.
func (b *beside) runner(suite *conformance.Suite) *conformance.Runner {
	_, other, _ := b.w.Seller(b.t, "other-seller")
	return &conformance.Runner{
		Suite: suite, Base: b.w.Config.BaseURL, Nonce: "conform", Beside: b,
		Vars: map[string]string{
			"KEY": b.w.Key, "LIVE_KEY": b.w.LiveKey, "OTHER_KEY": other,
			"WEBHOOKS_KEY": b.w.LesserKey(b.t, permission.WebhooksWrite), "ITEMS_KEY": b.w.LesserKey(b.t, permission.ItemsRead|permission.AccountRead),
			"SALES_KEY": b.w.LesserKey(b.t, permission.ItemsRead|permission.SalesWrite|permission.BillsWrite|permission.WebhooksWrite),
		},
		Send:  func(r *http.Request) (*http.Response, error) { return b.w.Send(b.t, r), nil },
		Pause: func(_ context.Context, d time.Duration) error { b.w.Clock.Advance(d); return nil },
	}
}

// Work lets the workers do all that is due.
func (b *beside) Work(ctx context.Context) error {
	for _, step := range []func(context.Context) (int, error){b.w.Service.PublishOnce, b.w.Service.RefreshImagesOnce, b.w.Service.CloseDueOnce, b.w.Service.DeliverOnce, b.w.Service.ResetOnce} {
		for {
			n, err := step(ctx)
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
		}
	}
	return nil
}

// While makes true what a transcript says.
func (b *beside) While(ctx context.Context, what string) (end func() error, err error) {
	var n, status int
	if _, err := fmt.Sscanf(what, "%d days have passed", &n); err == nil {
		b.w.Clock.Advance(time.Duration(n) * 24 * time.Hour)
		return nothing, b.Work(ctx)
	}
	if _, err := fmt.Sscanf(what, "%d seconds have passed", &n); err == nil {
		b.w.Clock.Advance(time.Duration(n) * time.Second)
		return nothing, nil
	}
	if _, err := fmt.Sscanf(what, "the receiver answers %d", &status); err == nil {
		b.receiver.Store(int32(status))
		return func() error { b.receiver.Store(http.StatusOK); return nil }, b.Work(ctx)
	}
	switch what {
	case "there are twenty webhooks", "the seller has as many webhooks as one may have":
		return b.allWebhooks()
	case "receivers must be public":
		return nothing, nil // they must, as in production
	case "the calls of /rest are counted":
		_, err := b.w.Service.FlushLegacyUsageOnce(ctx)
		return nothing, err
	case "a call of /rest met a drill":
		b.w.Rest(b.t, http.MethodDelete, "/rest/item/4711", "reason=TestItem", "X-Api-Key", b.w.Key, "Legacy-Drill", "sunset")
		_, err := b.w.Service.FlushLegacyUsageOnce(ctx)
		return nothing, err
	case "the account is suspended":
		return b.account(`{"status": "suspended"}`, `{"status": "active"}`)
	case "the budget of requests is spent":
		end, err = b.account(`{"limits": {"requests_per_minute": 1}}`, fmt.Sprintf(`{"limits": {"requests_per_minute": %d}}`, plenty))
		if err == nil {
			b.w.Do(b.t, servertest.Request{Path: "/v1/account"})
			b.w.Do(b.t, servertest.Request{Path: "/v1/account", Key: b.w.LiveKey})
		}
		return end, err
	case "the store is full":
		return b.roomFor(0)
	case "the store has room for one more item":
		return b.roomFor(1)
	case "the day's new items are listed":
		return b.account(`{"limits": {"new_items_per_day": 1}}`, `{"limits": {"new_items_per_day": null}}`)
	case "the seller has nothing else", "the key is made for the replay":
		return nothing, nil // this world is a new one for each replay
	case "the key has been rotated":
		_, _, err := b.w.Service.RotateKey(ctx, strings.Split(b.w.Key, "_")[2], time.Hour)
		return nothing, err
	case "there are ten keys":
		return b.allKeys(ctx)
	case "buyers whom no seller needs are forgotten":
		return nothing, b.forget(ctx)
	case "half an hour has passed":
		b.w.Clock.Advance(30 * time.Minute)
		return nothing, nil
	case "the bill has a hundred trackings":
		return b.trackings(v1.MaxTrackings)
	case "there are ten drills":
		return nothing, b.allDrills()
	case "a drill is running for the key":
		return b.drill()
	case "the sandbox is being reset":
		return b.resetting()
	case "the sunset has passed":
		passed := max(0, translate.Sunset.Sub(b.w.Clock.Now()))
		b.w.Clock.Advance(passed)
		return func() error { b.w.Clock.Advance(-passed); return nil }, nil
	case "the program fails":
		return b.store.mood(errors.New("a mistake of ours"), nil)
	case "the database does not answer":
		return b.store.mood(context.DeadlineExceeded, nil)
	case "another request with this key is running":
		end, err = b.store.mood(nil, &pgconn.PgError{Code: "55P03", Message: "lock timeout"})
		b.store.twin.Store(true)
		return end, err
	}
	return nil, fmt.Errorf("the test does not know this situation")
}

// roomFor limits the seller's open items to those there are and some more.
func (b *beside) roomFor(more int) (end func() error, err error) {
	limits := servertest.Into[struct {
		OpenItems struct {
			Used int `json:"used"`
		} `json:"open_items"`
	}](b.t, b.w.Do(b.t, servertest.Request{Path: "/v1/account/limits"}))
	return b.account(fmt.Sprintf(`{"limits": {"open_items": %d}}`, limits.OpenItems.Used+more), `{"limits": {"open_items": null}}`)
}

func nothing() error { return nil }

// trackings has every bill count more trackings than it has.
func (b *beside) trackings(more int) (end func() error, err error) {
	add := func(n int) error {
		return b.w.Store.Write(b.t.Context(), func(ctx context.Context, tx *ent.Client) error { return tx.Bill.Update().AddTrackingCount(n).Exec(ctx) })
	}
	return func() error { return add(-more) }, add(more)
}

// resetting lets a reset of the seller's test data begin, without the worker that would end it at once.
func (b *beside) resetting() (end func() error, err error) {
	owner := int64(v1.OwnerOf(b.w.Account, true))
	write := func(change func(*ent.OwnerUpdateOne) *ent.OwnerUpdateOne) error {
		return b.w.Store.Write(b.t.Context(), func(ctx context.Context, tx *ent.Client) error { return change(tx.Owner.UpdateOneID(owner)).Exec(ctx) })
	}
	return func() error { return write((*ent.OwnerUpdateOne).ClearResettingSince) }, write(func(u *ent.OwnerUpdateOne) *ent.OwnerUpdateOne {
		return u.SetResettingSince(b.w.Clock.Now().UnixMicro())
	})
}

// drill schedules a drill with the seller's test key, and lets it begin.
func (b *beside) drill() (end func() error, err error) {
	from := b.w.Clock.Now().Add(time.Minute)
	made := b.w.Do(b.t, servertest.Request{Path: "/v1/account/legacy-drills", Body: map[string]any{"from": v1.TimeOf(from), "to": v1.TimeOf(from.Add(time.Hour))}})
	if made.Status != http.StatusCreated {
		return nil, fmt.Errorf("schedule a drill: %d %s", made.Status, made.Body)
	}
	b.w.Clock.Advance(time.Minute)
	return func() error {
		b.w.Do(b.t, servertest.Request{Method: "DELETE", Path: made.Header.Get("Location")})
		return nil
	}, nil
}

// allDrills schedules drills until the seller may have no more.
func (b *beside) allDrills() error {
	from := b.w.Clock.Now().Add(time.Hour)
	for range v1.MaxLegacyDrills {
		b.w.Do(b.t, servertest.Request{Path: "/v1/account/legacy-drills", Body: map[string]any{"from": v1.TimeOf(from), "to": v1.TimeOf(from.Add(time.Hour))}})
	}
	return nil
}

// allKeys makes live keys until the seller may have no more, and revokes them in the end.
func (b *beside) allKeys(ctx context.Context) (end func() error, err error) {
	var made []string
	for {
		_, key, err := b.w.Service.CreateKey(ctx, v1.NewKey{Account: b.w.Account, Mode: "live"})
		if errors.Is(err, v1.ErrTooManyKeys) {
			break
		}
		if err != nil {
			return nil, err
		}
		made = append(made, key.ID)
	}
	return func() error {
		for _, id := range made {
			if _, err := b.w.Service.RevokeKey(ctx, id); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// forget forgets all buyers whom no seller needs.
func (b *beside) forget(ctx context.Context) error {
	buyers, err := b.w.Store.Reader().Buyer.Query().IDs(ctx)
	for _, id := range buyers {
		if _, refused := b.w.Service.ForgetBuyer(ctx, v1.ID(id)); refused != nil && !errors.Is(refused, v1.ErrBuyerNeeded) {
			return refused
		}
	}
	return err
}

// allWebhooks makes webhooks until the seller may have no more, and removes them in the end.
func (b *beside) allWebhooks() (end func() error, err error) {
	var made []string
	for range v1.MaxWebhooks {
		r := b.w.Do(b.t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": fmt.Sprintf("https://hooks.example.com/%d", len(made)), "status": "paused"}})
		if r.Status == http.StatusConflict { // some were there
			break
		}
		made = append(made, r.Header.Get("Location"))
	}
	return func() error {
		for _, path := range made {
			if r := b.w.Do(b.t, servertest.Request{Method: "DELETE", Path: path}); r.Status != http.StatusOK {
				return fmt.Errorf("delete %s: %d %s", path, r.Status, r.Body)
			}
		}
		return nil
	}, nil
}

// account changes the seller's account, and how to change it back.
func (b *beside) account(change, back string) (end func() error, err error) {
	patch := func(body string) error {
		r := b.w.DoOperator(b.t, servertest.Request{Method: "PATCH", Path: fmt.Sprintf("/operator/accounts/%d", b.w.Account), Body: body})
		if r.Status != http.StatusOK {
			return fmt.Errorf("change the account: %d %s", r.Status, r.Body)
		}
		return nil
	}
	return func() error { return patch(back) }, patch(change)
}

// moodyStore is a store that fails on demand.
type moodyStore struct {
	v1.Store
	reads, writes atomic.Pointer[error]
	twin          atomic.Bool // another transaction seems to hold the lock on every name
}

// Announced says whether another transaction holds the lock on a name.
func (s *moodyStore) Announced(ctx context.Context, name string) (bool, error) {
	if s.twin.Load() {
		return true, nil
	}
	return s.Store.Announced(ctx, name)
}

// mood makes reads or writes fail until end is called.
func (s *moodyStore) mood(reads, writes error) (end func() error, err error) {
	if reads != nil {
		s.reads.Store(&reads)
		s.writes.Store(&reads)
	}
	if writes != nil {
		s.writes.Store(&writes)
	}
	return func() error {
		s.reads.Store(nil)
		s.writes.Store(nil)
		s.twin.Store(false)
		return nil
	}, nil
}

// Reader is a client that fails, or the store's.
func (s *moodyStore) Reader() *ent.Client {
	if err := s.reads.Load(); err != nil {
		return ent.NewClient(ent.Driver(failing{entsql.OpenDB(dialect.SQLite, nil), *err}))
	}
	return s.Store.Reader()
}

// Query fails or is the store's.
func (s *moodyStore) Query(ctx context.Context, query string, args ...any) (v1.Rows, error) {
	if err := s.reads.Load(); err != nil {
		return nil, *err
	}
	return s.Store.Query(ctx, query, args...)
}

// Snapshot fails or is the store's.
func (s *moodyStore) Snapshot(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	if err := s.reads.Load(); err != nil {
		return *err
	}
	return s.Store.Snapshot(ctx, fn)
}

// Write fails or is the store's.
func (s *moodyStore) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	if err := s.writes.Load(); err != nil {
		return *err
	}
	return s.Store.Write(ctx, fn)
}

// failing is a driver that does nothing but fail.
type failing struct {
	*entsql.Driver
	err error
}

func (f failing) Query(context.Context, string, any, any) error { return f.err }
func (f failing) Exec(context.Context, string, any, any) error  { return f.err }

// QueryContext is what ent's client calls for statements by hand.
func (f failing) QueryContext(context.Context, string, ...any) (*sql.Rows, error) {
	return nil, f.err
}

// fileName makes a name of a test out of a file's.
func fileName(file string) string { return strings.TrimSuffix(file, ".txt") }
