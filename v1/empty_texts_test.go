package v1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// TestAnEmptyTextReadsAsNull sends texts that are empty, or that have nothing left once they are sanitised.
func TestAnEmptyTextReadsAsNull(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		post := func(path string, body object) object {
			got := w.Do(t, servertest.Request{Method: "POST", Path: path, Body: body})
			if got.Status >= 300 {
				t.Fatalf("%s: %d %s", path, got.Status, got.Body)
			}
			return servertest.Into[object](t, got)
		}
		hook := post("/v1/webhooks", object{"url": "https://hooks.example.com/1", "events": []string{"item.sold"}, "description": ""})
		read := func(id string) any {
			return servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/items/" + id}))["description"]
		}
		sold := w.List(t, servertest.FixedPrice(object{"description": "<script>x()</script>"}))
		closed := w.List(t, servertest.FixedPrice(object{"description": ""}))
		note := post("/v1/items/"+closed+"/close", object{"reason": "other", "note": ""})["close_note"]
		bill := post("/v1/test/items/"+sold+"/purchase", object{})["bill_id"].(string)
		tracking := post("/v1/bills/"+bill+"/trackings", object{"delivery_service_id": "142", "number": "123456789012345678901234", "note": ""})
		got := map[string]any{
			"webhook": hook["description"], "sanitised": read(sold), "empty": read(closed), "close note": note, "tracking": tracking["note"],
		}
		want := map[string]any{"webhook": nil, "sanitised": nil, "empty": nil, "close note": nil, "tracking": nil}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
