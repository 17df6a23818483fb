package bridge_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/servertest"
)

// TestAnOldProgramGoesOnAfterTheSunset lists, closes, reads sold items far behind the first ones, and rates a buyer, after
// the service has switched /rest off.
func TestAnOldProgramGoesOnAfterTheSunset(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		b := newBridged(t, database(t))
		if gone := b.Rest(t, "GET", "/rest/server/time", ""); gone.Status != http.StatusGone {
			t.Fatalf("the service still answers %d", gone.Status)
		}
		login := b.call(t, "POST", "/rest/seller", fields("apikey", b.Key))
		token := login.Text("body/token")
		if login.Status != http.StatusOK || token == "" {
			t.Fatalf("login: %d %s", login.Status, login.Body)
		}

		listed := b.call(t, "POST", "/rest/item?token="+token, fields(
			"title", "Lettre 1849", "id_category", servertest.Category, "personal_reference", "A-1", "fixed_price", "2.50", "currency", "EUR", "qty", "3000"))
		if got := listed.Text("body/data"); got != "Your request was taken into account!" {
			t.Fatalf("list: %d %s", listed.Status, listed.Body)
		}
		b.Publish(t)
		item := b.call(t, "GET", "/rest/item/reference/A-1", fields("token", token)).Text("body/item/id_item")

		const sales = 2050
		b.purchase(t, item, sales)
		all := b.Do(t, servertest.Request{Path: "/v1/sales?sort=sold_at_asc&limit=1"})
		if all.Status != http.StatusOK {
			t.Fatal(all.Body)
		}
		sold := b.call(t, "GET", "/rest/item/fixedprice/sold", fields("token", token, "startingItem", "2000", "numberOfItems", "100"))
		if got := sold.Texts("body/item/id_item"); len(got) != sales-2000 || got[0] != item {
			t.Errorf("%d sold from 2000 on: %d %.500s", len(got), sold.Status, sold.Body)
		}

		rated := b.call(t, "POST", "/rest/item/"+item+"/feedback?token="+token, fields("feedback", "100", "comment", "Perfect"))
		if rated.Text("body/status") != "true" || b.Count(t, "ratings", "1 = 1") != 1 {
			t.Errorf("rate: %d %s", rated.Status, rated.Body)
		}
		closed := b.call(t, "DELETE", "/rest/item/"+item+"?token="+token, fields("reason", "NotAvailableItem"))
		if closed.Text("body/status") != "true" {
			t.Errorf("close: %d %s", closed.Status, closed.Body)
		}
		after := b.call(t, "GET", "/rest/item/"+item, fields("token", token))
		if diff := cmp.Diff([]string{"200", fmt.Sprint(3000 - sales)}, []string{fmt.Sprint(after.Status), after.Text("body/item/qty")}); diff != "" {
			t.Error(diff)
		}
	})
}
