package legacy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// BenchmarkTwins runs calls here and what they mean in /v1. A call here may cost one and a half times its twin, in time and
// in allocations.
func BenchmarkTwins(b *testing.B) {
	w := servertest.New(b, servertest.SQLite(b), func(c *v1.Config) { c.NewItemsPerDay, c.OpenItems = 0, 0 })
	item, made := "", 0
	for range 50 {
		item = w.List(b, servertest.FixedPrice(map[string]any{"description": "<b>Mint</b>, never hinged", "personal_reference": "FR-1849-20c"}))
	}
	for _, call := range []struct {
		name, method, v1, rest string
		v1Body, restBody       string // with a number for what makes each new
	}{
		{"item", "GET", "/v1/items/" + item, "/rest/item/" + item, "", ""},
		{"page of 50", "GET", "/v1/items?sale_type=fixed_price&status=open&limit=50", "/rest/item/fixedprice/opened?numberOfItems=50", "", ""},
		{
			"create", "POST", "/v1/items", "/rest/item",
			`{"title":"Lot","category_id":"1010101","sale_type":"fixed_price","personal_reference":"R%d","price":{"amount":"12.50","currency":"EUR"}}`,
			"title=Lot&id_category=1010101&personal_reference=R%d&fixed_price=12.5&currency=EUR",
		},
	} {
		for _, stack := range []struct{ name, path, body, contentType string }{
			{"v1", call.v1, call.v1Body, "application/json"}, {"rest", call.rest, call.restBody, form},
		} {
			b.Run(call.name+"/"+stack.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					made++
					var body io.Reader
					if stack.body != "" {
						body = strings.NewReader(fmt.Sprintf(stack.body, made))
					}
					r := asked(httptest.NewRequest(call.method, stack.path, body), w.Key)
					r.Header.Set("Content-Type", stack.contentType)
					if body != nil && stack.name == "v1" {
						r.Header.Set("Idempotency-Key", fmt.Sprint(made))
					}
					answer := httptest.NewRecorder()
					w.Server.Public.ServeHTTP(answer, r)
					if answer.Code >= http.StatusBadRequest {
						b.Fatal(answer.Body)
					}
				}
			})
		}
	}
}
