package delivery_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/plantest"
	"sellerd/internal/servertest"
	"sellerd/v1"
	"sellerd/v1/delivery"
)

// thirty is an engine, and a dispatch for each of thirty webhooks. Dispatch n belongs to webhook n+1, the last to the first.
func thirty(t *testing.T, w *servertest.World) *delivery.Engine {
	t.Helper()
	c := config(w)
	c.Unseal = func(int64, []byte) (string, error) { return "whsec_c2VjcmV0", nil }
	engine, err := delivery.New(c)
	if err != nil {
		t.Fatal(err)
	}
	owner := v1.OwnerOf(w.Account, true)
	plantest.FillDispatches(t, w, owner, plantest.FillWebhooks(t, w, owner, 30), 30, "pending")
	return engine
}

// claimed is what a claim took, and whether it asks for another at once.
type claimed struct {
	Dispatches []int64
	Again      bool
}

func numbers(from, to int64) (all []int64) {
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

func TestEndpointsHaveTheirTurnsInRounds(t *testing.T) {
	for name, test := range map[string]struct {
		change func(t *testing.T, w *servertest.World)
		want   []claimed // by the claims that follow the first
	}{
		"the next claim goes on where the last one ended": {
			change: func(*testing.T, *servertest.World) {},
			want:   []claimed{{numbers(12, 23), true}, {numbers(24, 29), false}, {nil, false}},
		},
		"what is sent meanwhile by hand to an endpoint that had its turn goes in the next round": {
			change: func(t *testing.T, w *servertest.World) {
				plantest.Fill(t, w, "UPDATE dispatches SET due_at = 0, webhook_id = 1 WHERE id = 29")
			},
			want: []claimed{{numbers(12, 23), true}, {numbers(24, 28), false}, {[]int64{29}, false}},
		},
		"a round ends after a while": {
			change: func(t *testing.T, w *servertest.World) {
				plantest.Fill(t, w, "UPDATE dispatches SET due_at = 0, webhook_id = 1 WHERE id = 29")
				w.Clock.Advance(delivery.RoundTime)
			},
			want: []claimed{{append([]int64{29}, numbers(12, 22)...), true}, {numbers(23, 28), false}, {nil, false}},
		},
		"an endpoint that was paused before its turn is passed over": {
			change: func(t *testing.T, w *servertest.World) {
				plantest.Fill(t, w, "UPDATE webhooks SET status = 'paused' WHERE id BETWEEN 13 AND 24")
			},
			want: []claimed{{numbers(24, 29), false}, {nil, false}},
		},
		"an endpoint that has a turn and nothing to send ends no round": {
			change: func(t *testing.T, w *servertest.World) {
				plantest.Fill(t, w, "UPDATE dispatches SET due_at = due_at + 60000000 WHERE id BETWEEN 12 AND 28")
			},
			want: []claimed{{[]int64{29}, false}, {nil, false}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				claim := thirty(t, w).Claims(delivery.NewSlots())
				next := func() claimed {
					dispatches, again, err := claim(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					return claimed{dispatches, again}
				}
				if diff := cmp.Diff(claimed{append([]int64{30}, numbers(1, 11)...), true}, next()); diff != "" {
					t.Fatalf("the first claim (-want +got):\n%s", diff)
				}
				test.change(t, w)
				for i, want := range test.want {
					if diff := cmp.Diff(want, next()); diff != "" {
						t.Errorf("claim %d (-want +got):\n%s", i+2, diff)
					}
				}
			})
		})
	}
}

// An endpoint is locked and read at its turn, so a claim of another process between the look and the turn is seen.
func TestARoundTakesNothingTwice(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		engine := thirty(t, w)
		taken := map[int64]int{}
		one, other := engine.Claims(delivery.NewSlots()), engine.Claims(delivery.NewSlots())
		for range 6 {
			for _, claim := range []func() ([]int64, bool, error){
				func() ([]int64, bool, error) { return one(t.Context()) },
				func() ([]int64, bool, error) { return other(t.Context()) },
			} {
				dispatches, _, err := claim()
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range dispatches {
					taken[id]++
				}
			}
		}
		want := map[int64]int{}
		for _, id := range numbers(1, 30) {
			want[id] = 1
		}
		if diff := cmp.Diff(want, taken); diff != "" {
			t.Errorf("how often each dispatch was taken (-want +got):\n%s", diff)
		}
	})
}
