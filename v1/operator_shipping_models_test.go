package v1_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
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
		request := servertest.Keyed("a-model", modelsPath(w), inMode("test", fixedModel(object{"is_default": true})))
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
