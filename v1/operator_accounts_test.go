package v1_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func accountID(w *servertest.World) string { return v1.ID(w.Account).String() }

// patchAccount changes an account and returns it.
func patchAccount(t *testing.T, w *servertest.World, path string, patch object) object {
	t.Helper()
	got := w.DoOperator(t, servertest.Request{Method: http.MethodPatch, Path: path, Body: patch})
	if got.Status != 200 {
		t.Fatalf("PATCH %s: %d %s", path, got.Status, got.Body)
	}
	return servertest.Into[object](t, got)
}

func noOwnLimits() object {
	return object{"requests_per_minute": nil, "open_items": nil, "new_items_per_day": nil}
}

func TestTheOperatorMakesAccounts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, test := range []struct {
			name       string
			body, want object
		}{
			{
				"a nickname and an address are enough",
				object{"nickname": "bruno", "email": "bruno@example.com"},
				object{
					"nickname": "bruno", "email": "bruno@example.com", "type": "private", "country": "FR", "language": "en", "currency": "EUR",
					"time_zone": "Europe/Brussels", "store": object{"name": "bruno", "plan": "basic"}, "status": "active",
					"rating": object{"count": 0.0, "percentage": nil}, "limits": noOwnLimits(), "created_at": "2026-11-21T12:00:00Z", "closed_at": nil, "erase_at": nil,
				},
			},
			{
				"everything can be said",
				object{
					"nickname": "Été.1", "email": "e@example.com", "type": "professional", "country": "CH", "language": "fr", "currency": "USD",
					"time_zone": "Europe/Zurich", "store": object{"name": "L'été", "plan": "gold"},
				},
				object{
					"nickname": "Été.1", "email": "e@example.com", "type": "professional", "country": "CH", "language": "fr", "currency": "USD",
					"time_zone": "Europe/Zurich", "store": object{"name": "L'été", "plan": "gold"}, "status": "active",
					"rating": object{"count": 0.0, "percentage": nil}, "limits": noOwnLimits(), "created_at": "2026-11-21T12:00:00Z", "closed_at": nil, "erase_at": nil,
				},
			},
			{
				"the currency is the country's, and a store may be named alone",
				object{"nickname": "heidi", "email": "h@example.com", "country": "CH", "store": object{"name": "Alpöhi"}},
				object{
					"nickname": "heidi", "email": "h@example.com", "type": "private", "country": "CH", "language": "en", "currency": "CHF",
					"time_zone": "Europe/Brussels", "store": object{"name": "Alpöhi", "plan": "basic"}, "status": "active",
					"rating": object{"count": 0.0, "percentage": nil}, "limits": noOwnLimits(), "created_at": "2026-11-21T12:00:00Z", "closed_at": nil, "erase_at": nil,
				},
			},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.DoOperator(t, servertest.Request{Path: "/operator/accounts", Body: test.body})
				account := servertest.Into[object](t, got)
				test.want["id"] = account["id"]
				if diff := cmp.Diff(test.want, account); diff != "" || got.Status != 201 {
					t.Errorf("%d, account (-want +got):\n%s", got.Status, diff)
				}
				if want := "/operator/accounts/" + account["id"].(string); got.Header.Get("Location") != want {
					t.Errorf("Location: %q instead of %q", got.Header.Get("Location"), want)
				}
			})
		}
	})
}

