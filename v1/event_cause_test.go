package v1_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// shownCause is who caused an event, as events show it.
type shownCause struct {
	RequestID *string `json:"request_id"`
	KeyPrefix *string `json:"key_prefix"`
	Via       string  `json:"via"`
}

// causedEvent is an event with its cause.
type causedEvent struct {
	shownEvent
	Cause *shownCause `json:"cause"`
}

// causes are the events of the whole feed, each as "type resource via key request"; "-" stands for null.
func causes(t *testing.T, w *servertest.World, query string) (list []string) {
	t.Helper()
	for after := ""; ; {
		page := feedPage(t, w, "limit=200"+query+after)
		for _, body := range page.Results {
			list = append(list, causeOf(t, string(body)))
		}
		if !page.HasMore {
			return list
		}
		after = "&after=" + page.NextCursor
	}
}

// causeOf is the line of causes for one event.
func causeOf(t *testing.T, body string) string {
	t.Helper()
	var e causedEvent
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		t.Fatal(err)
	}
	if e.Cause == nil {
		return e.Type + " " + e.Resource.ID + " none"
	}
	text := func(p *string) string {
		if p == nil {
			return "-"
		}
		return *p
	}
	return strings.Join([]string{e.Type, e.Resource.ID, e.Cause.Via, text(e.Cause.KeyPrefix), text(e.Cause.RequestID)}, " ")
}

// asked sends a request under an id, which the answer must repeat, and returns the answer.
func asked(t *testing.T, w *servertest.World, id string, r servertest.Request) servertest.Response {
	t.Helper()
	if r.Header == nil {
		r.Header = map[string]string{}
	}
	r.Header["X-Request-Id"] = id
	got := w.Do(t, r)
	if got.Status >= 300 || got.Header.Get("X-Request-Id") != id {
		t.Fatalf("%s: %d as %s: %s", r.Path, got.Status, got.Header.Get("X-Request-Id"), got.Body)
	}
	return got
}

func TestWhoCausedAnEventIsSaid(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		second := w.NewKey(t, w.Account, "test")
		prefix, other := "dk_test_"+keyID(w.Key), "dk_test_"+keyID(second)
		submitted := asked(t, w, "request-submit", servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(object{"quantity": 3})})
		asked(t, w, "request-batch", servertest.Request{
			Path: "/v1/item-batches", Key: second,
			Body: object{"items": []any{servertest.FixedPrice(), servertest.FixedPrice(object{"images": []string{"https://outcome.test/image_unreachable.jpg"}})}},
		})
		w.Publish(t)
		item := servertest.Into[struct {
			ItemID string `json:"item_id"`
		}](t, w.Do(t, servertest.Request{Path: submitted.Header.Get("Location")})).ItemID
		asked(t, w, "request-patch", servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: object{"title": "Another"}, Key: second})
		asked(t, w, "request-changes", servertest.Request{Path: "/v1/item-changes", Body: object{"changes": []any{
			object{"item_id": item, "patch": object{"personal_reference": "A-1"}}, object{"item_id": item, "patch": object{"personal_reference": "A-2"}},
		}}})
		asked(t, w, "request-sandbox", servertest.Request{Method: "POST", Path: "/v1/test/items/" + item + "/purchase"})
		w.DoOperator(t, servertest.Request{
			Method: "POST", Path: "/operator/items/" + item + "/move", Body: object{"category_id": "1010102"},
			Header: map[string]string{"X-Request-Id": "request-operator"},
		})
		w.Clock.Advance(30 * 24 * time.Hour)
		w.PassDueDates(t)
		got := causes(t, w, "")
		batch := []string{}
		for _, line := range got {
			if fields := strings.Fields(line); fields[1] != item {
				batch = append(batch, strings.Join(append(fields[:1:1], fields[2:]...), " "))
			}
		}
		want := []string{
			"item.published " + item + " v1 " + prefix + " request-submit",
			"item.updated " + item + " v1 " + other + " request-patch",
			"item.updated " + item + " v1 " + prefix + " request-changes",
			"item.updated " + item + " v1 " + prefix + " request-changes",
			"item.sold " + item + " v1 " + prefix + " request-sandbox",
			"item.moved " + item + " operator - request-operator",
			"item.unsold " + item + " marketplace - -",
		}
		of := []string{}
		for _, line := range got {
			if strings.Fields(line)[1] == item {
				of = append(of, line)
			}
		}
		if diff := cmp.Diff(want, of); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{
			"item.published v1 " + other + " request-batch", "item.rejected v1 " + other + " request-batch", "item.unsold marketplace - -",
		}, batch, cmpopts.SortSlices(strings.Compare)); diff != "" {
			t.Errorf("of the batch (-want +got):\n%s", diff)
		}
	})
}

