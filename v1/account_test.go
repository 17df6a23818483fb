package v1_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestAnAccountSeesItselfAndItsKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		got := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account"}))
		account, prefix := v1.ID(w.Account).String(), strings.Join(strings.Split(w.Key, "_")[:3], "_")
		want := object{
			"id": account, "nickname": "anna", "email": "anna@example.com", "type": "private", "country": "BE", "language": "en",
			"currency": "EUR", "time_zone": "Europe/Brussels", "store": object{"name": "anna", "plan": "basic"},
			"rating": object{"count": 0.0, "percentage": nil}, "status": "active", "mode": "test",
			"key": object{
				"prefix": prefix, "name": "tests", "created_at": "2026-11-21T12:00:00Z", "expires_at": nil, "last_used_at": nil,
				"permissions": nil,
			},
			"sandbox":    object{"resetting": false, "reset_at": nil},
			"created_at": "2026-11-21T12:00:00Z",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("account (-want +got):\n%s", diff)
		}

		t.Run("the live key sees the same account in the other mode", func(t *testing.T) {
			live := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account", Key: w.LiveKey}))
			prefix := live["key"].(object)["prefix"].(string)
			if live["id"] != account || live["mode"] != "live" || !strings.HasPrefix(prefix, "dk_live_") || !strings.HasPrefix(w.LiveKey, prefix+"_") {
				t.Errorf("account: %v", live)
			}
		})

		t.Run("the key shows when it was last used", func(t *testing.T) {
			w.Clock.Advance(5 * time.Minute)
			w.Do(t, servertest.Request{Path: "/v1/account"})
			if _, err := w.Service.TouchKeysOnce(context.Background()); err != nil {
				t.Fatal(err)
			}
			later := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account"}))
			if used := later["key"].(object)["last_used_at"]; used != "2026-11-21T12:05:00Z" {
				t.Errorf("last_used_at is %v", used)
			}
		})

		t.Run("being used is no change of the account", func(t *testing.T) {
			read := func() (tag, used string) {
				r := w.Do(t, servertest.Request{Path: "/v1/account"})
				return r.Header.Get("ETag"), servertest.Into[object](t, r)["key"].(object)["last_used_at"].(string)
			}
			tag, used := read()
			w.Clock.Advance(5 * time.Minute)
			w.Do(t, servertest.Request{Path: "/v1/account"})
			if _, err := w.Service.TouchKeysOnce(context.Background()); err != nil {
				t.Fatal(err)
			}
			if later, usedLater := read(); later != tag || usedLater == used {
				t.Errorf("the tag %s is %s after the key, used at %s, was used at %s", tag, later, used, usedLater)
			}
			if other := w.Do(t, servertest.Request{Path: "/v1/account", Key: w.LiveKey}).Header.Get("ETag"); other == tag {
				t.Errorf("the account as another key sees it has the tag %s, too", other)
			}
		})

		t.Run("the secret is not shown", func(t *testing.T) {
			body := w.Do(t, servertest.Request{Path: "/v1/account"}).Body
			if secret := strings.Split(w.Key, "_")[3]; strings.Contains(body, secret) {
				t.Errorf("the secret is in %s", body)
			}
		})
	})
}

func readLimits(t *testing.T, w *servertest.World, key string) object {
	t.Helper()
	return servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account/limits", Key: key}))
}

