package v1_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestAnIfMatchThatCannotBeReadIsRefusedAndNothingChanged(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/v1/items/" + w.List(t, servertest.FixedPrice())
		before := w.Do(t, servertest.Request{Path: path})
		tag := before.Header.Get("ETag")
		for name, value := range map[string]string{
			"a tag without quotes":              strings.Trim(tag, `"`),
			"a tag whose quotes do not close":   tag[:len(tag)-1],
			"quotes that close in the next tag": `"a, ` + tag,
			"tags without a comma":              tag + " " + tag,
			"tags without anything between":     tag + tag,
			"a tag and something else":          tag + ", a",
			"nothing":                           "",
			"white space":                       " \t",
			"a lone comma":                      ",",
			"commas and white space":            " , ,\t",
			"* before a tag":                    "*, " + tag,
			"* after a tag":                     tag + ", *",
			"* twice":                           "*, *",
			"a weak tag in lower case":          "w/" + tag,
			"a weak tag in two pieces":          "W/ " + tag,
			"weakness of nothing":               "W/",
			"a space inside a tag":              `"a b"`,
			"a NUL inside a tag":                "\"a\x00\", " + tag,
			"a DEL inside a tag":                "\"a\x7f\", " + tag,
			"a NUL beside a tag":                tag + "\x00",
			"other characters than ASCII":       "é",
		} {
			t.Run(name, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: object{"title": "New"}, Header: map[string]string{"If-Match": value}})
				if diff := cmp.Diff([]string{"invalid_header If-Match"}, got.Codes()); diff != "" || got.Status != http.StatusBadRequest {
					t.Errorf("If-Match: %q is answered %d (-want +got):\n%s", value, got.Status, diff)
				}
			})
		}
		if diff := cmp.Diff(before.Body, w.Do(t, servertest.Request{Path: path}).Body); diff != "" {
			t.Errorf("the item changed (-before +after):\n%s", diff)
		}
	})
}

func TestAnIfMatchIsAListOfEntityTags(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/v1/items/" + w.List(t, servertest.FixedPrice())
		for _, test := range []struct {
			name   string
			values []string // each in a line of its own; TAG is the item's
			status int
		}{
			{"any object has *", []string{"*"}, 200},
			{"its own tag", []string{"TAG"}, 200},
			{"its own tag among others", []string{`"a", TAG, "b"`}, 200},
			{"no white space", []string{`"a",TAG,"b"`}, 200},
			{"white space of all kinds", []string{"\t\"a\"\t ,\t TAG \t"}, 200},
			{"empty elements", []string{`, ,"a",,	TAG, ,`}, 200},
			{"several lines", []string{`"a"`, "", "TAG"}, 200},
			{"a comma in a tag", []string{`"a,b", TAG`}, 200},
			{"an empty tag", []string{`"", TAG`}, 200},
			{"other characters than ASCII in a tag", []string{`"é", TAG`}, 200},
			{"a weak tag of another beside it", []string{`W/"a", TAG`}, 200},
			{"a weak tag, which matches nothing strongly", []string{"W/TAG"}, 412},
			{"other tags", []string{`"a", W/"b", "c"`}, 412},
			{"a tag of commas", []string{`","`}, 412},
			{"its own tag in another tag", []string{`"a,TAG,b"`}, 400}, // the inner quotes end the outer
		} {
			t.Run(test.name, func(t *testing.T) {
				tag := w.Do(t, servertest.Request{Path: path}).Header.Get("ETag")
				r := httptest.NewRequest("PATCH", path, strings.NewReader(`{"title":"`+test.name+`"}`))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("X-Api-Key", w.Key)
				for _, value := range test.values {
					r.Header.Add("If-Match", strings.ReplaceAll(value, "TAG", tag))
				}
				got := httptest.NewRecorder()
				w.Server.Public.ServeHTTP(got, r)
				if got.Code != test.status {
					t.Errorf("If-Match: %q is answered %d instead of %d: %s", r.Header["If-Match"], got.Code, test.status, got.Body)
				}
			})
		}
	})
}

func TestEveryOperationThatIsConditionalReadsItsIfMatch(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		fill := strings.NewReplacer("{tracking_id}", "trk_1", "{model_id}", "1", "/webhooks/{id}", "/webhooks/wh_1", "/keys/{id}", "/keys/abcdefghijkl", "/legacy-drills/{id}", "/legacy-drills/drl_1", "{id}", "1")
		ask := func(o *v1.Operation, do func(testing.TB, servertest.Request) servertest.Response) {
			t.Helper()
			got := do(t, servertest.Request{Method: o.Method, Path: fill.Replace(o.Pattern), Header: map[string]string{"If-Match": "stale"}})
			refused := got.Status == http.StatusBadRequest && cmp.Equal([]string{"invalid_header If-Match"}, got.Codes())
			if refused != o.Conditional() {
				t.Errorf("%s answers an If-Match without quotes %d %s", o.Name, got.Status, got.Body)
			}
			if (o.Method == http.MethodPatch || o.Method == http.MethodDelete) && !o.Conditional() {
				t.Errorf("%s is not conditional", o.Name)
			}
		}
		for _, o := range v1.Operations {
			ask(o, w.Do)
		}
		for _, o := range v1.OperatorOperations {
			ask(o, w.DoOperator)
		}
	})
}

// A proxy that compresses answers makes tags weak. The object has not changed then, so the message must not say so.
func TestAWeakTagIsToldThatItNeverMatches(t *testing.T) {
	const weak = "An entity tag that begins with W/ is weak, and a weak tag never matches here: send the ETag of the object without W/. " +
		"Proxies that compress answers add it."
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": "https://shop.example.com/hook"}})
		hook := servertest.Into[struct {
			ID v1.WebhookID `json:"id"`
		}](t, made).ID.String()
		for path, patch := range map[string]map[string]any{"/v1/items/" + item: {"title": "Other"}, "/v1/webhooks/" + hook: {"status": "paused"}} {
			tag := w.Do(t, servertest.Request{Path: path}).Header.Get("ETag")
			for sent, want := range map[string]string{"W/" + tag: weak, `"a", W/` + tag: weak, `"a"`: "The object changed since you read it."} {
				got := w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: patch, Header: map[string]string{"If-Match": sent}})
				if got.Status != http.StatusPreconditionFailed {
					t.Fatalf("%s: %d %s", path, got.Status, got.Body)
				}
				if diff := cmp.Diff([]string{"precondition_failed", "If-Match", want}, []string{string(got.Errors[0].Code), got.Errors[0].Field, got.Errors[0].Message}); diff != "" {
					t.Errorf("%s with %s (-want +got):\n%s", path, sent, diff)
				}
			}
		}
		tag := w.Do(t, servertest.Request{Path: "/v1/items/" + item}).Header.Get("ETag")
		got := w.Do(t, servertest.Request{Path: "/v1/item-changes", Body: map[string]any{
			"changes": []any{map[string]any{"item_id": item, "if_match": "W/" + tag, "patch": map[string]any{"title": "Other"}}},
		}})
		if diff := cmp.Diff([]string{"precondition_failed changes[0].if_match"}, got.Codes()); diff != "" || got.Errors[0].Message != weak {
			t.Errorf("%s (-want +got):\n%s", got.Body, diff)
		}
	})
}
