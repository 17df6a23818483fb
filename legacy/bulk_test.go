package legacy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// bulkOf is a form of so many items, whose references count from 0.
func bulkOf(n int) string {
	var form strings.Builder
	for i := range n {
		fmt.Fprintf(&form, "items[%d][title]=Coin&items[%[1]d][id_category]=1010101&items[%[1]d][personal_reference]=R-%[1]d&items[%[1]d][fixed_price]=1&", i)
	}
	return form.String()
}

func TestABulkHasOneToAThousandItems(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		send := func(form string) servertest.RestAnswer {
			return w.Rest(t, "POST", "/rest/items", form, "X-Api-Key", w.Key)
		}
		for _, test := range []struct {
			name, form, code, message string
		}{
			{"no items", "", "batch_empty", "The request has no items."},
			{"one more than a thousand", bulkOf(1001), "batch_too_large", "The request has more than 1000 items."},
		} {
			t.Run(test.name+" are refused and nothing is taken", func(t *testing.T) {
				got := send(test.form)
				want := []string{"false", test.code, "items: " + test.message, "POST /v1/item-batches"}
				if diff := cmp.Diff(want, []string{got.Text("body/status"), got.Text("body/errorCode"), got.Text("body/errorMsg"), got.Text("body/replacement")}); diff != "" ||
					got.Status != http.StatusUnprocessableEntity {
					t.Errorf("%d (-want +got):\n%s", got.Status, diff)
				}
				if n := w.Count(t, "submissions", "1 = 1"); n != 0 {
					t.Errorf("%d items were taken", n)
				}
			})
		}
		t.Run("a thousand are taken in ten batches and answered in order", func(t *testing.T) {
			got := send(bulkOf(1000))
			var want []string
			for i := range 1000 {
				want = append(want, fmt.Sprint("R-", i))
			}
			if diff := cmp.Diff(want, got.Texts("body/item/personal_reference")); diff != "" || got.Status != http.StatusOK {
				t.Errorf("references: %d (-want +got):\n%s", got.Status, diff)
			}
			taken := [3]int{strings.Count(got.Body, "<status>true</status>"), w.Count(t, "submissions", "1 = 1"), w.Count(t, "batches", "1 = 1")}
			if diff := cmp.Diff([3]int{1000, 1000, 10}, taken); diff != "" {
				t.Errorf("answers, submissions, batches (-want +got):\n%s", diff)
			}
		})
		t.Run("a thousand sent again are not taken again", func(t *testing.T) {
			again := send(bulkOf(1000))
			if n := w.Count(t, "submissions", "1 = 1"); n != 1000 || strings.Count(again.Body, "<status>true</status>") != 1000 {
				t.Errorf("%d items after the repetition: %d", n, again.Status)
			}
		})
	})
}
