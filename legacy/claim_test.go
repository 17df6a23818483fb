package legacy_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// countingStore counts the statements outside of transactions.
type countingStore struct {
	v1.Store
	statements *atomic.Int64
}

func (s countingStore) Reader() *ent.Client {
	s.statements.Add(1)
	return s.Store.Reader()
}

func (s countingStore) Query(ctx context.Context, query string, args ...any) (v1.Rows, error) {
	s.statements.Add(1)
	return s.Store.Query(ctx, query, args...)
}

func TestAReadWithAKnownKeyIsOneStatement(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		var statements atomic.Int64
		w := newWorld(t, database(t), func(c *v1.Config) { c.Store, c.RateLimit = countingStore{c.Store, &statements}, 0 })
		item := w.List(t, servertest.FixedPrice())
		session := w.Session(t, w.Key)
		for name, read := range map[string]func() int{
			"an item of /v1":                   func() int { return w.Do(t, servertest.Request{Path: "/v1/items/" + item}).Status },
			"a page of /v1":                    func() int { return w.Do(t, servertest.Request{Path: "/v1/items"}).Status },
			"an item of /rest, with a key":     func() int { return w.Rest(t, "GET", "/rest/item/"+item, "", "X-Api-Key", w.Key).Status },
			"an item of /rest, with a session": func() int { return w.Rest(t, "GET", "/rest/item/"+item, "token="+session).Status },
		} {
			read()
			before := statements.Load()
			if status := read(); status != http.StatusOK {
				t.Fatalf("%s: %d", name, status)
			}
			if n := statements.Load() - before; n != 1 {
				t.Errorf("%s: %d statements", name, n)
			}
		}
	})
}

func TestARememberedKeyIsRefusedOnceItIsRevoked(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		var asked int64
		for name, credentials := range map[string]func(key string) (form string, header []string){
			"a key":     func(key string) (string, []string) { return "", []string{"X-Api-Key", key} },
			"a session": func(key string) (string, []string) { return "token=" + w.Session(t, key), nil },
		} {
			for _, path := range []string{"/rest/item/" + item, "/rest/item/999", "/rest/item/fixedprice/opened", "/rest/item/auction/sold"} {
				key := w.NewKey(t, w.Account, "test")
				form, header := credentials(key)
				ask := func() servertest.RestAnswer { return w.Rest(t, "GET", path, form, header...) }
				for range 3 {
					if got := ask(); got.Status == http.StatusUnauthorized {
						t.Fatalf("%s, %s: %s", name, path, got.Body)
					}
					asked++
				}
				if _, err := w.Service.RevokeKey(t.Context(), keyID(key)); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{"invalid_api_key"}, ask().Texts("body/errorCode")); diff != "" {
					t.Errorf("%s, %s (-want +got):\n%s", name, path, diff)
				}
			}
		}
		if _, err := w.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		var counted int64
		usage := servertest.Into[struct {
			Results []struct {
				Call  string `json:"call"`
				Count int64  `json:"count"`
			} `json:"results"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/account/legacy-usage"}))
		for _, row := range usage.Results {
			if row.Call != "login" {
				counted += row.Count
			}
		}
		if counted != asked {
			t.Errorf("%d calls are counted, %d were answered", counted, asked)
		}
	})
}