func TestAccountsAreRefusedWithEverythingThatIsWrong(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, test := range []struct {
		name  string
		body  any
		codes []string
	}{
		{"nothing", object{}, []string{"missing_field nickname", "missing_field email"}},
		{
			"all of it",
			object{
				"nickname": "a b c", "email": "nowhere", "type": "public", "country": "XX", "language": "pt", "currency": "JPY", "time_zone": "Local",
				"store": object{"name": "", "plan": strings.Repeat("x", 41), "colour": "red"}, "status": "active",
			},
			[]string{
				"invalid_value nickname", "invalid_value email", "invalid_value type", "invalid_value country", "invalid_value language",
				"unsupported_currency currency", "invalid_value time_zone", "too_short store.name", "too_long store.plan",
				"unknown_field store.colour", "unknown_field status",
			},
		},
		{"a nickname too short", object{"nickname": "ab", "email": "a@example.com"}, []string{"too_short nickname"}},
		{"a nickname too long", object{"nickname": strings.Repeat("a", 41), "email": "a@example.com"}, []string{"too_long nickname"}},
		{"a nickname that is taken", object{"nickname": "anna", "email": "a@example.com"}, []string{"invalid_value nickname"}},
		{"a nickname that is taken in small letters", object{"nickname": "ANNA", "email": "a@example.com"}, []string{"invalid_value nickname"}},
		{"an address with a name", object{"nickname": "bruno", "email": "B <b@example.com>"}, []string{"invalid_value email"}},
		{"a time zone that climbs", object{"nickname": "bruno", "email": "b@example.com", "time_zone": "../UTC"}, []string{"invalid_value time_zone"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := w.DoOperator(t, servertest.Request{Path: "/operator/accounts", Body: test.body})
			if diff := cmp.Diff(test.codes, got.Codes(), sortStrings); diff != "" || got.Status != 422 {
				t.Errorf("%d, codes (-want +got):\n%s", got.Status, diff)
			}
		})
	}
	if n := w.Count(t, "accounts", "1 = 1"); n != 1 {
		t.Errorf("there are %d accounts", n)
	}
}

// TestDigitsNameAnID makes an account whose nickname is the id of no account, or of another. The commands must not take the one for the other.
func TestDigitsNameAnID(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		next := strconv.FormatInt(w.Account+2, 10)
		for _, nickname := range []string{next, "bruno"} {
			w.DoOperator(t, servertest.Request{Path: "/operator/accounts", Body: object{"nickname": nickname, "email": nickname + "@example.com"}})
		}
		if got, err := w.Service.NamedAccount(t.Context(), next); err != nil || got != w.Account+2 {
			t.Errorf("%s is %d, %v", next, got, err)
		}
		const nobody = "777777"
		w.DoOperator(t, servertest.Request{Path: "/operator/accounts", Body: object{"nickname": nobody, "email": "nobody@example.com"}})
		if got, err := w.Service.NamedAccount(t.Context(), nobody); err == nil || !strings.Contains(err.Error(), nobody+", nobody@example.com") {
			t.Errorf("%s is %d, %v", nobody, got, err)
		}
	})
}

func TestAnAccountIsMadeOnceForItsIdempotencyKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		request := servertest.Keyed("new-bruno", "/operator/accounts", object{"nickname": "bruno", "email": "bruno@example.com"})
		first, again := w.DoOperator(t, request), w.DoOperator(t, request)
		if first.Status != 201 || again.Status != 201 || again.Body != first.Body || again.Header.Get("Location") != first.Header.Get("Location") {
			t.Errorf("first %d %s\nagain %d %s", first.Status, first.Body, again.Status, again.Body)
		}
	})
}

