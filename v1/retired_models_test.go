package v1_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// This file is about shipping models that the operator takes away.

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
			"by a submission of a batch": func(id string) {
				post("/v1/item-batches", object{"items": []any{servertest.FixedPrice(), servertest.FixedPrice(object{"shipping_model_id": id})}})
			},
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

func TestAShippingModelThatASubmissionOnlyWritesAboutIsRemoved(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, other := newModel(t, w, nil), newModel(t, w, nil)
		about := object{"description": fmt.Sprintf(`"shipping_model_id":"%s"`, id), "shipping_model_id": other}
		if got := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(about)}); got.Status != http.StatusAccepted {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		if diff := cmp.Diff(object{"id": id, "deleted": true, "retired": false}, removeModel(t, w, id)); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
	})
}

// A program from before the column notes no model. While such a submission waits, it may have any; afterwards its item says what it has.
func TestASubmissionWhoseModelIsNotNotedMayHaveAny(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, other := newModel(t, w, nil), newModel(t, w, nil)
		if got := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(object{"shipping_model_id": id})}); got.Status != http.StatusAccepted {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		fill(t, w, "UPDATE submissions SET shipping_model_id = NULL")
		if diff := cmp.Diff(object{"id": other, "deleted": false, "retired": true}, removeModel(t, w, other)); diff != "" {
			t.Errorf("while it waits (-want +got):\n%s", diff)
		}
		w.Publish(t)
		if diff := cmp.Diff(object{"id": other, "deleted": true, "retired": false}, removeModel(t, w, other)); diff != "" {
			t.Errorf("after it (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(object{"id": id, "deleted": false, "retired": true}, removeModel(t, w, id)); diff != "" {
			t.Errorf("the one that it had (-want +got):\n%s", diff)
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