func TestLimitsTellWhatIsLeft(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		submit(t, w)
		want := object{
			"requests":          object{"limit": 180.0, "remaining": 178.0, "reset_at": "2026-11-21T12:00:00.666667Z", "window_seconds": 60.0},
			"open_items":        object{"limit": 100_000.0, "used": 1.0, "remaining": 99_999.0},
			"new_items_per_day": object{"limit": 10_000.0, "used": 1.0, "remaining": 9_999.0, "reset_at": "2026-11-22T00:00:00Z"},
			"batch_items":       100.0, "images_per_item": 99.0, "page_size": object{"default": 50.0, "max": 200.0},
			"webhooks": object{"limit": 20.0, "used": 0.0}, "idempotency_retention_days": 30.0,
		}
		got := readLimits(t, w, "")
		// The instant at which the budget is whole again has microseconds; this test is not about the limiter's rounding.
		resetAt, err := time.Parse(time.RFC3339, got["requests"].(object)["reset_at"].(string))
		if wait := resetAt.Sub(servertest.Start); err != nil || wait <= 0 || wait > time.Second {
			t.Errorf("two requests are forgotten after %v: %v", wait, err)
		}
		want["requests"].(object)["reset_at"] = got["requests"].(object)["reset_at"]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("limits (-want +got):\n%s", diff)
		}
		if live := readLimits(t, w, w.LiveKey); live["open_items"].(object)["used"] != 0.0 {
			t.Errorf("the other mode counts along: %v", live["open_items"])
		}
		w.Clock.Advance(12 * time.Hour)
		if tomorrow := readLimits(t, w, "")["new_items_per_day"].(object); tomorrow["used"] != 0.0 || tomorrow["reset_at"] != "2026-11-23T00:00:00Z" {
			t.Errorf("after midnight: %v", tomorrow)
		}
	}, func(c *v1.Config) { c.RateLimit = v1.DefaultRateLimit })
}

// noLimits are the three limits when they are off.
func noLimits(used float64) object {
	return object{
		"requests":          object{"limit": 0.0, "remaining": nil, "reset_at": nil, "window_seconds": 60.0},
		"open_items":        object{"limit": 0.0, "used": used, "remaining": nil},
		"new_items_per_day": object{"limit": 0.0, "used": used, "remaining": nil, "reset_at": "2026-11-22T00:00:00Z"},
	}
}

// budgets are the three limits that can differ between accounts.
func budgets(limits object) object {
	return object{"requests": limits["requests"], "open_items": limits["open_items"], "new_items_per_day": limits["new_items_per_day"]}
}

func TestLimitsOfZeroLeaveNothingToTell(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		submit(t, w)
		if diff := cmp.Diff(noLimits(1), budgets(readLimits(t, w, ""))); diff != "" {
			t.Errorf("limits (-want +got):\n%s", diff)
		}
	}, func(c *v1.Config) { c.RateLimit, c.OpenItems, c.NewItemsPerDay = 0, 0, 0 })
}

func TestAnAccountMayHaveLimitsOfItsOwn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		set := func(requests, open, daily int) {
			t.Helper()
			err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
				_, err := tx.ExecContext(ctx, `UPDATE accounts SET limit_requests_per_minute = $1, limit_open_items = $2, limit_new_items_per_day = $3
 WHERE id = $4`, requests, open, daily, w.Account)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		set(30, 2, 3)
		submit(t, w)
		own := readLimits(t, w, "")
		got := []any{own["requests"].(object)["limit"], own["open_items"], own["new_items_per_day"].(object)["remaining"]}
		if diff := cmp.Diff([]any{30.0, object{"limit": 2.0, "used": 1.0, "remaining": 1.0}, 2.0}, got); diff != "" {
			t.Errorf("limits of its own (-want +got):\n%s", diff)
		}
		set(30, 0, 0)
		open := readLimits(t, w, "")
		got = []any{open["open_items"].(object)["remaining"], open["new_items_per_day"].(object)["remaining"]}
		if diff := cmp.Diff([]any{nil, nil}, got); diff != "" {
			t.Errorf("switched off for this account (-want +got):\n%s", diff)
		}
		submit(t, w)
		set(30, 1, 1) // fewer than are used already
		got = []any{readLimits(t, w, "")["open_items"], readLimits(t, w, "")["new_items_per_day"].(object)["remaining"]}
		if diff := cmp.Diff([]any{object{"limit": 1.0, "used": 2.0, "remaining": 0.0}, 0.0}, got); diff != "" {
			t.Errorf("a store that shrank (-want +got):\n%s", diff)
		}
		_, otherKey, _ := w.Seller(t, "bruno")
		if other := readLimits(t, w, otherKey); other["open_items"].(object)["limit"] != 100_000.0 {
			t.Errorf("another account: %v", other["open_items"])
		}
	}, func(c *v1.Config) { c.RateLimit = v1.DefaultRateLimit })
}