func TestTheOperatorChangesAccounts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/operator/accounts/" + accountID(w)
		for _, step := range []struct {
			name  string
			patch object
			want  object // status, store and limits after it
		}{
			{
				"some limits",
				object{"limits": object{"requests_per_minute": 30, "open_items": 0}},
				object{"status": "active", "store": object{"name": "anna", "plan": "basic"}, "limits": object{
					"requests_per_minute": 30.0, "open_items": 0.0,
					"new_items_per_day": nil,
				}},
			},
			{
				"another limit leaves those alone",
				object{"limits": object{"new_items_per_day": 7}},
				object{"status": "active", "store": object{"name": "anna", "plan": "basic"}, "limits": object{
					"requests_per_minute": 30.0, "open_items": 0.0,
					"new_items_per_day": 7.0,
				}},
			},
			{
				"null is the default again",
				object{"limits": object{"requests_per_minute": nil}, "store": object{"plan": "gold"}},
				object{"status": "active", "store": object{"name": "anna", "plan": "gold"}, "limits": object{
					"requests_per_minute": nil, "open_items": 0.0,
					"new_items_per_day": 7.0,
				}},
			},
			{
				"no limits at all, and another state",
				object{"limits": nil, "status": "suspended", "store": object{"name": "Chez Anna"}},
				object{"status": "suspended", "store": object{"name": "Chez Anna", "plan": "gold"}, "limits": noOwnLimits()},
			},
		} {
			t.Run(step.name, func(t *testing.T) {
				account := patchAccount(t, w, path, step.patch)
				got := object{"status": account["status"], "store": account["store"], "limits": account["limits"]}
				if diff := cmp.Diff(step.want, got); diff != "" {
					t.Errorf("account (-want +got):\n%s", diff)
				}
			})
		}
		for _, test := range []struct {
			name, path string
			patch      any
			status     int
			codes      []string
		}{
			{"nothing", path, object{}, 422, []string{"empty_patch"}},
			{"limits that name none", path, object{"limits": object{}}, 422, []string{"empty_patch"}},
			{"no status", path, object{"status": nil}, 422, []string{"missing_field status"}},
			{"no store", path, object{"store": nil}, 422, []string{"missing_field store.name", "missing_field store.plan"}},
			{"no store's name", path, object{"store": object{"name": nil}}, 422, []string{"missing_field store.name"}},
			{
				"everything wrong", path,
				object{"status": "asleep", "store": "x", "limits": object{"requests_per_minute": -1, "open_items": "5", "new_items_per_day": 2e9, "x": 1}, "country": "BE"},
				422,
				[]string{
					"invalid_value status", "invalid_type store", "out_of_range limits.requests_per_minute", "invalid_type limits.open_items",
					"out_of_range limits.new_items_per_day", "unknown_field limits.x", "unknown_field country",
				},
			},
			{"an account that is not there", "/operator/accounts/99", object{"status": "active"}, 404, []string{"route_not_found"}},
			{"an account that cannot be", "/operator/accounts/anna", object{"status": "active"}, 404, []string{"route_not_found"}},
		} {
			t.Run(test.name+" is refused", func(t *testing.T) {
				got := w.DoOperator(t, servertest.Request{Method: http.MethodPatch, Path: test.path, Body: test.patch})
				if diff := cmp.Diff(test.codes, got.Codes(), sortStrings); diff != "" || got.Status != test.status {
					t.Errorf("%d instead of %d, codes (-want +got):\n%s", got.Status, test.status, diff)
				}
			})
		}
	})
}

func TestAnAccountIsChangedAsItWasLastSeen(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	change := func(plan, ifMatch string) servertest.Response {
		return w.DoOperator(t, servertest.Request{
			Method: http.MethodPatch, Path: "/operator/accounts/" + accountID(w), Body: object{"store": object{"plan": plan}},
			Header: map[string]string{"If-Match": ifMatch},
		})
	}
	first := change("gold", "*").Header.Get("ETag")
	second := change("silver", first)
	if second.Status != 200 || second.Header.Get("ETag") == first {
		t.Errorf("with the tag of the change before: %d %v", second.Status, second.Header)
	}
	if diff := cmp.Diff([]string{"precondition_failed If-Match"}, change("bronze", first).Codes()); diff != "" {
		t.Errorf("with an old tag (-want +got):\n%s", diff)
	}
}

func TestLimitsCountFromTheNextRequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/operator/accounts/" + accountID(w)
		submitted := func() servertest.Response {
			return w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		}
		if got := submitted(); got.Status != 202 || got.Header.Get("X-StoreLimit-Limit") != "100000" {
			t.Fatalf("before: %d %v", got.Status, got.Header)
		}
		patchAccount(t, w, path, object{"limits": object{"open_items": 1}})
		if diff := cmp.Diff([]string{"store_limit_reached"}, submitted().Codes()); diff != "" {
			t.Errorf("with one open item allowed (-want +got):\n%s", diff)
		}
		patchAccount(t, w, path, object{"limits": object{"open_items": 2, "new_items_per_day": 1}})
		if diff := cmp.Diff([]string{"daily_item_limit_reached"}, submitted().Codes()); diff != "" {
			t.Errorf("with one item a day (-want +got):\n%s", diff)
		}
		patchAccount(t, w, path, object{"limits": object{"open_items": nil, "new_items_per_day": 0, "requests_per_minute": 1}})
		if got := submitted(); got.Status != 202 || got.Header.Get("X-RateLimit-Limit") != "1" || got.Header.Get("X-StoreLimit-Daily-Limit") != "0" {
			t.Errorf("with one request a minute: %d %v", got.Status, got.Header)
		}
		if diff := cmp.Diff([]string{"rate_limited"}, submitted().Codes()); diff != "" {
			t.Errorf("the second request (-want +got):\n%s", diff)
		}
		w.Clock.Advance(time.Minute)
		if got := submitted(); got.Status != 202 {
			t.Errorf("a minute later: %d %s", got.Status, got.Body)
		}
	})
}
