package v1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestBuyersHaveNamesThatCanBeRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		tests := []struct{ name, member, value, want string }{
			{"a blank nickname", "nickname", " ", "too_short buyer.nickname"},
			{"a hard space", "nickname", "\u00a0", "too_short buyer.nickname"},
			{"nothing but a zero width space", "nickname", "\u200b", "too_short buyer.nickname"},
			{"a text that reads backwards", "first_name", "\u202eabc", "invalid_value buyer.first_name"},
			{"a line break", "last_name", "a\u2028b", "invalid_value buyer.last_name"},
			{"markup", "last_name", "<b>x</b>", "html_not_allowed buyer.last_name"},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				buyer := map[string]any{"nickname": "bob", "country": "BE"}
				buyer[test.member] = test.value
				got := w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/purchase", Body: map[string]any{"buyer": buyer}})
				if diff := cmp.Diff([]string{test.want}, got.Codes()); diff != "" {
					t.Errorf("codes (-want +got):\n%s", diff)
				}
			})
		}
		t.Run("Arabic and emoji with their joiners pass", func(t *testing.T) {
			got := w.Do(t, servertest.Request{
				Path: "/v1/test/items/" + item + "/purchase",
				Body: map[string]any{"buyer": map[string]any{"nickname": "می\u200cخواهم 👩\u200d🚀", "country": "BE"}},
			})
			if got.Status != 200 {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		})
	})
}
