package legacy_test

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/translate"
)

// concrete is a pattern with numbers for its parts.
func concrete(pattern string) string { return partOfPath.ReplaceAllString(pattern, "4711") }

var (
	partOfPath = regexp.MustCompile(`\{[a-z_]+\}`)
	datetime   = regexp.MustCompile(`<Notification_Datetime>[^<]+</Notification_Datetime>`)
)

func TestTheEndComesAtItsInstant(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		ask := func() outcome { return outcomeOf(w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.Key)) }
		w.Clock.Advance(translate.Sunset.Sub(w.Clock.Now()) - time.Microsecond)
		before := ask()
		w.Clock.Advance(time.Microsecond)
		if diff := cmp.Diff([]outcome{{200, ""}, {410, "legacy_api_retired"}}, []outcome{before, ask()}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestAnAnswerAfterTheEndLeadsOn(t *testing.T) {
	w := newWorld(t, servertest.SQLite(t))
	w.Clock.Advance(translate.Sunset.Sub(w.Clock.Now()))
	for _, test := range []struct{ name, method, path, call, replacement, guide string }{
		{"a call that one operation follows", "PUT", "/rest/item/4711", "item-update", "PATCH /v1/items/{id}", "http://sellerd.test/migration#item-update"},
		{"a call that none follows", "GET", "/rest/server/time", "server-time", "", "http://sellerd.test/migration#server-time"},
		{"no call", "GET", "/rest/nothing", "", "", "http://sellerd.test/migration"},
		{"a method that was never there", "PATCH", "/rest/item/4711", "", "", "http://sellerd.test/migration"},
		{"two slashes", "GET", "//rest/seller", "", "", "http://sellerd.test/migration"},
		{"OPTIONS", "OPTIONS", "/rest/seller", "", "", "http://sellerd.test/migration"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := w.Rest(t, test.method, test.path, "")
			want := [][2]string{
				{"status", "false"},
				{"errorMsg", "The legacy interface was switched off on 5 October 2027. Follow the migration guide: " + test.guide},
				{"errorCode", "legacy_api_retired"},
			}
			if test.replacement != "" {
				want = append(want, [2]string{"replacement", test.replacement})
			}
			if diff := cmp.Diff(want, got.Elements("Notification_Data/body")[0].Children()); diff != "" || got.Status != http.StatusGone || got.Type() != test.call {
				t.Errorf("%d %s (-want +got):\n%s", got.Status, got.Type(), diff)
			}
		})
	}
}

// TestTheDrillIsTheRealThing compares what is answered to every call in a drill, with a key and without one, to what is
// answered from the sunset on.
func TestTheDrillIsTheRealThing(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		type exchange struct{ Method, Path, Body, Headers string }
		all := func(header ...string) (exchanges []exchange) {
			ask := func(method, path string) {
				got := w.Rest(t, method, path, "", header...)
				got.Header.Del("X-Request-Id")
				var headers []byte
				for _, name := range []string{"Allow", "Content-Type", "Content-Length", "Cache-Control", "Deprecation", "Link", "Retry-After", "Sunset", "X-Ratelimit-Limit"} {
					for _, value := range got.Header[name] {
						headers = append(headers, name+": "+value+"\n"...)
					}
				}
				if got.Status != http.StatusGone {
					t.Errorf("%s %s: %d", method, path, got.Status)
				}
				exchanges = append(exchanges, exchange{method, path, datetime.ReplaceAllString(got.Body, ""), string(headers)})
			}
			for _, call := range translate.Calls {
				ask(call.Method, concrete(call.Pattern))
			}
			for _, path := range []string{"/rest", "/rest/", "//rest/x", "/rest/nothing", "/rest/item/4711"} {
				for _, method := range []string{"GET", "HEAD", "OPTIONS", "PATCH", "BREW"} {
					ask(method, path)
				}
			}
			return exchanges
		}
		drill := all("Legacy-Drill", "sunset")
		withKey := all("Legacy-Drill", "Sunset", "X-Api-Key", w.Key)
		w.Clock.Advance(translate.Sunset.Sub(w.Clock.Now()))
		ended := all()
		if diff := cmp.Diff(ended, drill); diff != "" {
			t.Errorf("the drill (-sunset +drill):\n%s", diff)
		}
		if diff := cmp.Diff(ended, withKey); diff != "" {
			t.Errorf("the drill with a key (-sunset +drill):\n%s", diff)
		}
		if diff := cmp.Diff(ended, all("X-Api-Key", w.Key)); diff != "" {
			t.Errorf("the sunset with a key (-without +with):\n%s", diff)
		}
	})
}

// TestACallInADrillOrAfterTheEndIsCounted makes calls that are answered 410, with the key in each place where a program may
// have it, and looks at whose they are counted as.
func TestACallInADrillOrAfterTheEndIsCounted(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		token := w.Session(t, w.Key)
		counted := func() map[string]bool {
			t.Helper()
			if _, err := w.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			usage := servertest.Into[struct {
				Results []struct {
					Call      string  `json:"call"`
					DrilledAt *string `json:"drilled_at"`
				} `json:"results"`
			}](t, w.Do(t, servertest.Request{Path: "/v1/account/legacy-usage"}))
			calls := map[string]bool{}
			for _, row := range usage.Results {
				calls[row.Call] = row.DrilledAt != nil
			}
			return calls
		}
		ask := func(method, path, form string, header ...string) {
			t.Helper()
			if got := w.Rest(t, method, path, form, header...); got.Status != http.StatusGone {
				t.Errorf("%s %s: %d", method, path, got.Status)
			}
		}
		all := func(header ...string) {
			ask("POST", "/rest/seller", "apikey="+w.Key, header...)
			ask("GET", "/rest/seller?token="+token, "", header...)
			ask("POST", "/rest/item", "title=Postcard&token="+token, header...)
			ask("GET", "/rest/item/fields/auction", "", append(header, "X-Api-Key", w.Key)...)
			ask("GET", "/rest/server/time", "", header...)
			ask("GET", "/rest/nothing?token="+token, "", header...)
			ask("GET", "/rest/category?token=nonsense", "", header...)
			ask("GET", "/rest/shippingModels?token=%zz", "", header...)
			ask("POST", "/rest/items", "token="+token+"&a[b=1%", header...)
			ask("GET", "/rest/category?apikey="+w.Key, "", header...) // a place where no program should have it
			ask("PUT", "/rest/item/4711?token="+token, "a[b=1%", header...)
		}
		all("Legacy-Drill", "sunset")
		want := map[string]bool{"login": true, "seller": true, "item-create": true, "fields": true, "categories": true, "item-update": true}
		if diff := cmp.Diff(want, counted()); diff != "" {
			t.Errorf("calls that met a drill (-want +got):\n%s", diff)
		}
		w.Clock.Advance(translate.Sunset.Sub(w.Clock.Now()))
		all()
		ask("DELETE", "/rest/item/4711?token="+token, "")
		want["item-close"] = false
		if diff := cmp.Diff(want, counted()); diff != "" {
			t.Errorf("calls after the end, with a session that has ended (-want +got):\n%s", diff)
		}
	})
}
