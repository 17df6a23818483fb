package lineartest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"

	"github.com/anishathalye/porcupine"

	"sellerd/internal/proof/blackbox"
)

// The counters of a store: a seller submits, closes and restarts items while the store's limits are near. The counters go
// with the requests that were accepted, and no limit is ever exceeded.

// The limits of each store of these histories, and how many items it has at the beginning.
const (
	storeOpen  = 5
	storeDaily = 9
	storeItems = 3
)

// store is a seller's store. Each has an account of its own.
type store struct {
	ids    [storeItems]string
	resets string      // when the counter of the day begins anew
	passed atomic.Bool // it did during the history, which then proves nothing
}

// The requests about a store.
type (
	submit struct{}
	stop   struct{ Item int }
	again  struct{ Item int }
	count  struct{}
)

// done is the output of a request that was accepted.
type done struct{}

// counters are what is used of the store's limits.
type counters struct{ Open, Daily int }

// storeState is the state of a store.
type storeState struct {
	counters
	Closed [storeItems]bool
}

func (s *store) next(rng *rand.Rand, m *memory) request {
	n := rng.IntN(storeItems)
	accepted := func(blackbox.Answer) (any, error) { return done{}, nil }
	switch choice := rng.IntN(10); {
	case choice < 3:
		body := blackbox.Item(fmt.Sprintf("%d-%d", m.client, m.sent))
		return request{method: http.MethodPost, path: "/v1/items", body: body, in: submit{}, out: accepted}
	case choice < 6:
		return request{method: http.MethodPost, path: "/v1/items/" + s.ids[n] + "/close", in: stop{n}, out: accepted}
	case choice < 8:
		return request{method: http.MethodPost, path: "/v1/items/" + s.ids[n] + "/restart", in: again{n}, out: accepted}
	}
	return s.count()
}

func (s *store) last(*memory) []request { return []request{s.count()} }

func (s *store) count() request {
	return request{
		method: http.MethodGet, path: "/v1/account/limits", in: count{}, out: func(got blackbox.Answer) (any, error) {
			shown, err := limitsOf(got.Data)
			if shown.NewItemsPerDay.ResetAt != s.resets {
				s.passed.Store(true)
			}
			return counters{shown.OpenItems.Used, shown.NewItemsPerDay.Used}, err
		},
	}
}

// limits is what GET /v1/account/limits says of a store.
type limits struct {
	OpenItems      struct{ Used int } `json:"open_items"`
	NewItemsPerDay struct {
		Used    int
		ResetAt string `json:"reset_at"`
	} `json:"new_items_per_day"`
}

func limitsOf(data []byte) (shown limits, err error) {
	err = json.Unmarshal(data, &shown)
	return shown, err
}

func (s *store) model([]porcupine.Operation) porcupine.Model {
	begin := storeState{counters: counters{Open: storeItems, Daily: storeItems}}
	return modelOf(begin, exactly(func(b storeState, in any) (storeState, any) {
		switch in := in.(type) {
		case submit:
			return b.charge(b)
		case stop:
			if b.Closed[in.Item] {
				return b, refused{"item_not_open", "closed"}
			}
			b.Closed[in.Item] = true
			b.Open--
			return b, done{}
		case again:
			if !b.Closed[in.Item] {
				return b, refused{"item_not_restartable", "open"}
			}
			opened := b
			opened.Closed[in.Item] = false
			return b.charge(opened)
		}
		return b, b.counters
	}))
}

// charge is the state that follows if there is room for one more item, else the present one with the reason.
func (b storeState) charge(then storeState) (storeState, any) {
	switch {
	case b.Open >= storeOpen:
		return b, refused{Code: "store_limit_reached"}
	case b.Daily >= storeDaily:
		return b, refused{Code: "daily_item_limit_reached"}
	}
	then.Open, then.Daily = then.Open+1, then.Daily+1
	return then, done{}
}
