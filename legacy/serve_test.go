package legacy_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

func TestCallsAreCountedForTheirSeller(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		token := w.Session(t, w.Key)
		w.Rest(t, "POST", "/rest/item", newItem+"personal_reference=R1&colour=red&"+w.Key+"=1&token="+token)
		w.Rest(t, "POST", "/rest/item", "token="+token) // refused, and a call all the same
		w.Rest(t, "GET", "/rest/seller", "token=nonsense")
		w.Rest(t, "GET", "/rest/nothing", "token="+token)
		w.Rest(t, "GET", "/rest/seller", "token="+token, "Legacy-Drill", "sunset")
		if _, err := w.Service.FlushLegacyUsageOnce(context.Background()); err != nil {
			t.Fatal(err)
		}
		usage := servertest.Into[struct {
			Results []map[string]any `json:"results"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/account/legacy-usage"})).Results
		got := [][4]any{}
		for _, row := range usage {
			got = append(got, [4]any{row["call"], row["count"], row["lossy_fields"], row["successor"]})
		}
		want := [][4]any{
			{"item-create", 2.0, []any{"colour"}, map[string]any{"method": "POST", "path": "/v1/items"}},
			{"login", 1.0, []any{}, nil},
			{"seller", 1.0, []any{}, map[string]any{"method": "GET", "path": "/v1/account"}}, // in the drill
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("usage (-want +got):\n%s", diff)
		}
	})
}

func TestNamesOfCategoriesAreInTheLanguageAskedFor(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		token := w.Session(t, w.Key)
		names := map[string]string{}
		for _, letter := range []string{"", "E", "F"} {
			got := w.Rest(t, "GET", "/rest/category", "token="+token+"&showOnlyLeaves=1&language="+letter)
			if got.Status != http.StatusOK || got.Text("body/category/name") == "" {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
			names[letter] = got.Text("body/category/name")
		}
		if names[""] != names["E"] || names["F"] == names["E"] {
			t.Errorf("names by language: %q", names)
		}
	})
}

func TestAHeadIsAsLongAsItsGet(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		token := w.Session(t, w.Key)
		get := w.Rest(t, "GET", "/rest/seller", "token="+token)
		head := w.Rest(t, "HEAD", "/rest/seller", "token="+token)
		for _, answer := range []servertest.RestAnswer{get, head} {
			answer.Header.Del("X-Request-Id")
		}
		if diff := cmp.Diff(get.Header, head.Header); diff != "" || head.Status != get.Status {
			t.Errorf("HEAD (-GET +HEAD):\n%s", diff)
		}
	})
}

func TestCallsAreMeasuredByTheirNames(t *testing.T) {
	w := newWorld(t, servertest.SQLite(t))
	w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.Key)
	w.Rest(t, "GET", "/rest/seller", "token=nonsense")
	w.Rest(t, "GET", "/rest/nothing", "")
	metrics := httptest.NewRecorder()
	w.Server.Operator.ServeHTTP(metrics, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	var got []string
	for line := range strings.Lines(metrics.Body.String()) {
		if strings.HasPrefix(line, "sellerd_requests_total") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		`sellerd_requests_total{op="rest.seller",status="200"} 1`,
		`sellerd_requests_total{op="rest.seller",status="401"} 1`, `sellerd_requests_total{op="unknown",status="404"} 1`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each of these once answered otherwise.
func TestAnswersThatWereWrongOnce(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		key := []string{"X-Api-Key", w.Key}
		refused := func(method, path, form string, status int, code, message string) {
			t.Helper()
			got := w.Rest(t, method, path, form, key...)
			if diff := cmp.Diff([]string{strconv.Itoa(status), code, message}, []string{
				strconv.Itoa(got.Status), got.Text("body/errorCode"),
				got.Text("body/errorMsg"),
			}); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", method, path, diff)
			}
		}
		for _, reference := range []string{"%00a", "%E9"} {
			refused("GET", "/rest/item/reference/"+reference, "", 422, "invalid_value", "personal_reference: must be text in UTF-8, without the character U+0000")
		}
		refused("POST", "/rest/item/1,2/feedback", "feedback=100", 422, "invalid_value", "id_item: must be a number")
		refused("POST", "/rest/item", "title=Card&id_category=1010101&personal_reference=R&fixed_price=", 422, "missing_field", "price_starting or fixed_price: is required")

		t.Run("an entry of a bulk is called as it was sent", func(t *testing.T) {
			var form strings.Builder
			for i := range 150 {
				title := "Coin"
				if i == 120 {
					title = strings.Repeat("x", 121)
				}
				fmt.Fprintf(&form, "items[%d][title]=%s&items[%d][id_category]=1010101&items[%d][personal_reference]=R-%d&items[%d][fixed_price]=1&", i+7, title, i+7, i+7, i, i+7)
			}
			got := w.Rest(t, "POST", "/rest/items", form.String(), key...)
			if diff := cmp.Diff([]string{"items[127][title]: must have at most 120 characters"}, got.Texts("body/item/errorMsg")); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if n := w.Count(t, "submissions", "1 = 1"); n != 149 {
				t.Errorf("%d of 149 were accepted", n)
			}
		})
		t.Run("a webhook of another format is no setting", func(t *testing.T) {
			made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": "https://shop.example.com/hook"}})
			id := servertest.Into[struct{ ID v1.WebhookID }](t, made).ID
			refused("DELETE", fmt.Sprintf("/rest/notification/%d", id), "", 404, "webhook_not_found", "There is no such webhook.")
		})
		t.Run("a key in the place of a field is not kept", func(t *testing.T) {
			w.Rest(t, "GET", "/rest/seller", strings.Repeat("A", 64), key...)
			w.Rest(t, "GET", "/rest/seller", "colour=blue", key...)
			if _, err := w.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			usage := w.Do(t, servertest.Request{Path: "/v1/account/legacy-usage"})
			if strings.Contains(usage.Body, "AAAA") || !strings.Contains(usage.Body, "colour") {
				t.Errorf("usage: %s", usage.Body)
			}
		})
		t.Run("a long description fits", func(t *testing.T) {
			form := "title=Card&id_category=1010101&personal_reference=R&fixed_price=1&description=" + strings.Repeat("%E8%AA%9E", 9000)
			if got := w.Rest(t, "POST", "/rest/item", form, key...); got.Status != 200 {
				t.Errorf("%d %s", got.Status, got.Text("body/errorMsg"))
			}
		})
	})
}

func TestRefusalsToListTellTheStoresLimits(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		token := w.Session(t, w.Key)
		for _, test := range []struct {
			name, method, path, form string
			want                     [3]string // the status, and what is used and left of the store's limit
		}{
			{"no fields", "POST", "/rest/item", "", [3]string{"422", "0", "10"}},
			{"a price with a comma", "POST", "/rest/item", newItem + "personal_reference=R1&fixed_price=1,50", [3]string{"422", "0", "10"}},
			{"a list where a text is due", "POST", "/rest/item", newItem + "personal_reference=R1&subtitle[]=a&subtitle[]=b", [3]string{"422", "0", "10"}},
			{"an item that is not UTF-8", "POST", "/rest/item/%FF/restart", "", [3]string{"422", "0", "10"}},
			{"a bulk without items", "POST", "/rest/items", "", [3]string{"422", "0", "10"}},
			{"a bulk of items without fields", "POST", "/rest/items", "items[0]=Card", [3]string{"200", "0", "10"}},
			{"a call that lists nothing", "PUT", "/rest/item/x", "", [3]string{"404", "", ""}},
			{"a wrong token", "POST", "/rest/item", "token=junk", [3]string{"401", "", ""}},
		} {
			form := test.form
			if test.want[0] != "401" {
				form += "&token=" + token
			}
			got := w.Rest(t, test.method, test.path, form)
			shown := [3]string{strconv.Itoa(got.Status), got.Header.Get("X-StoreLimit-Used"), got.Header.Get("X-StoreLimit-Remaining")}
			if diff := cmp.Diff(test.want, shown); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", test.name, got.Body, diff)
			}
		}
	}, func(c *v1.Config) { c.OpenItems = 10 })
}
