package v1_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/accounts"
)

// setModels sets the test mode's models of the seller.
func setModels(t *testing.T, w *servertest.World, models []object) (*accounts.ShippingModelChanges, error) {
	t.Helper()
	text, err := json.Marshal(models)
	if err != nil {
		t.Fatal(err)
	}
	return w.Service.SetShippingModels(t.Context(), w.Account, "test", text)
}

// listModels are the test mode's models of the seller as the command prints them.
func listModels(t *testing.T, w *servertest.World) []object {
	t.Helper()
	models, err := w.Service.ListShippingModels(t.Context(), w.Account, "test")
	if err != nil {
		t.Fatal(err)
	}
	return servertest.Into[[]object](t, servertest.Response{Data: v1.EncodeJSON(nil, &models)})
}

func ids(t *testing.T, texts ...string) (out []v1.ID) {
	t.Helper()
	for _, text := range texts {
		out = append(out, v1.ID(number(t, text)))
	}
	return out
}

func TestWhatIsListedCanBeSetAgain(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		retired := newModel(t, w, nil)
		w.List(t, servertest.FixedPrice(object{"shipping_model_id": retired}))
		removeModel(t, w, retired)
		before := shippingModels(t, w, w.Key)
		w.Clock.Advance(time.Hour)
		changes, err := setModels(t, w, listModels(t, w))
		if err != nil {
			t.Fatal(err)
		}
		want := &accounts.ShippingModelChanges{Default: v1.Some(ids(t, defaultModels(before)...)[0])}
		for _, model := range before {
			want.Unchanged = append(want.Unchanged, ids(t, model["id"].(string))...)
		}
		if diff := cmp.Diff(want, changes); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(before, shippingModels(t, w, w.Key)); diff != "" {
			t.Errorf("models (-want +got):\n%s", diff)
		}
	})
}

func TestModelsAreSetAllAtOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		live, first := shippingModels(t, w, w.LiveKey), listModels(t, w)
		byWeight, flat, free := first[0], first[1], first[2]
		w.List(t, servertest.FixedPrice(object{"shipping_model_id": flat["id"], "weight_grams": 5}))
		byWeight["name"], byWeight["is_default"] = "Parcel", false
		changes, err := setModels(t, w, []object{byWeight, fixedModel(object{"is_default": true})})
		if err != nil {
			t.Fatal(err)
		}
		shown := shippingModels(t, w, w.Key)
		made := shown[len(shown)-1]["id"].(string)
		want := &accounts.ShippingModelChanges{
			Created: ids(t, made), Changed: ids(t, byWeight["id"].(string)), Retired: ids(t, flat["id"].(string)),
			Deleted: ids(t, free["id"].(string)), Default: v1.Some(ids(t, made)[0]),
		}
		if diff := cmp.Diff(want, changes); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		flat["retired"] = true
		if diff := cmp.Diff([]object{byWeight, flat, fixedModel(object{"id": made, "is_default": true, "retired": false})}, listModels(t, w)); diff != "" {
			t.Errorf("models (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(live, shippingModels(t, w, w.LiveKey)); diff != "" {
			t.Errorf("live models (-want +got):\n%s", diff)
		}
		if _, err := setModels(t, w, nil); err == nil {
			t.Error("null was taken for no models")
		}
		if changes, err = setModels(t, w, []object{}); err != nil || len(changes.Deleted) != 2 || len(changes.Retired) != 1 || changes.Default.Set {
			t.Errorf("no models: %+v %v", changes, err)
		}
	})
}

func TestATextWithAMistakeSetsNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, otherKey, _ := w.Seller(t, "bruno")
		before := shippingModels(t, w, w.Key)
		own := func(at int, changes object) object {
			model := fixedModel(changes)
			model["id"] = before[at]["id"]
			return model
		}
		many := make([]object, 101)
		for i := range many {
			many[i] = fixedModel(nil)
		}
		for _, test := range []struct {
			name   string
			models []object
			fields []string
		}{
			{"the second is wrong", []object{own(0, nil), fixedModel(object{"name": "", "zones": nil})}, []string{"too_short [1].name", "missing_field [1].zones"}},
			{"one member too many", []object{own(0, object{"mode": "test"})}, []string{"unknown_field [0].mode"}},
			{"two defaults", []object{own(0, object{"is_default": true}), own(1, object{"is_default": true})}, []string{"conflicting_fields [1].is_default"}},
			{"one of another seller", []object{fixedModel(object{"id": shippingModels(t, w, otherKey)[0]["id"]})}, []string{"unknown_shipping_model [0].id"}},
			{"one of the other mode", []object{fixedModel(object{"id": shippingModels(t, w, w.LiveKey)[0]["id"]})}, []string{"unknown_shipping_model [0].id"}},
			{"one twice", []object{own(0, nil), own(0, nil)}, []string{"invalid_value [1].id"}},
			{"too many", many, []string{"too_long [100]"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				_, err := setModels(t, w, test.models)
				var problems v1.Errors
				if !errors.As(err, &problems) {
					t.Fatalf("want what is wrong with the text, got %v", err)
				}
				got := []string{}
				for _, problem := range problems {
					got = append(got, string(problem.Code)+" "+problem.Field)
				}
				if diff := cmp.Diff(test.fields, got, sortStrings); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
		if diff := cmp.Diff(before, shippingModels(t, w, w.Key)); diff != "" {
			t.Errorf("models (-want +got):\n%s", diff)
		}
	})
}
