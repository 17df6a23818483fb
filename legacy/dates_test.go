package legacy_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// In the night of 31 October 2027 the clocks of Brussels show 02:30 twice: at 00:30 and at 01:30 UTC.
func TestAnEndThatTheClocksShowTwiceIsTheFirst(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		w.Clock.Advance(time.Date(2027, time.September, 15, 12, 0, 0, 0, time.UTC).Sub(w.Clock.Now()))
		listed := w.Rest(t, "POST", "/rest/item", newItem+"personal_reference=R&date_end=2027-10-31+02:30:00", "X-Api-Key", w.Key)
		if listed.Status != http.StatusOK {
			t.Fatalf("list: %d %s", listed.Status, listed.Body)
		}
		w.Publish(t)
		type ending struct {
			ID     string `json:"id"`
			EndsAt string `json:"ends_at"`
		}
		items := servertest.Into[v1.Page[ending]](t, w.Do(t, servertest.Request{Path: "/v1/items"})).Results
		if len(items) != 1 || items[0].EndsAt != "2027-10-31T00:30:00Z" {
			t.Fatalf("want one item that ends at 2027-10-31T00:30:00Z, got %+v", items)
		}
		read := w.Rest(t, "GET", "/rest/item/"+items[0].ID, "", "X-Api-Key", w.Key)
		if diff := cmp.Diff([]string{"2027-10-31 02:30:00"}, read.Texts("body/item/date_end")); diff != "" {
			t.Errorf("date_end (-want +got):\n%s", diff)
		}
	})
}
