package crashtest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/base/crash"
	"sellerd/internal/proof/blackbox"
)

// upkeeps are the deaths in what no seller asks for.
var upkeeps = []struct {
	point crash.Point
	count int
	die   func(s *stage, point crash.Point, count int)
}{
	{crash.AfterErase, 1, (*stage).dieForgetting},
	{crash.MidForgetBuyer, 1, (*stage).dieForgetting},
	{crash.MidSweep, 1, (*stage).dieSweeping},
	{crash.MidPurge, 1, (*stage).diePurging},
	{crash.MidPurge, 2, (*stage).diePurging},
	{crash.AfterPurge, 1, (*stage).diePurging},
	{crash.MidReset, 1, (*stage).dieResetting},
	{crash.MidReset, 9, (*stage).dieResetting},
	{crash.BeforeResetEnds, 1, (*stage).dieResetting},
}

// dieForgetting lets the command die that forgets a buyer, in the midst of more bills than it takes at a time. Run again,
// it leaves nothing of who the buyer was, and all of what they bought.
func (s *stage) dieForgetting(point crash.Point, count int) {
	s.Helper()
	buyer := s.twoPieces()
	var id string
	for _, item := range s.seller.Publish(s, forgottenBills) {
		sale := get[soldPieces](s, "/v1/sales/"+s.id(s.post("/v1/test/items/"+item+"/purchase", buyer)))
		s.post("/v1/test/sales/"+sale.ID+"/cancel", map[string]any{}) // so that the next purchase makes a bill of its own
		id = sale.Buyer.ID
	}
	s.awaitSilence()
	before := s.takeStock()
	s.server.DieAt(s, string(point), count)
	if out, err := s.server.Command("accounts", "forget-buyer", "--buyer", id); !blackbox.Killed(err) {
		s.Fatalf("the command was not killed: %v %s", err, out)
	}
	s.server.Live(s)
	if out, err := s.server.Command("accounts", "forget-buyer", "--buyer", id); err != nil {
		s.Fatalf("%v %s", err, out)
	}
	type trace struct {
		Buyer struct {
			Nickname            string
			Email, Phone        *string
			FirstName, LastName *string
		}
		Address map[string]*string `json:"shipping_address"`
	}
	traces := slices.Concat(walkWith[trace](s, "/v1/sales", "buyer_id="+id), walkWith[trace](s, "/v1/bills", "buyer_id="+id))
	if len(traces) != 2*forgottenBills {
		s.Errorf("%d sales and bills are left of %d", len(traces), 2*forgottenBills)
	}
	for _, t := range traces {
		t.Address["country"] = nil // stays
		for name, value := range t.Address {
			if value != nil {
				s.Errorf("%s is remembered: %s", name, *value)
			}
		}
		if b := t.Buyer; b.Nickname != "forgotten-"+id || b.Email != nil || b.Phone != nil || b.FirstName != nil || b.LastName != nil {
			s.Errorf("the buyer is remembered: %+v", b)
		}
	}
	s.awaitChanges(before, tally{})
}

// forgottenBills is more than a transaction of the command takes.
const forgottenBills = 52

// dieSweeping lets the server die in the deletion of expired keys. One that has not expired still answers; one that has
// is free for another request; and in the end it is deleted.
func (s *stage) dieSweeping(point crash.Point, count int) {
	s.Helper()
	kept, expired := s.newName("key"), s.newName("key")
	r := *post("/v1/items", fixedPrice(nil))
	first := s.acknowledge(r, kept)
	s.acknowledge(r, expired)
	s.awaitSilence()
	before := s.takeStock()
	s.server.Kill(s)
	s.change(func(ctx context.Context, tx *ent.Client) error {
		_, err := tx.ExecContext(ctx, `UPDATE idempotency_keys SET expires_at = 1 WHERE id LIKE $1`, "%/"+expired)
		return err
	})
	s.dieAtStart(point, count)
	s.await(func() bool { return s.expiredKeys() == 0 })
	if n := s.expiredKeys(); n != 0 {
		s.Errorf("%d expired keys are still there", n)
	}
	if got := s.acknowledge(r, kept); !got.Replayed || string(got.Data) != string(first.Data) {
		s.Errorf("the answer was %s and is %s (replayed: %t)", first.Data, got.Data, got.Replayed)
	}
	if got := s.acknowledge(r, expired); got.Replayed {
		s.Error("an expired key was replayed")
	}
	s.awaitChanges(before, listItem.want)
}

func (s *stage) expiredKeys() (n int) {
	s.Helper()
	s.change(func(ctx context.Context, tx *ent.Client) error {
		rows, err := tx.QueryContext(ctx, `SELECT count(*) FROM idempotency_keys WHERE expires_at = 1`)
		if err != nil {
			return err
		}
		defer rows.Close()
		rows.Next()
		return rows.Scan(&n)
	})
	return n
}

