package legacy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// endHeaders are the headers about the end of /rest, which every answer has. call is its anchor in the guide, "" for none.
func endHeaders(call, successor string) http.Header {
	page := "http://sellerd.test/migration"
	if call != "" {
		page += "#" + call
	}
	h := http.Header{
		"Deprecation":            {"@1791158400"},
		"Sunset":                 {"Tue, 05 Oct 2027 00:00:00 GMT"},
		"Link":                   {"<" + page + `>; rel="deprecation"; type="text/html"`, `<http://sellerd.test/migration#sunset>; rel="sunset"; type="text/html"`},
		"Cache-Control":          {"no-store"},
		"Content-Type":           {"application/xml; charset=utf-8"},
		"X-Content-Type-Options": {"nosniff"},
	}
	if successor != "" {
		h["Link"] = append(h["Link"], "<http://sellerd.test"+successor+`>; rel="successor-version"`)
	}
	return h
}

// checkEndHeaders compares the headers of an answer that are about the end of /rest.
func checkEndHeaders(t *testing.T, want http.Header, got http.Header) {
	t.Helper()
	said := http.Header{}
	for name := range want {
		said[name] = got[name]
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

// broken is a body that makes its reader panic.
type broken struct{}

func (broken) Read([]byte) (int, error) { panic("boom") }

func TestEveryAnswerAnnouncesTheEnd(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		ask := func(method, path string, body io.Reader, header ...string) *http.Request {
			r := httptest.NewRequest(method, path, body)
			r.Header.Set("X-Api-Key", w.Key)
			for i := 0; i+1 < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			return r
		}
		gone, leave := context.WithCancel(context.Background())
		leave()
		for _, test := range []struct {
			name            string
			request         *http.Request
			status          int
			call, successor string
		}{
			{"an answer", ask("GET", "/rest/server/time", nil), 200, "server-time", ""},
			{"an answer that /v1 has, too", ask("GET", "/rest/item/"+item, nil), 200, "item", "/v1/items/" + item},
			{"an answer to HEAD", ask("HEAD", "/rest/item/"+item, nil), 200, "item", "/v1/items/" + item},
			{"an answer to OPTIONS", ask("OPTIONS", "/rest/item/"+item, nil), 200, "", ""},
			{"a query that cannot be read", ask("GET", "/rest/seller?x=%zz", nil), 400, "seller", "/v1/account"},
			{"a caller without a key", ask("GET", "/rest/seller", nil, "X-Api-Key", ""), 401, "seller", "/v1/account"},
			{"an item that is not there", ask("GET", "/rest/item/0099", nil), 404, "item", "/v1/items/99"},
			{"an item without a number", ask("GET", "/rest/item/x", nil), 404, "item", ""},
			{"a path that is not there", ask("GET", "/rest/nothing", nil), 404, "", ""},
			{"the root", ask("GET", "/rest", nil), 404, "", ""},
			{"a slash at the end", ask("GET", "/rest/seller/", nil), 404, "", ""},
			{"two slashes", ask("GET", "//rest/x", nil), 404, "", ""},
			{"a way there and back", ask("GET", "/rest/../rest/x", nil), 404, "", ""},
			{"a way in from elsewhere", ask("GET", "/v1/../rest/seller", nil), 404, "", ""},
			{"an escaped slash", ask("GET", "/rest%2Fseller", nil), 404, "", ""},
			{"a method that is not there", ask("PATCH", "/rest/item/"+item, nil), 405, "", ""},
			{"an unknown method", ask("BREW", "/rest/item/"+item, nil), 405, "", ""},
			{"a body that is too large", ask("POST", "/rest/item", strings.NewReader(strings.Repeat("a", 192<<10+1))), 413, "item-create", ""},
			{"a body of another kind", ask("POST", "/rest/item", strings.NewReader("{}"), "Content-Type", "application/json"), 415, "item-create", ""},
			{"a call that two have a path for", ask("POST", "/rest/notification/settings", strings.NewReader("notificationType=Email_Sold")), 422, "email-notification", ""},
			{"a drill", ask("GET", "/rest/item/"+item, nil, "Legacy-Drill", "sunset"), 410, "item", "/v1/items/" + item},
			{"a panic", ask("POST", "/rest/item", broken{}), 500, "item-create", ""},
			{"a caller who has gone", ask("GET", "/rest/seller", nil).WithContext(gone), 503, "seller", "/v1/account"},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.RestRequest(t, test.request)
				if got.Status != test.status {
					t.Errorf("want %d, got %d %s", test.status, got.Status, got.Body)
				}
				checkEndHeaders(t, endHeaders(test.call, test.successor), got.Header)
			})
		}
	})
}

func TestOnlyTheLegacyInterfaceIsAnnouncedToEnd(t *testing.T) {
	w := newWorld(t, servertest.SQLite(t))
	for _, path := range []string{"/v1/account", "/rest/../v1/account", "/restaurant", "/REST/seller", "/v1/rest/seller", "/"} {
		recorder := httptest.NewRecorder()
		w.Server.Public.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		if got := recorder.Header().Get("Deprecation"); got != "" || strings.Contains(recorder.Body.String(), "Delcampe_Notification") {
			t.Errorf("%s is answered by the legacy interface: %s", path, recorder.Body)
		}
	}
}

func TestTheBudgetIsOneForBothInterfaces(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		token := w.Session(t, w.Key)
		if got := w.Do(t, servertest.Request{Path: "/v1/account"}); got.Status != http.StatusOK {
			t.Fatalf("/v1: %d", got.Status)
		}
		var items strings.Builder // three batches
		for i := range 250 {
			fmt.Fprintf(&items, "&items[%d][title]=x&items[%[1]d][personal_reference]=R%[1]d&items[%[1]d][id_category]=1010101&items[%[1]d][fixed_price]=1", i)
		}
		bulk := w.Rest(t, "POST", "/rest/items", "token="+token+items.String())
		last := w.Rest(t, "GET", "/rest/seller", "token="+token)
		budget := func(answer servertest.RestAnswer) [4]string {
			return [4]string{
				answer.Header.Get("X-RateLimit-Limit"), answer.Header.Get("X-RateLimit-Remaining"), answer.Header.Get("X-RateLimit-Reset-After"),
				answer.Header.Get("Retry-After"),
			}
		}
		if diff := cmp.Diff([4]string{"3", "0", "60", ""}, budget(bulk)); diff != "" || bulk.Status != http.StatusOK {
			t.Errorf("the third request: %d (-want +got):\n%s", bulk.Status, diff)
		}
		if diff := cmp.Diff([4]string{"3", "0", "60", "20"}, budget(last)); diff != "" || last.Status != http.StatusTooManyRequests ||
			last.Text("body/errorCode") != "rate_limited" {
			t.Errorf("the fourth request: %d %s (-want +got):\n%s", last.Status, last.Body, diff)
		}
		checkEndHeaders(t, endHeaders("seller", "/v1/account"), last.Header)
	}, func(c *v1.Config) { c.RateLimit = 3 })
}
