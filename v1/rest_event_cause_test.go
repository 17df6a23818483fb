package v1_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestRestCausesEventsToo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		item := w.List(t, servertest.FixedPrice())
		old := oldKey("a")
		importKey(t, w, w.Account, old)
		for _, key := range []string{w.LiveKey, old} {
			token := w.Session(t, key)
			got := w.Rest(t, http.MethodPut, "/rest/item/"+item, "token="+token+"&title=By+"+key[:2], "X-Request-Id", "request-rest-"+key[:2],
				"Content-Type", "application/x-www-form-urlencoded")
			if got.Status != http.StatusOK {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
		}
		got := causes(t, w, "&type=item.updated")
		want := []string{
			fmt.Sprintf("item.updated %s rest dk_live_%s request-rest-dk", item, keyID(w.LiveKey)),
			fmt.Sprintf("item.updated %s rest legacy request-rest-aa", item),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestAKeyOfTheEarlierInterfaceIsLeftOutInItsMode(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		legacy := importKey(t, w, w.Account, oldKey("a")) // which is of live mode
		hook := object{"url": "https://example.com/hook", "skip_key_ids": []string{legacy, keyID(w.LiveKey)}}
		if live := w.Do(t, servertest.Request{Path: "/v1/webhooks", Key: w.LiveKey, Body: hook}); live.Status != http.StatusCreated {
			t.Errorf("in live mode: %d %s", live.Status, live.Body)
		}
		want := []string{"unknown_key skip_key_ids[0]", "unknown_key skip_key_ids[1]"}
		if diff := cmp.Diff(want, w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: hook}).Codes()); diff != "" {
			t.Errorf("in test mode (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"invalid_parameter not_key_id"}, w.Do(t, servertest.Request{Path: "/v1/events?not_key_id=" + legacy}).Codes()); diff != "" {
			t.Errorf("the feed of test mode (-want +got):\n%s", diff)
		}
	})
}
