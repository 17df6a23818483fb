package lineartest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"

	"github.com/anishathalye/porcupine"

	"sellerd/internal/proof/blackbox"
)

// Idempotency keys: several clients buy an item under few keys. Under each key there is one sale, and all who used the key
// have the same answer, byte for byte, but for those who asked for something else under it.

// keysOfHistory is how many keys a history has.
const keysOfHistory = 3

// keyed is an item that is bought under keys.
type keyed struct{ id string }

// buyAs is a purchase under a key.
type buyAs struct{ Key, Quantity int }

// answered is the answer to it: its fingerprint, and whether the service says that it is an earlier answer.
type answered struct {
	Quantity    int
	Fingerprint uint64
	Replayed    bool
}

// known is what is stored under a key. The fingerprint is 0 if no client has had the answer.
type known struct {
	Quantity    int
	Fingerprint uint64
}

// keysState is the state of the item.
type keysState struct {
	Keys [keysOfHistory]known
	sales
}

func (k *keyed) next(rng *rand.Rand, _ *memory) request {
	if rng.IntN(5) == 0 {
		return listingOf(k.id)
	}
	key, quantity := rng.IntN(keysOfHistory), 1
	if rng.IntN(6) == 0 {
		quantity = 2
	}
	return k.buy(key, quantity)
}

// last asks for every answer once more.
func (k *keyed) last(*memory) (requests []request) {
	for key := range keysOfHistory {
		requests = append(requests, k.buy(key, 1))
	}
	return append(requests, listingOf(k.id))
}

func (k *keyed) buy(key, quantity int) request {
	return request{
		method: http.MethodPost, path: "/v1/test/items/" + k.id + "/purchase", key: fmt.Sprintf("%s-%d", k.id, key),
		body: map[string]any{"quantity": quantity}, in: buyAs{key, quantity}, out: func(got blackbox.Answer) (any, error) {
			var sale bought
			err := json.Unmarshal(got.Data, &sale)
			hash := fnv.New64a()
			hash.Write(got.Data)
			return answered{sale.Quantity, hash.Sum64(), got.Replayed}, err
		},
	}
}

func (k *keyed) model([]porcupine.Operation) porcupine.Model {
	return modelOf(keysState{}, func(l keysState, in, out any) (keysState, bool) {
		asked, ok := in.(buyAs)
		if !ok {
			return l, out == any(l.sales)
		}
		stored := &l.Keys[asked.Key]
		first := stored.Quantity == 0
		if first {
			stored.Quantity = asked.Quantity
			l.Count, l.Pieces = l.Count+1, l.Pieces+asked.Quantity
		}
		switch out := out.(type) {
		case unknown:
			return l, true
		case refused:
			return l, !first && stored.Quantity != asked.Quantity && out.Code == "idempotency_key_reused"
		case answered:
			fits := out.Quantity == asked.Quantity && stored.Quantity == asked.Quantity && out.Replayed == !first &&
				(stored.Fingerprint == 0 || stored.Fingerprint == out.Fingerprint)
			stored.Fingerprint = out.Fingerprint
			return l, fits
		}
		return l, false
	})
}
