package v1_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestTheNormalFormOfAPath(t *testing.T) {
	for sent, want := range map[string]string{
		"/v1/account":               "/v1/account",
		"/v1/%61ccount":             "/v1/account",
		"/%76%31/ACCOUNT%2Dx%5f%7E": "/v1/ACCOUNT-x_~",
		"/v1/items/%31000027":       "/v1/items/1000027",
		"/v1/a%2fb%61":              "/v1/a%2Fba",
		"/v1/a%2Fb%3f%61":           "/v1/a%2Fb%3Fa",
		"/v1/%2561ccount":           "/v1/%2561ccount",
		"/v1/%25%36%31":             "/v1/%2561",
		"/v1/%00%61":                "/v1/%00a",
		"/v1/caf%C3%A9%61":          "/v1/caf%C3%A9a",
		"/v1/%FF%61":                "/v1/%FFa",
		"/v1/a%2Cb%61":              "/v1/a%2Cba",
	} {
		u, err := url.ParseRequestURI(sent)
		if err != nil {
			t.Fatal(err)
		}
		before := *u
		got := v1.NormalURL(u)
		if diff := cmp.Diff([]string{want, before.Path}, []string{got.EscapedPath(), got.Path}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sent, diff)
		}
		if *u != before {
			t.Errorf("%s has changed: %v", sent, u)
		}
	}
}

// sendLine sends a request with a method and a path as they are, with the key of the world's seller.
func sendLine(w *servertest.World, line string) *httptest.ResponseRecorder {
	method, path, _ := strings.Cut(line, " ")
	r := httptest.NewRequest(method, path, http.NoBody)
	r.Header.Set("X-Api-Key", w.Key)
	answer := httptest.NewRecorder()
	w.Server.Public.ServeHTTP(answer, r)
	return answer
}

// messageIn is the message of an answer with one error.
func messageIn(t *testing.T, answer *httptest.ResponseRecorder) string {
	t.Helper()
	var refused struct {
		Errors []struct{ Message string }
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &refused); err != nil || len(refused.Errors) != 1 {
		t.Fatalf("%d %s: %v", answer.Code, answer.Body, err)
	}
	return refused.Errors[0].Message
}

func TestEncodedLettersOfAPathAreDecoded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		for path, status := range map[string]int{
			"/v1/%61ccount":                         200,
			"/%76%31/account":                       200,
			"/v1/items/%3" + item[:1] + item[1:]:    200,
			"/v1/%69tems?limit=1":                   200,
			"/v1/items%2F" + item:                   404,
			"/v1/%2561ccount":                       404,
			"/v1/items/%253" + item[:1] + item[1:]:  404,
			"/v1/items/%2e%2e/account":              404,
			"/v1/account%20":                        404,
			"/v1/account%00":                        404,
			"/v1/account%0A":                        404,
			"/v1/webhooks/%77h_1":                   404,
			"/v1/item-submissions/sub_%61%FF%2F%00": 404,
		} {
			if got := sendLine(w, "GET "+path); got.Code != status || status == 404 && !strings.Contains(got.Body.String(), "not_found") {
				t.Errorf("%s: %d instead of %d: %s", path, got.Code, status, got.Body)
			}
		}
	})
}

func TestAPathThatIsNotThereNamesTheNearestRoute(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	meant := func(pattern string) string { return "Did you mean " + pattern + "?" }
	all := "All paths are listed at " + w.Config.BaseURL + "/docs."
	for path, want := range map[string]string{
		"/v1/items/":                      meant("/v1/items"),
		"/v1//items":                      meant("/v1/items"),
		"/items":                          meant("/v1/items"),
		"/items/1000027":                  meant("/v1/items/{id}"),
		"/v1/item":                        meant("/v1/items"),
		"/V1/Items":                       meant("/v1/items"),
		"/v2/items":                       meant("/v1/items"),
		"/api/v1/sales":                   meant("/v1/sales"),
		"/v1/v1/sales":                    meant("/v1/sales"),
		"/v1/item/1000027/close":          meant("/v1/items/{id}/close"),
		"/v1/bills/7/mark_sent":           meant("/v1/bills/{id}/mark-sent"),
		"/v1/bill/7/tracking":             meant("/v1/bills/{id}/trackings"),
		"/v1/categorys":                   meant("/v1/categories"),
		"/v1/delivery_services":           meant("/v1/delivery-services"),
		"/v1/webhook/wh_1/recover/":       meant("/v1/webhooks/{id}/recover"),
		"/v1/":                            all,
		"/v1/orders":                      all,
		"/v1/items/1000027/images":        all,
		"/v1/items/1000027/close/now":     all,
		"/favicon.png":                    all,
		"/v1/" + strings.Repeat("a", 500): all,
	} {
		got := sendLine(w, "GET "+path)
		if got.Code != http.StatusNotFound || !strings.HasSuffix(messageIn(t, got), ". "+want) {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
	}
}

func TestAMethodThatAPathDoesNotAcceptIsToldTheActionsBelow(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for request, want := range map[string]string{
		"DELETE /v1/items/1000027": "This path accepts GET, HEAD, OPTIONS, PATCH. There is also POST /v1/items/{id}/close, which takes an item off sale at once; " +
			"POST /v1/items/{id}/restart, which puts an unsold or closed item on sale again under the same id, from now on.",
		"PUT /v1/bills/7": "This path accepts GET, HEAD, OPTIONS. There is also POST /v1/bills/{id}/trackings, which adds a tracking to a bill in any state but cancelled; " +
			"POST /v1/bills/{id}/mark-sent, which declares a paid bill sent and adds the trackings given: all of that or nothing.",
		"DELETE /v1/items":             "This path accepts GET, HEAD, OPTIONS, POST.",
		"GET /v1/items/1000027/close":  "This path accepts OPTIONS, POST.",
		"BREW /v1/items/1000027/close": "This path accepts OPTIONS, POST.",
		"BREW /v1/items/1%2F2/close":   "This path accepts OPTIONS, POST.",
	} {
		got := sendLine(w, request)
		if diff := cmp.Diff(want, messageIn(t, got)); diff != "" || got.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d (-want +got):\n%s", request, got.Code, diff)
		}
	}
}