// dieAtStart lets a server die in the upkeep that it begins with, and starts another one.
func (s *stage) dieAtStart(point crash.Point, count int) {
	s.Helper()
	s.server.DieAt(s, string(point), count)
	s.server.StartToDie(s)
	s.start()
}

// diePurging lets the server die in the deletion of what is older than 30 days. In the end that is gone, and what is
// younger is there and can be sent again.
func (s *stage) diePurging(point crash.Point, count int) {
	s.Helper()
	s.post("/v1/webhooks/"+s.webhook+"/test", map[string]any{"event": "item.moved"})
	s.awaitSilence()
	before := s.takeStock()
	young := s.seller.Deliveries(s, "")[0] // the newest
	s.server.Kill(s)
	s.ageDeliveries(31 * 24 * time.Hour)
	s.dieAtStart(point, count)
	var log []string
	s.await(func() bool { log = s.eventsInLog(); return len(log) == 1 })
	if diff := cmp.Diff([]string{young.EventID}, log); diff != "" {
		s.Errorf("the log of deliveries is about (- want, + got):\n%s", diff)
	}
	s.post("/v1/webhook-deliveries/"+young.ID+"/redeliver", map[string]any{})
	s.awaitChanges(before, tally{}) // it is the same event
}

func (s *stage) eventsInLog() (events []string) {
	s.Helper()
	for _, d := range s.seller.Deliveries(s, "") {
		events = append(events, d.EventID)
	}
	return events
}

// ageDeliveries lets time pass for all events but the newest, and their deliveries.
func (s *stage) ageDeliveries(by time.Duration) {
	s.Helper()
	shift := fmt.Sprint(by.Microseconds())
	s.change(func(ctx context.Context, tx *ent.Client) error {
		for _, statement := range []string{
			`UPDATE deliveries SET created_at = created_at - SHIFT WHERE event_id < (SELECT max(id) FROM events)`,
			`UPDATE events SET created_at = created_at - SHIFT WHERE id < (SELECT max(id) FROM events)`,
		} {
			if _, err := tx.ExecContext(ctx, strings.ReplaceAll(statement, "SHIFT", shift)); err != nil {
				return err
			}
		}
		return nil
	})
}

// dieResetting lets the server die while it removes the test data of another seller. The next server removes the rest, the
// request for it is known, and the first seller has all it had.
func (s *stage) dieResetting(point crash.Point, count int) {
	s.Helper()
	s.awaitSilence()
	before, first := s.takeStock(), s.seller
	s.seller = blackbox.NewSeller(s, s.server, s.newName("sandbox"))
	s.seller.Fresh = true
	items := s.seller.Publish(s, resetItems)
	s.post("/v1/test/items/"+items[0]+"/purchase", map[string]any{})
	key := s.newName("key")
	s.server.DieAt(s, string(point), count)
	// The server may die before it answers.
	if got, err := s.send(*post("/v1/test/reset", map[string]any{}), key); err == nil && got.Status != http.StatusAccepted {
		s.Fatalf("the reset: %d %s", got.Status, got.Errors)
	}
	s.server.AwaitDeath(s)
	s.start()
	if got := s.acknowledge(*post("/v1/test/reset", map[string]any{}), key); !got.Replayed {
		s.Error("the reset was done twice")
	}
	type account struct {
		Sandbox struct {
			Resetting bool
			ResetAt   *string `json:"reset_at"`
		}
	}
	var now account
	s.await(func() bool {
		now = get[account](s, "/v1/account")
		return !now.Sandbox.Resetting
	})
	if now.Sandbox.ResetAt == nil || now.Sandbox.Resetting {
		s.Errorf("the sandbox is %+v", now.Sandbox)
	}
	left := len(walk[any](s, "/v1/items")) + len(walk[any](s, "/v1/sales")) + len(walk[any](s, "/v1/bills"))
	open := get[struct {
		OpenItems struct{ Used int } `json:"open_items"`
	}](s, "/v1/account/limits").OpenItems.Used
	if left != 0 || open != 0 {
		s.Errorf("%d objects are left, and %d units of the limit", left, open)
	}
	s.seller.Publish(s, 1) // as on the first day
	s.seller = first
	s.awaitChanges(before, tally{})
}

// resetItems is more than a reset removes in one transaction.
const resetItems = 450

// walkWith reads a filtered list to its end.
func walkWith[T any](s *stage, path, query string) []T {
	s.Helper()
	return slices.Collect(blackbox.Walk[T](s, s.seller.Client, path+"?limit=200&"+query))
}
