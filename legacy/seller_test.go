package legacy_test

import (
	"testing"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

func TestTheSellerReadsTheRatingThatTheMarketplaceSet(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		set := w.DoOperator(t, servertest.Request{
			Method: "PATCH", Path: "/operator/accounts/" + v1.ID(w.Account).String(),
			Body: map[string]any{"email": "new@example.com", "type": "professional", "language": "de", "currency": "CHF", "rating": map[string]any{
				"count":      120,
				"percentage": 99.5,
			}},
		})
		if set.Status != 200 {
			t.Fatalf("%d %s", set.Status, set.Body)
		}
		answer := w.Rest(t, "GET", "/rest/seller", "token="+w.Session(t, w.Key))
		for name, want := range map[string]string{
			"email": "new@example.com", "type": "professional", "language": "German", "currency": "CHF", "rating_nbr": "120", "rating_percentage": "99.5",
		} {
			if got := answer.Text("body/seller/" + name); got != want {
				t.Errorf("%s is %q instead of %q", name, got, want)
			}
		}
	})
}
