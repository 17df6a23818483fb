package lineartest

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"

	"github.com/anishathalye/porcupine"

	"sellerd/internal/proof/blackbox"
)

// A quantity: buyers buy more pieces of an item than there are. In the end the item is sold out, and its sales are as many
// pieces as it had.

// stockPieces is the quantity of each item of these histories.
const stockPieces = 9

// stock is an item with more buyers than pieces.
type stock struct{ id string }

// listing is the request for an item's sales.
type listing struct{}

// sales are an item's sales.
type sales struct{ Count, Pieces int }

// stockState is the state of the item.
type stockState struct {
	sales
	Size int
}

func (s *stock) next(rng *rand.Rand, _ *memory) request {
	switch choice := rng.IntN(10); {
	case choice < 6:
		return buying(s.id, "", 1+rng.IntN(3))
	case choice < 8:
		return listingOf(s.id)
	}
	return piecesOf(s.id)
}

// last buys what is left.
func (s *stock) last(*memory) (requests []request) {
	for range stockPieces {
		requests = append(requests, buying(s.id, "", 1))
	}
	return append(requests, listingOf(s.id), piecesOf(s.id))
}

// listingOf reads the sales of an item, which are fewer than a page has.
func listingOf(id string) request {
	return request{
		method: http.MethodGet, path: "/v1/sales?limit=200&item_id=" + id, in: listing{}, out: func(got blackbox.Answer) (any, error) {
			var page struct{ Results []struct{ Quantity int } }
			err := json.Unmarshal(got.Data, &page)
			out := sales{Count: len(page.Results)}
			for _, sale := range page.Results {
				out.Pieces += sale.Quantity
			}
			return out, err
		},
	}
}

// pieces is what an item says of its quantity.
type pieces struct {
	Status string
	Sold   int
}

func piecesOf(id string) request {
	return request{
		method: http.MethodGet, path: "/v1/items/" + id, in: reading{}, out: func(got blackbox.Answer) (any, error) {
			shown, err := itemOf(got)
			if err != nil {
				return nil, err
			}
			return pieces{shown.(item).Status, shown.(item).Sold}, nil
		},
	}
}

func (s *stock) model([]porcupine.Operation) porcupine.Model {
	return modelOf(stockState{Size: stockPieces}, exactly(func(s stockState, in any) (stockState, any) {
		switch in := in.(type) {
		case listing:
			return s, s.sales
		case reading:
			return s, pieces{s.status(), s.Pieces}
		case buy:
			if refusal := s.refuses(in.Quantity); refusal != (refused{}) {
				return s, refusal
			}
			s.Count, s.Pieces = s.Count+1, s.Pieces+in.Quantity
			return s, bought(in)
		}
		panic("no such request")
	}))
}

func (s stockState) status() string {
	if s.Pieces == s.Size {
		return "sold"
	}
	return "open"
}

// refuses is why so many pieces cannot be bought.
func (s stockState) refuses(quantity int) refused {
	switch left := s.Size - s.Pieces; {
	case left == 0:
		return refused{"item_not_open", "sold"}
	case quantity > left:
		return refused{"out_of_range", string(rune('0' + left))}
	}
	return refused{}
}
