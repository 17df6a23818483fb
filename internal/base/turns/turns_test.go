package turns_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"sellerd/internal/base/turns"
)

func TestAFewGoAtATimeAndTheOthersInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := turns.New[string](2)
		var went []int
		ends := map[int]func(){}
		for i := range 4 {
			go func() {
				end, err := all.Take(t.Context(), "one")
				if err != nil {
					t.Error(err)
				}
				went, ends[i] = append(went, i), end
			}()
			synctest.Wait()
		}
		if len(went) != 2 {
			t.Fatalf("%v have a turn", went)
		}
		ends[0]()
		synctest.Wait()
		ends[1]()
		synctest.Wait()
		if len(went) != 4 || went[2] != 2 || went[3] != 3 {
			t.Errorf("the order of turns is %v", went)
		}
		ends[2]()
		ends[3]()
		if n := all.Len("one"); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}

func TestOneThingDoesNotWaitForAnother(t *testing.T) {
	all := turns.New[string](1)
	for _, name := range []string{"one", "another"} {
		end, err := all.Take(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer end()
	}
}

func TestACallerThatLeavesTakesNoTurn(t *testing.T) {
	all := turns.New[string](1)
	end, err := all.Take(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := all.Take(gone, "one"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that left got %v", err)
	}
	if n := all.Len("one"); n != 1 {
		t.Errorf("%d have a turn or wait, and not 1", n)
	}
	end()
	again, err := all.Take(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	again()
	if n := all.Len("one"); n != 0 {
		t.Errorf("%d are left", n)
	}
}
