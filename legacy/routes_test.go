package legacy_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/translate"
)

// TestTheRoutesAreTheCalls asks the fully wired server for every method of every path that a call has, and of those above
// and below them, and compares the calls that take them with the tables.
func TestTheRoutesAreTheCalls(t *testing.T) {
	w := newWorld(t, servertest.SQLite(t))
	want, patterns, allowed := map[string]string{}, map[string]bool{"/rest": true}, map[string][]string{}
	for _, call := range translate.Calls {
		if call.Match == (translate.Match{}) {
			want[call.Method+" "+call.Pattern] = call.ID
			allowed[call.Pattern] = append(allowed[call.Pattern], call.Method)
			if call.Method == http.MethodGet {
				want["HEAD "+call.Pattern] = call.ID
				allowed[call.Pattern] = append(allowed[call.Pattern], http.MethodHead)
			}
		}
		for end := range call.Pattern {
			if call.Pattern[end] == '/' && end > 0 {
				patterns[call.Pattern[:end]] = true
			}
		}
		patterns[call.Pattern], patterns[call.Pattern+"/more"], patterns[call.Pattern+"/"] = true, true, true
	}
	got := map[string]string{}
	for pattern := range patterns {
		// What a {part} takes may be a path of its own, as with item/{id_item} and item/reference; that is found by its pattern.
		path := concrete(pattern)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "LINK"} {
			w.Clock.Advance(time.Minute) // a caller without a key may not ask so much in one
			answer := w.Rest(t, method, path, "")
			link := answer.Header["Link"][0]
			_, id, ok := strings.Cut(link[:strings.IndexByte(link, '>')], "#")
			if ok {
				got[method+" "+known(want, method, pattern)] = id
			}
			open := slices.ContainsFunc(translate.Calls, func(call *translate.Call) bool { return call.Open && call.ID == id })
			if ok != (answer.Status == http.StatusUnauthorized || open) {
				t.Errorf("%s %s: %d, but its link is %s", method, path, answer.Status, link)
			}
			if allow := answer.Header.Get("Allow"); method == http.MethodOptions && allowed[pattern] != nil {
				list := append(allowed[pattern], http.MethodOptions)
				slices.Sort(list)
				if diff := cmp.Diff(strings.Join(list, ", "), allow); diff != "" {
					t.Errorf("%s allows (-want +got):\n%s", path, diff)
				}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes (-calls +server):\n%s", diff)
	}
}

// known is the pattern of a call that a path belongs to: /rest/item/reference is an item's number like any other.
func known(calls map[string]string, method, pattern string) string {
	if calls[method+" "+pattern] != "" {
		return pattern
	}
	for call := range calls {
		of, candidate, _ := strings.Cut(call, " ")
		if of == method && strings.Count(candidate, "/") == strings.Count(pattern, "/") && strings.HasSuffix(candidate, "}") &&
			strings.HasPrefix(pattern, candidate[:strings.IndexByte(candidate, '{')]) {
			return candidate
		}
	}
	return pattern
}

func TestAPathIsReadBeforeItsSlashesAre(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		w.List(t, servertest.FixedPrice(map[string]any{"personal_reference": "A/B 1%é"}))
		for _, path := range []string{"/rest/item/reference/A%2FB%201%25%C3%A9", "/rest/item/reference/A%2fB+1%25%C3%A9"} {
			got := w.RestRequest(t, asked(httptest.NewRequest("GET", path, nil), w.Key))
			if wanted := !strings.Contains(path, "+"); wanted != (got.Text("body/item/personal_reference") == "A/B 1%é") {
				t.Errorf("%s: %d %s", path, got.Status, got.Body)
			}
		}
	})
}

func asked(r *http.Request, key string) *http.Request {
	r.Header.Set("X-Api-Key", key)
	return r
}