// The pictures that a change adds are fetched later. The event about them is still that change's, so a program skips it as its own.
func TestAddedPicturesAreOfTheirChange(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		second := w.NewKey(t, w.Account, "test")
		item, picture := w.List(t, servertest.FixedPrice()), w.ImageURL(t, "stamp-01.png")
		fetch := func() {
			t.Helper()
			if n, err := w.Service.RefreshImagesOnce(t.Context()); n != 1 || err != nil {
				t.Fatalf("%d items, %v", n, err)
			}
		}
		patch := object{"images": []string{picture}}
		asked(t, w, "request-patch", servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: patch, Key: second})
		fetch()
		patch = object{"images": []string{picture, w.ImageURL(t, "coin-01.gif")}}
		asked(t, w, "request-changes", servertest.Request{Path: "/v1/item-changes", Body: object{"changes": []any{object{"item_id": item, "patch": patch}}}})
		fetch()
		patch = object{"images": []string{w.ImageURL(t, "coin-01.gif"), w.ImageURL(t, "stamp-02.png")}}
		asked(t, w, "request-older", servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: patch})
		plantest.Fill(t, w, "UPDATE items SET images_cause = NULL") // a program of an earlier release stores none
		fetch()
		patch = object{"images": []string{w.ImageURL(t, "stamp-03.png")}}
		asked(t, w, "request-one", servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: patch})
		patch = object{"images": []string{w.ImageURL(t, "stamp-04.png"), w.ImageURL(t, "stamp-03.png")}}
		asked(t, w, "request-other", servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: patch, Key: second})
		fetch() // pictures of two keys, so the event is news to both
		own := " v1 dk_test_" + keyID(w.Key)
		if diff := cmp.Diff([]string{
			"item.updated " + item + " v1 dk_test_" + keyID(second) + " request-patch",
			"item.updated " + item + " v1 dk_test_" + keyID(second) + " request-patch",
			"item.updated " + item + own + " request-changes",
			"item.updated " + item + own + " request-changes",
			"item.updated " + item + own + " request-older",
			"item.updated " + item + " marketplace - -",
			"item.updated " + item + own + " request-one",
			"item.updated " + item + " v1 dk_test_" + keyID(second) + " request-other",
			"item.updated " + item + " marketplace - -",
		}, causes(t, w, "&type=item.updated")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if left := w.Count(t, "items", "images_cause IS NOT NULL"); left != 0 {
			t.Errorf("%d items keep a cause", left)
		}
	})
}

// A submission of a program that stores no causes was made by somebody who is not known.
func TestASubmissionOfAnOlderProgramHasNoCause(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		plantest.Fill(t, w, "UPDATE submissions SET cause = NULL")
		w.Publish(t)
		got := causes(t, w, "")
		if len(got) != 1 || !strings.HasSuffix(got[0], " system - -") {
			t.Errorf("%q", got)
		}
	})
}

func TestATestEventIsCausedByItsCall(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL, "skip_key_ids": []string{keyID(w.Key)}, "changed": []string{"price"}})
		asked(t, w, "request-test", servertest.Request{Method: "POST", Path: "/v1/webhooks/" + hook.ID + "/test", Body: object{"event": "item.updated"}})
		servertest.DeliverAll(t, w.Service)
		arrived := s.Take()
		if len(arrived) != 1 || causeOf(t, arrived[0].Body) != "item.updated 1 v1 dk_test_"+keyID(w.Key)+" request-test" {
			t.Errorf("%+v", arrived)
		}
	})
}

func TestTheIDsOfRepeatedRequestsAreThoseOfTheFirst(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, id := range []string{"request-first", "request-again"} {
			asked(t, w, id, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(), Header: map[string]string{"Idempotency-Key": "monday"}})
		}
		w.Publish(t)
		if got := causes(t, w, ""); len(got) != 1 || !strings.HasSuffix(got[0], " request-first") {
			t.Errorf("%q", got)
		}
	})
}

// A call without a server, such as that of a command, has no id.
func TestACallWithoutARequestHasNoRequestID(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		caller, err := w.Service.Authenticate(t.Context(), w.Key)
		if err != nil {
			t.Fatal(err)
		}
		call := &v1.Call{Caller: caller}
		in, err := v1.UpdateItem.Input(call, map[string]string{"id": item}, "", []byte(`{"title":"Another"}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v1.UpdateItem.Call(t.Context(), w.Service, call, in); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"item.updated " + item + " v1 dk_test_" + keyID(w.Key) + " -"}, causes(t, w, "&type=item.updated")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
