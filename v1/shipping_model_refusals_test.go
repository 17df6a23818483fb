package v1_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestShippingModelsAreRefusedWithEverythingThatIsWrong(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, before := newModel(t, w, nil), shippingModels(t, w, w.Key)
		zones := func(zones ...any) object { return object{"zones": zones} }
		world := func(rates ...any) object {
			return object{"name": "World", "countries": []any{}, "rates": rates}
		}
		only := func(kind string, rates ...any) object { return object{"type": kind, "zones": []any{world(rates...)}} }
		dollars := rate("201", "1.00")
		dollars["price"] = object{"amount": "1.00", "currency": "USD"}
		for _, test := range []struct {
			name    string
			changes object
			codes   []string
		}{
			{"nothing", object{"name": nil, "type": nil, "currency": nil, "is_default": nil, "zones": nil}, []string{
				"missing_field name", "missing_field type",
				"missing_field zones",
			}},
			{
				"wrong values",
				object{"name": strings.Repeat("x", 121), "type": "volume", "currency": "JPY", "is_default": "yes", "zones": "all", "price": 1},
				[]string{"too_long name", "invalid_value type", "unsupported_currency currency", "invalid_type is_default", "invalid_type zones", "unknown_field price"},
			},
			{"a name of blanks", object{"name": "  "}, []string{"too_short name"}},
			{"a name of two lines", object{"name": "a\nb"}, []string{"invalid_value name"}},
			{"no zones", zones(), []string{"too_short zones"}},
			{"an empty zone", zones(object{}), []string{"missing_field zones[0].name", "too_short zones[0].rates"}},
			{"an empty rate", zones(world(object{})), []string{"missing_field zones[0].rates[0].delivery_service_id", "missing_field zones[0].rates[0].price"}},
			{"a price without its parts", zones(world(object{"delivery_service_id": "201", "price": object{}})), []string{
				"missing_field zones[0].rates[0].price.amount",
				"missing_field zones[0].rates[0].price.currency",
			}},
			{"a price as a number", zones(world(object{"delivery_service_id": "201", "price": 1.5})), []string{"invalid_type zones[0].rates[0].price"}},
			{
				"everywhere else before the end", zones(world(rate("201", "1.00")), object{"name": "Home", "countries": []any{"BE"}, "rates": []any{rate("201", "1.00")}}),
				[]string{"too_short zones[0].countries"},
			},
			{
				"countries that are none, or in two zones",
				zones(object{"name": "Home", "countries": []any{"BE", "XX", "be", "BE"}, "rates": []any{rate("201", "1.00")}}, object{
					"name": "Near", "countries": []any{"BE"},
					"rates": []any{rate("201", "1.00")},
				}),
				[]string{"invalid_value zones[0].countries[1]", "invalid_value zones[0].countries[2]", "invalid_value zones[0].countries[3]", "invalid_value zones[1].countries[0]"},
			},
			{"a service that is not there", only("fixed", rate("1", "1.00")), []string{"unknown_delivery_service zones[0].rates[0].delivery_service_id"}},
			{"another currency", only("fixed", dollars), []string{"currency_mismatch zones[0].rates[0].price.currency"}},
			{"a service twice", only("fixed", rate("201", "1.00"), rate("201", "2.00")), []string{"invalid_value zones[0].rates[1].delivery_service_id"}},
			{"weights of a fixed rate", only("fixed", weighed("201", 0, 20, "1.00")), []string{
				"conflicting_fields zones[0].rates[0].from",
				"conflicting_fields zones[0].rates[0].to",
			}},
			{"a fixed rate for nothing", only("fixed", rate("201", "0.00")), []string{"out_of_range zones[0].rates[0].price.amount"}},
			{"a free rate that costs", only("free", rate("201", "0.01")), []string{"out_of_range zones[0].rates[0].price.amount"}},
			{"no weights", only("weight", rate("201", "1.00")), []string{"missing_field zones[0].rates[0].from"}},
			{"weights that begin too late", only("weight", weighed("201", 1, nil, "1.00")), []string{"invalid_value zones[0].rates[0].from"}},
			{"weights that leave a gap", only("weight", weighed("201", 0, 20, "1.00"), weighed("201", 21, nil, "2.00")), []string{"invalid_value zones[0].rates[1].from"}},
			{"weights that overlap", only("weight", weighed("201", 0, 20, "1.00"), weighed("201", 19, nil, "2.00")), []string{"invalid_value zones[0].rates[1].from"}},
			{
				"weights after the end", only("weight", weighed("201", 0, nil, "1.00"), weighed("201", 20, nil, "2.00")),
				[]string{"invalid_value zones[0].rates[1].delivery_service_id"},
			},
			{"weights of no width", only("weight", weighed("201", 0, 20, "1.00"), weighed("201", 20, 20, "2.00")), []string{"out_of_range zones[0].rates[1].to"}},
			{"weights below nothing", only("weight", weighed("201", -1, 20, "1.00")), []string{"out_of_range zones[0].rates[0].from"}},
			{"a retired default", object{"is_default": true, "retired": true}, []string{"conflicting_fields is_default"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				post := w.DoOperator(t, servertest.Request{Path: modelsPath(w), Body: inMode("test", fixedModel(test.changes))})
				put := w.DoOperator(t, servertest.Request{Method: http.MethodPut, Path: modelsPath(w) + "/" + id, Body: fixedModel(test.changes)})
				for method, got := range map[string]servertest.Response{"POST": post, "PUT": put} {
					if diff := cmp.Diff(test.codes, got.Codes(), sortStrings); diff != "" || got.Status != 422 {
						t.Errorf("%s: %d, codes (-want +got):\n%s", method, got.Status, diff)
					}
				}
			})
		}
		for _, test := range []struct {
			name, method, path string
			body               any
			status             int
			codes              []string
		}{
			{"no mode", "POST", modelsPath(w), fixedModel(nil), 422, []string{"missing_field mode"}},
			{"no mode and no name", "POST", modelsPath(w), fixedModel(object{"name": nil}), 422, []string{"missing_field mode", "missing_field name"}},
			{"an unknown mode", "POST", modelsPath(w), inMode("prod", fixedModel(nil)), 422, []string{"invalid_value mode"}},
			{"a new mode", "PUT", modelsPath(w) + "/" + id, inMode("live", fixedModel(nil)), 422, []string{"unknown_field mode"}},
			{"an account that is not there", "POST", "/operator/accounts/99/shipping-models", inMode("test", fixedModel(nil)), 404, []string{"route_not_found"}},
			{"a model that is not there", "PUT", modelsPath(w) + "/99", fixedModel(nil), 404, []string{"route_not_found"}},
			{"a model that cannot be", "DELETE", modelsPath(w) + "/letter", nil, 404, []string{"route_not_found"}},
			{"a model of another account", "DELETE", "/operator/accounts/99/shipping-models/" + id, nil, 404, []string{"route_not_found"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.DoOperator(t, servertest.Request{Method: test.method, Path: test.path, Body: test.body})
				if diff := cmp.Diff(test.codes, got.Codes(), sortStrings); diff != "" || got.Status != test.status {
					t.Errorf("%d instead of %d, codes (-want +got):\n%s", got.Status, test.status, diff)
				}
			})
		}
		if diff := cmp.Diff(before, shippingModels(t, w, w.Key)); diff != "" {
			t.Errorf("the models after the refusals (-want +got):\n%s", diff)
		}
	})
}
