package v1_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// This file is about models that are taken between the look for their use and the lock of their owner.

// interruptedStore runs meanwhile once, right before a transaction begins.
type interruptedStore struct {
	v1.Store
	meanwhile func()
}

func (s *interruptedStore) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	if meanwhile := s.meanwhile; meanwhile != nil {
		s.meanwhile = nil
		meanwhile()
	}
	return s.Store.Write(ctx, fn)
}

func TestAModelThatIsTakenWhileItIsRemovedIsRetired(t *testing.T) {
	takes := map[string]func(t *testing.T, w *servertest.World, model, other string){
		"by an item": func(t *testing.T, w *servertest.World, model, _ string) {
			w.List(t, servertest.FixedPrice(object{"shipping_model_id": model, "weight_grams": 30}))
		},
		"by a submission that waits": func(t *testing.T, w *servertest.World, model, _ string) {
			submitted := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(object{"shipping_model_id": model, "weight_grams": 30})})
			if submitted.Status != http.StatusAccepted {
				t.Errorf("submit: %d %s", submitted.Status, submitted.Body)
			}
		},
		"by a sale whose item has another one now": func(t *testing.T, w *servertest.World, model, other string) {
			item := w.List(t, servertest.FixedPrice(object{"shipping_model_id": model, "weight_grams": 30, "quantity": 2}))
			buy(t, w, item)
			changed := w.Do(t, servertest.Request{Method: http.MethodPatch, Path: "/v1/items/" + item, Body: object{"shipping_model_id": other}})
			if changed.Status != http.StatusOK {
				t.Errorf("change the item: %d %s", changed.Status, changed.Body)
			}
		},
	}
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		for name, take := range takes {
			t.Run(name, func(t *testing.T) {
				var store *interruptedStore
				w := servertest.New(t, database(t), func(c *v1.Config) {
					store = &interruptedStore{Store: c.Store}
					c.Store = store
				})
				other := defaultModels(shippingModels(t, w, w.Key))[0]
				buy(t, w, w.List(t, servertest.FixedPrice(object{"shipping_model_id": other, "weight_grams": 30})))

				model := newModel(t, w, nil)
				store.meanwhile = func() { take(t, w, model, other) }
				want := object{"id": model, "deleted": false, "retired": true}
				if diff := cmp.Diff(want, removeModel(t, w, model)); diff != "" {
					t.Errorf("removed by the operator (-want +got):\n%s", diff)
				}

				listed := listModels(t, w)
				model = newModel(t, w, nil)
				store.meanwhile = func() { take(t, w, model, other) }
				changes, err := setModels(t, w, listed)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(ids(t, model), changes.Retired); diff != "" || len(changes.Deleted) > 0 {
					t.Errorf("left out of the file, deleted %v, retired (-want +got):\n%s", changes.Deleted, diff)
				}
			})
		}
	})
}
