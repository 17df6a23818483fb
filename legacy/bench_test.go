package legacy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// twin is a call here and what it means in /v1. What a body is given is a number that makes it new.
type twin struct{ name, method, v1, rest, v1Body, restBody string }

// twins are those that are compared, in a world with 50 items.
func twins(tb testing.TB) (*servertest.World, []twin) {
	w := newWorld(tb, servertest.SQLite(tb), func(c *v1.Config) { c.NewItemsPerDay, c.OpenItems = 0, 0 })
	item := ""
	for range 50 {
		item = w.List(tb, servertest.FixedPrice(map[string]any{"description": "<b>Mint</b>, never hinged", "personal_reference": "FR-1849-20c"}))
	}
	return w, []twin{
		{"item", "GET", "/v1/items/" + item, "/rest/item/" + item, "", ""},
		{"page of 50", "GET", "/v1/items?sale_type=fixed_price&status=open&limit=50", "/rest/item/fixedprice/opened?numberOfItems=50", "", ""},
		{
			"create", "POST", "/v1/items", "/rest/item",
			`{"title":"Lot","category_id":"1010101","sale_type":"fixed_price","personal_reference":"R%d","price":{"amount":"12.50","currency":"EUR"}}`,
			"title=Lot&id_category=1010101&personal_reference=R%d&fixed_price=12.5&currency=EUR",
		},
	}
}

var bodies int

// ask makes one of the requests.
func (c *twin) ask(tb testing.TB, w *servertest.World, path, body, contentType string) {
	bodies++
	var text io.Reader
	if body != "" {
		text = strings.NewReader(fmt.Sprintf(body, bodies))
	}
	r := asked(httptest.NewRequest(c.method, path, text), w.Key)
	r.Header.Set("Content-Type", contentType)
	if text != nil && path == c.v1 {
		r.Header.Set("Idempotency-Key", fmt.Sprint(bodies))
	}
	answer := httptest.NewRecorder()
	w.Server.Public.ServeHTTP(answer, r)
	if answer.Code >= http.StatusBadRequest {
		tb.Fatal(answer.Body)
	}
}

// BenchmarkTwins runs calls here and what they mean in /v1. A call here may cost one and a half times its twin, in time and
// in allocations.
func BenchmarkTwins(b *testing.B) {
	w, all := twins(b)
	for _, call := range all {
		b.Run(call.name+"/v1", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call.ask(b, w, call.v1, call.v1Body, "application/json")
			}
		})
		b.Run(call.name+"/rest", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call.ask(b, w, call.rest, call.restBody, form)
			}
		})
	}
}

func TestACallAllocatesLittleMoreThanItsTwin(t *testing.T) {
	w, all := twins(t)
	for _, call := range all {
		old := testing.AllocsPerRun(200, func() { call.ask(t, w, call.rest, call.restBody, form) })
		twin := testing.AllocsPerRun(200, func() { call.ask(t, w, call.v1, call.v1Body, "application/json") })
		if old > 1.5*twin {
			t.Errorf("%s: %.0f allocations, its twin %.0f", call.name, old, twin)
		}
	}
}
