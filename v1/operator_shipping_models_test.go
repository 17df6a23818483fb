package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/servertest"
)

// fixedModel is a shipping model of one price in each of two zones.
func fixedModel(changes object) object {
	model := object{
		"name": "Letter", "type": "fixed", "currency": "EUR", "is_default": false, "zones": []any{
			object{"name": "Home", "countries": []any{"BE", "NL"}, "rates": []any{rate("201", "3.10")}},
			object{"name": "World", "countries": []any{}, "rates": []any{rate("201", "6.20"), rate("901", "7.00")}},
		},
	}
	for name, value := range changes {
		if value == nil {
			delete(model, name)
		} else {
			model[name] = value
		}
	}
	return model
}

func rate(service, price string) object {
	return object{"delivery_service_id": service, "from": nil, "to": nil, "price": object{"amount": price, "currency": "EUR"}}
}

func weighed(service string, from, to any, price string) object {
	return object{"delivery_service_id": service, "from": from, "to": to, "price": object{"amount": price, "currency": "EUR"}}
}

func inMode(mode string, model object) object { model["mode"] = mode; return model }

func shippingModels(t *testing.T, w *servertest.World, key string) []object {
	t.Helper()
	page := servertest.Into[struct {
		Results []object `json:"results"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/shipping-models", Key: key}))
	return page.Results
}

// modelShown is a model as a seller reads it, nil when the list does not show it.
func modelShown(t *testing.T, w *servertest.World, id string) object {
	t.Helper()
	for _, model := range shippingModels(t, w, w.Key) {
		if model["id"] == id {
			return model
		}
	}
	return nil
}

func defaultModels(models []object) []string {
	ids := []string{}
	for _, model := range models {
		if model["is_default"] == true {
			ids = append(ids, model["id"].(string))
		}
	}
	return ids
}

func modelsPath(w *servertest.World) string {
	return "/operator/accounts/" + accountID(w) + "/shipping-models"
}

// newModel makes a model in test mode and returns its id.
func newModel(t *testing.T, w *servertest.World, changes object) string {
	t.Helper()
	return operate(t, w, 201, modelsPath(w), inMode("test", fixedModel(changes)))["id"].(string)
}

func removeModel(t *testing.T, w *servertest.World, id string) object {
	t.Helper()
	got := w.DoOperator(t, servertest.Request{Method: http.MethodDelete, Path: modelsPath(w) + "/" + id})
	if got.Status != 200 {
		t.Fatalf("DELETE %s: %d %s", id, got.Status, got.Body)
	}
	return servertest.Into[object](t, got)
}

func TestTheOperatorMakesShippingModels(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		live, first := shippingModels(t, w, w.LiveKey), shippingModels(t, w, w.Key)
		w.Clock.Advance(time.Hour)
		request := keyed("a-model", modelsPath(w), inMode("test", fixedModel(object{"is_default": true})))
		made, again := w.DoOperator(t, request), w.DoOperator(t, request)
		if made.Status != 201 || again.Body != made.Body || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Fatalf("made %d %s\nagain %d %s", made.Status, made.Body, again.Status, again.Body)
		}
		answer := servertest.Into[object](t, made)
		id := answer["id"].(string)
		if want := modelsPath(w) + "/" + id; made.Header.Get("Location") != want {
			t.Errorf("Location: %q instead of %q", made.Header.Get("Location"), want)
		}
		want := fixedModel(object{"id": id, "is_default": true, "retired": false, "updated_at": answer["updated_at"]})
		if diff := cmp.Diff(want, answer); diff != "" {
			t.Errorf("the operator's answer (-want +got):\n%s", diff)
		}
		now := shippingModels(t, w, w.Key)
		if diff := cmp.Diff(want, now[len(now)-1]); diff != "" || len(now) != len(first)+1 {
			t.Errorf("what the seller reads (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{id}, defaultModels(now)); diff != "" {
			t.Errorf("default models (-want +got):\n%s", diff)
		}
		if before := defaultModels(first); modelShown(t, w, before[0])["updated_at"] == first[0]["updated_at"] {
			t.Error("the model that was the default is as old as before")
		}
		if diff := cmp.Diff(live, shippingModels(t, w, w.LiveKey)); diff != "" {
			t.Errorf("live models (-want +got):\n%s", diff)
		}
		operate(t, w, 201, modelsPath(w), inMode("live", fixedModel(object{"currency": nil})))
		if got := shippingModels(t, w, w.LiveKey); len(got) != len(live)+1 || got[len(got)-1]["currency"] != "EUR" {
			t.Errorf("live models after one more: %v", got)
		}
	})
}

func TestTheOperatorReplacesAShippingModel(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := newModel(t, w, nil)
		path := modelsPath(w) + "/" + id
		item := w.List(t, servertest.FixedPrice(object{"shipping_model_id": id, "weight_grams": 30}))
		before := modelShown(t, w, id)
		put := func(model object, ifMatch string) servertest.Response {
			request := servertest.Request{Method: http.MethodPut, Path: path, Body: model, Header: map[string]string{}}
			if ifMatch != "" {
				request.Header["If-Match"] = ifMatch
			}
			return w.DoOperator(t, request)
		}
		w.Clock.Advance(time.Hour)
		same := put(fixedModel(nil), "")
		if diff := cmp.Diff(before, servertest.Into[object](t, same)); diff != "" {
			t.Errorf("the same again (-want +got):\n%s", diff)
		}
		byWeight := fixedModel(object{"name": "Parcel", "type": "weight", "zones": []any{object{"name": "World", "countries": []any{}, "rates": []any{
			weighed("201", 0.0, 20.0, "1.00"), weighed("201", 20.0, 100.0, "2.50"), weighed("901", 0.0, nil, "9.00"),
		}}}})
		changed := put(byWeight, same.Header.Get("ETag"))
		want := object{"id": id, "retired": false, "updated_at": "2026-11-21T13:00:00.000001Z"} // two changes of one instant
		for name, value := range byWeight {
			want[name] = value
		}
		for name, got := range map[string]object{"the operator's answer": servertest.Into[object](t, changed), "what the seller reads": modelShown(t, w, id)} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		if diff := cmp.Diff([]string{"precondition_failed If-Match"}, put(fixedModel(nil), same.Header.Get("ETag")).Codes()); diff != "" {
			t.Errorf("with an old tag (-want +got):\n%s", diff)
		}
		sale := buy(t, w, item)
		bill := operate(t, w, 200, "/operator/bills/"+sale["bill_id"].(string)+"/invoice", object{})
		if diff := cmp.Diff(object{"amount": "2.50", "currency": "EUR"}, bill["shipping_cost"]); diff != "" {
			t.Errorf("shipping cost (-want +got):\n%s", diff)
		}
	})
}

func TestAShippingModelThatNothingUsesIsRemoved(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := newModel(t, w, nil)
		before := shippingModels(t, w, w.Key)
		if diff := cmp.Diff(object{"id": id, "deleted": true, "retired": false}, removeModel(t, w, id)); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(before[:len(before)-1], shippingModels(t, w, w.Key)); diff != "" {
			t.Errorf("the models that are left (-want +got):\n%s", diff)
		}
		for _, method := range []string{http.MethodDelete, http.MethodPut} {
			request := servertest.Request{Method: method, Path: modelsPath(w) + "/" + id}
			if method == http.MethodPut {
				request.Body = fixedModel(nil)
			}
			if got := w.DoOperator(t, request); got.Status != 404 || got.Codes()[0] != "route_not_found" {
				t.Errorf("%s of a removed model: %d %s", method, got.Status, got.Body)
			}
		}
		got := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(object{"shipping_model_id": id})})
		if diff := cmp.Diff([]string{"unknown_shipping_model shipping_model_id"}, got.Codes()); diff != "" {
			t.Errorf("an item with it (-want +got):\n%s", diff)
		}
	})
}

func TestAShippingModelInUseIsRetired(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		list := func(id string, changes ...map[string]any) string {
			return w.List(t, servertest.FixedPrice(append(changes, object{"shipping_model_id": id})...))
		}
		post := func(path string, body any) {
			t.Helper()
			if got := w.Do(t, servertest.Request{Method: http.MethodPost, Path: path, Body: body}); got.Status >= 300 {
				t.Fatalf("POST %s: %d %s", path, got.Status, got.Body)
			}
		}
		for name, use := range map[string]func(id string){
			"by an item on sale": func(id string) { list(id) },
			"by a closed item":   func(id string) { post("/v1/items/"+list(id)+"/close", nil) },
			"by a sold item":     func(id string) { buy(t, w, list(id)) },
			"by a sale whose item has another by now": func(id string) {
				item := list(id, pieces(2))
				buy(t, w, item)
				if got := w.Do(t, servertest.Request{Method: http.MethodPatch, Path: "/v1/items/" + item, Body: object{"shipping_model_id": nil}}); got.Status != 200 {
					t.Fatalf("%d %s", got.Status, got.Body)
				}
			},
			"by a submission": func(id string) { post("/v1/items", servertest.FixedPrice(object{"shipping_model_id": id})) },
		} {
			t.Run(name, func(t *testing.T) {
				id := newModel(t, w, nil)
				use(id)
				want := modelShown(t, w, id)
				w.Clock.Advance(time.Hour)
				for range 2 { // to remove it again changes nothing
					if diff := cmp.Diff(object{"id": id, "deleted": false, "retired": true}, removeModel(t, w, id)); diff != "" {
						t.Errorf("answer (-want +got):\n%s", diff)
					}
				}
				got := modelShown(t, w, id)
				if got["updated_at"] == want["updated_at"] {
					t.Error("it is as old as before")
				}
				want["retired"], want["updated_at"] = true, got["updated_at"]
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("what the seller reads (-want +got):\n%s", diff)
				}
			})
		}
	})
}

func TestItemsKeepARetiredShippingModelAndNoNewOneTakesIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := newModel(t, w, nil)
		keeps := object{"shipping_model_id": id, "weight_grams": 10}
		item, closed, other := w.List(t, servertest.FixedPrice(keeps, pieces(9))), w.List(t, servertest.FixedPrice(keeps)), w.List(t, servertest.FixedPrice())
		accepted := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(keeps)})
		w.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/items/" + closed + "/close"})
		removeModel(t, w, id)

		patch := func(item string, body object) servertest.Response {
			return w.Do(t, servertest.Request{Method: http.MethodPatch, Path: "/v1/items/" + item, Body: body})
		}
		unknown := []string{"unknown_shipping_model shipping_model_id"}
		for _, test := range []struct {
			name   string
			send   func() servertest.Response
			status int
			codes  []string
		}{
			{"a change of something else", func() servertest.Response { return patch(item, object{"title": "New title"}) }, 200, []string{}},
			{"a change that names it again", func() servertest.Response { return patch(item, object{"shipping_model_id": id}) }, 200, []string{}},
			{"a restart", func() servertest.Response {
				return w.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/items/" + closed + "/restart"})
			}, 200, []string{}},
			{"a new item", func() servertest.Response {
				return w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(keeps)})
			}, 422, unknown},
			{"the check of a new item", func() servertest.Response {
				return w.Do(t, servertest.Request{Path: "/v1/items?validate_only=true", Body: servertest.FixedPrice(keeps)})
			}, 422, unknown},
			{"a batch", func() servertest.Response {
				return w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": []any{servertest.FixedPrice(keeps)}}})
			}, 422, []string{"unknown_shipping_model items[0].shipping_model_id"}},
			{"another item", func() servertest.Response { return patch(other, keeps) }, 422, unknown},
			{"an item that gives it up", func() servertest.Response { return patch(item, object{"shipping_model_id": nil}) }, 200, []string{}},
			{"an item that wants it back", func() servertest.Response { return patch(item, keeps) }, 422, unknown},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := test.send()
				if diff := cmp.Diff(test.codes, got.Codes()); diff != "" || got.Status != test.status {
					t.Errorf("%d instead of %d (-want +got):\n%s", got.Status, test.status, diff)
				}
			})
		}
		t.Run("a submission that was accepted before is published with it", func(t *testing.T) {
			w.Publish(t)
			submission := servertest.Into[object](t, w.Do(t, servertest.Request{Path: accepted.Header.Get("Location")}))
			published := servertest.Into[object](t, w.Do(t, servertest.Request{Path: fmt.Sprint("/v1/items/", submission["item_id"])}))
			if published["shipping_model_id"] != id {
				t.Errorf("%v", published)
			}
		})
		t.Run("a sale ships by it", func(t *testing.T) {
			sale := buy(t, w, closed)
			bill := operate(t, w, 200, "/operator/bills/"+sale["bill_id"].(string)+"/invoice", object{})
			if diff := cmp.Diff(object{"amount": "3.10", "currency": "EUR"}, bill["shipping_cost"]); diff != "" || bill["shipping_model_id"] != id {
				t.Errorf("bill by model %v (-want +got):\n%s", bill["shipping_model_id"], diff)
			}
		})
		t.Run("it is taken again once the operator brings it back", func(t *testing.T) {
			got := w.DoOperator(t, servertest.Request{Method: http.MethodPut, Path: modelsPath(w) + "/" + id, Body: fixedModel(object{"retired": true, "name": "Old letter"})})
			if model := servertest.Into[object](t, got); model["retired"] != true || model["name"] != "Old letter" {
				t.Errorf("a retired model that stays so: %v", model)
			}
			w.DoOperator(t, servertest.Request{Method: http.MethodPut, Path: modelsPath(w) + "/" + id, Body: fixedModel(nil)})
			if got := patch(item, keeps); got.Status != 200 || modelShown(t, w, id)["retired"] != false {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		})
	})
}

func TestNoModelTakesTheDefaultsPlaceByItself(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := newModel(t, w, object{"is_default": true})
		before := w.List(t, servertest.FixedPrice(pieces(2)))
		sale := buy(t, w, before)
		if diff := cmp.Diff(object{"id": id, "deleted": false, "retired": true}, removeModel(t, w, id)); diff != "" {
			t.Errorf("the default of a sale (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{}, defaultModels(shippingModels(t, w, w.Key))); diff != "" {
			t.Errorf("default models (-want +got):\n%s", diff)
		}
		invoice := "/operator/bills/" + sale["bill_id"].(string) + "/invoice"
		buy(t, w, before)
		got := w.DoOperator(t, servertest.Request{Path: invoice, Body: object{}})
		if diff := cmp.Diff([]string{"missing_field shipping_cost"}, got.Codes()); diff != "" {
			t.Errorf("the invoice of a sale without a model (-want +got):\n%s", diff)
		}
		bill := operate(t, w, 200, invoice, object{"shipping_cost": object{"amount": "4.00", "currency": "EUR"}})
		if bill["status"] != "awaiting_payment" || bill["shipping_model_id"] != nil {
			t.Errorf("bill: %v", bill)
		}
		put := w.DoOperator(t, servertest.Request{Method: http.MethodPut, Path: modelsPath(w) + "/" + id, Body: fixedModel(object{"is_default": true})})
		if diff := cmp.Diff([]string{id}, defaultModels(shippingModels(t, w, w.Key))); diff != "" || put.Status != 200 {
			t.Errorf("default models after %d %s (-want +got):\n%s", put.Status, put.Body, diff)
		}
	})
}

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
			{"nothing", object{"name": nil, "type": nil, "currency": nil, "is_default": nil, "zones": nil}, []string{"missing_field name", "missing_field type", "missing_field zones"}},
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
			{"a price without its parts", zones(world(object{"delivery_service_id": "201", "price": object{}})), []string{"missing_field zones[0].rates[0].price.amount", "missing_field zones[0].rates[0].price.currency"}},
			{"a price as a number", zones(world(object{"delivery_service_id": "201", "price": 1.5})), []string{"invalid_type zones[0].rates[0].price"}},
			{"everywhere else before the end", zones(world(rate("201", "1.00")), object{"name": "Home", "countries": []any{"BE"}, "rates": []any{rate("201", "1.00")}}), []string{"too_short zones[0].countries"}},
			{
				"countries that are none, or in two zones",
				zones(object{"name": "Home", "countries": []any{"BE", "XX", "be", "BE"}, "rates": []any{rate("201", "1.00")}}, object{"name": "Near", "countries": []any{"BE"}, "rates": []any{rate("201", "1.00")}}),
				[]string{"invalid_value zones[0].countries[1]", "invalid_value zones[0].countries[2]", "invalid_value zones[0].countries[3]", "invalid_value zones[1].countries[0]"},
			},
			{"a service that is not there", only("fixed", rate("1", "1.00")), []string{"unknown_delivery_service zones[0].rates[0].delivery_service_id"}},
			{"another currency", only("fixed", dollars), []string{"currency_mismatch zones[0].rates[0].price.currency"}},
			{"a service twice", only("fixed", rate("201", "1.00"), rate("201", "2.00")), []string{"invalid_value zones[0].rates[1].delivery_service_id"}},
			{"weights of a fixed rate", only("fixed", weighed("201", 0, 20, "1.00")), []string{"conflicting_fields zones[0].rates[0].from", "conflicting_fields zones[0].rates[0].to"}},
			{"a fixed rate for nothing", only("fixed", rate("201", "0.00")), []string{"out_of_range zones[0].rates[0].price.amount"}},
			{"a free rate that costs", only("free", rate("201", "0.01")), []string{"out_of_range zones[0].rates[0].price.amount"}},
			{"no weights", only("weight", rate("201", "1.00")), []string{"missing_field zones[0].rates[0].from"}},
			{"weights that begin too late", only("weight", weighed("201", 1, nil, "1.00")), []string{"invalid_value zones[0].rates[0].from"}},
			{"weights that leave a gap", only("weight", weighed("201", 0, 20, "1.00"), weighed("201", 21, nil, "2.00")), []string{"invalid_value zones[0].rates[1].from"}},
			{"weights that overlap", only("weight", weighed("201", 0, 20, "1.00"), weighed("201", 19, nil, "2.00")), []string{"invalid_value zones[0].rates[1].from"}},
			{"weights after the end", only("weight", weighed("201", 0, nil, "1.00"), weighed("201", 20, nil, "2.00")), []string{"invalid_value zones[0].rates[1].delivery_service_id"}},
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

func TestAnAccountHasAtMostAHundredShippingModels(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first := len(shippingModels(t, w, w.Key))
		var last string
		for range 100 - first {
			last = newModel(t, w, nil)
		}
		again := w.DoOperator(t, servertest.Request{Path: modelsPath(w), Body: inMode("test", fixedModel(nil))})
		if diff := cmp.Diff([]string{"out_of_range mode"}, again.Codes()); diff != "" {
			t.Errorf("the 101st (-want +got):\n%s", diff)
		}
		w.List(t, servertest.FixedPrice(object{"shipping_model_id": last}))
		removeModel(t, w, last)
		newModel(t, w, nil)
		revived := w.DoOperator(t, servertest.Request{Method: http.MethodPut, Path: modelsPath(w) + "/" + last, Body: fixedModel(nil)})
		if diff := cmp.Diff([]string{"out_of_range retired"}, revived.Codes()); diff != "" {
			t.Errorf("a retired one that comes back (-want +got):\n%s", diff)
		}
	})
}
