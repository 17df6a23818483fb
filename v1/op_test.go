package v1_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestATypedCallIsTheOperationOfTheTable(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	ctx := context.Background()
	caller, err := w.Service.Authenticate(ctx, w.Key)
	if err != nil {
		t.Fatalf("authenticate: %v", err)
	}
	id := w.List(t, servertest.FixedPrice())
	newCall := func() *v1.Call { return &v1.Call{Caller: caller, Request: v1.Request{Language: "en"}} }

	t.Run("its result is what the table's run returns", func(t *testing.T) {
		c := newCall()
		in, err := v1.GetItem.Input(c, map[string]string{"id": id}, "", nil)
		if err != nil {
			t.Fatalf("bind: %v", err)
		}
		item, err := v1.GetItem.Call(ctx, w.Service, c, in)
		if err != nil {
			t.Fatalf("call: %v", err)
		}
		want, refused := runBound(t, w, v1.GetItem.Operation, map[string]string{"id": id}, "", "")
		if diff := cmp.Diff(want, string(v1.EncodeJSON(nil, item))); diff != "" || len(refused) > 0 {
			t.Errorf("refused: %v (-run +call):\n%s", refused, diff)
		}
	})
	t.Run("a refusal comes without a result", func(t *testing.T) {
		item, err := v1.GetItem.Call(ctx, w.Service, newCall(), &v1.ItemRef{ID: 5})
		var refused v1.Errors
		if item != nil || !errors.As(err, &refused) || refused[0].Code != v1.ItemNotFound {
			t.Errorf("%+v and %v instead of item_not_found", item, err)
		}
	})
	t.Run("what cannot be bound has no input", func(t *testing.T) {
		in, err := v1.GetItem.Input(newCall(), map[string]string{"id": "abc"}, "", nil)
		var refused v1.Errors
		if in != nil || !errors.As(err, &refused) || refused[0].Code != v1.ItemNotFound {
			t.Errorf("%+v and %v instead of item_not_found", in, err)
		}
	})
}
