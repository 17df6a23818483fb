package lineartest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"

	"github.com/anishathalye/porcupine"

	"sellerd/internal/proof/blackbox"
)

// The life of an item: bids or purchases, and meanwhile its seller changes it, closes it and puts it on sale again.

// item is an item as its answers show it.
type item struct {
	Status, Title                         string
	Price, Bids, Quantity, Sold, Restarts int
}

// The requests of the life of an item. Amounts are in minor units.
type (
	bid     struct{ Amount int }
	buy     struct{ Quantity int }
	patch   struct{ Title string }
	resize  struct{ Quantity int }
	closing struct{}
	restart struct{}
	ending  struct{}
	reading struct{}
)

// bought is the output of a purchase.
type bought struct{ Quantity int }

// The price of every item of these histories, and by how much a bid exceeds the one before.
const (
	firstPrice   = 500
	bidIncrement = 100
)

// life is an item on sale.
type life struct {
	id      string
	auction bool
	begin   item
}

// lifeOf is the input of an item for such a history, and its state when it is published.
func lifeOf(auction bool, reference string) (input map[string]any, begin item) {
	input = blackbox.Item(reference)
	begin = item{Status: "open", Title: input["title"].(string), Price: firstPrice, Quantity: 6}
	if auction {
		begin.Quantity = 1
		delete(input, "price")
		delete(input, "quantity")
		input["sale_type"], input["starting_price"], input["bid_increment"] = "auction", money(firstPrice), money(bidIncrement)
		return input, begin
	}
	input["price"], input["quantity"] = money(firstPrice), begin.Quantity
	return input, begin
}

func (l *life) next(rng *rand.Rand, m *memory) request {
	path := "/v1/items/" + l.id
	choice := rng.IntN(20)
	switch {
	case choice < 8 && l.auction:
		amount := firstPrice + bidIncrement*rng.IntN(3+2*m.sent)
		return request{method: http.MethodPost, path: "/v1/test/items/" + l.id + "/bids", body: map[string]any{"amount": money(amount)}, in: bid{amount}, out: itemOf}
	case choice < 6:
		return buying(l.id, "", 1+rng.IntN(2))
	case choice < 8:
		quantity := 1 + rng.IntN(8)
		return request{method: http.MethodPatch, path: path, body: map[string]any{"quantity": quantity}, in: resize{quantity}, out: itemOf}
	case choice < 11:
		title := fmt.Sprintf("Changed by client %d, %d", m.client, m.sent)
		return request{method: http.MethodPatch, path: path, body: map[string]any{"title": title}, in: patch{title}, out: itemOf}
	case choice < 13:
		return request{method: http.MethodPost, path: path + "/close", in: closing{}, out: itemOf}
	case choice < 16:
		return request{method: http.MethodPost, path: path + "/restart", in: restart{}, out: itemOf}
	case choice < 17:
		return request{method: http.MethodPost, path: "/v1/test/items/" + l.id + "/end", in: ending{}, out: itemOf}
	}
	return read(l.id)
}

func (l *life) last(*memory) []request { return []request{read(l.id)} }

func read(id string) request {
	return request{method: http.MethodGet, path: "/v1/items/" + id, in: reading{}, out: itemOf}
}

func buying(id, key string, quantity int) request {
	return request{
		method: http.MethodPost, path: "/v1/test/items/" + id + "/purchase", key: key, body: map[string]any{"quantity": quantity},
		in: buy{quantity}, out: func(got blackbox.Answer) (any, error) {
			var out bought
			err := json.Unmarshal(got.Data, &out)
			return out, err
		},
	}
}

// model says what becomes of an item.
func (l *life) model([]porcupine.Operation) porcupine.Model {
	return modelOf(l.begin, exactly(func(i item, in any) (item, any) {
		next, refusal := i.after(in, l.auction)
		if refusal != (refused{}) {
			return i, refusal
		}
		if in, ok := in.(buy); ok {
			return next, bought(in)
		}
		return next, next
	}))
}

// after is the item after a request, or the reason why it stays as it is.
func (i item) after(in any, auction bool) (item, refused) {
	open := i.Status == "open"
	switch in := in.(type) {
	case bid:
		least := i.Price
		if i.Bids > 0 {
			least += bidIncrement
		}
		switch {
		case !open:
			return i, refused{"item_not_open", i.Status}
		case in.Amount < least:
			return i, refused{"out_of_range", amount(least)}
		}
		i.Bids, i.Price = i.Bids+1, in.Amount
	case buy:
		switch left := i.Quantity - i.Sold; {
		case !open:
			return i, refused{"item_not_open", i.Status}
		case in.Quantity > left:
			return i, refused{"out_of_range", fmt.Sprint(left)}
		case in.Quantity == left:
			i.Status = "sold"
		}
		i.Sold += in.Quantity
	case patch:
		if reason := i.fixed(); reason != (refused{}) {
			return i, reason
		}
		i.Title = in.Title
	case resize:
		switch reason := i.fixed(); {
		case reason != (refused{}):
			return i, reason
		case in.Quantity < i.Sold:
			return i, refused{Code: "item_partially_sold"}
		case in.Quantity == i.Sold:
			i.Status = "sold"
		}
		i.Quantity = in.Quantity
	case closing:
		switch {
		case !open:
			return i, refused{"item_not_open", i.Status}
		case i.Bids > 0:
			return i, refused{Code: "item_has_bids"}
		}
		i.Status = "closed"
	case restart:
		if i.Status != "unsold" && i.Status != "closed" {
			return i, refused{"item_not_restartable", i.Status}
		}
		i.Status, i.Bids, i.Price, i.Restarts = "open", 0, firstPrice, i.Restarts+1
	case ending:
		switch {
		case !open:
			return i, refused{"item_not_open", i.Status}
		case auction && i.Bids > 0:
			i.Status, i.Sold = "sold", 1
		default:
			i.Status = "unsold"
		}
	}
	return i, refused{}
}

// fixed is why an item cannot be changed.
func (i item) fixed() refused {
	switch {
	case i.Status != "open":
		return refused{"item_not_editable", i.Status}
	case i.Bids > 0:
		return refused{Code: "item_has_bids"}
	}
	return refused{}
}

// itemOf reads an answer that is an item.
func itemOf(got blackbox.Answer) (any, error) {
	var shown struct {
		Status, Title string
		BidCount      int                      `json:"bid_count"`
		CurrentPrice  *struct{ Amount string } `json:"current_price"`
		Quantity      int
		QuantitySold  int `json:"quantity_sold"`
		RestartCount  int `json:"restart_count"`
	}
	if err := json.Unmarshal(got.Data, &shown); err != nil {
		return nil, err
	}
	if shown.CurrentPrice == nil {
		return nil, fmt.Errorf("the item has no price")
	}
	var price int
	if _, err := fmt.Sscan(strings.Replace(shown.CurrentPrice.Amount, ".", "", 1), &price); err != nil {
		return nil, err
	}
	return item{
		Status: shown.Status, Title: shown.Title, Price: price, Bids: shown.BidCount,
		Quantity: shown.Quantity, Sold: shown.QuantitySold, Restarts: shown.RestartCount,
	}, nil
}

func amount(minor int) string { return fmt.Sprintf("%d.%02d", minor/100, minor%100) }

func money(minor int) map[string]any {
	return map[string]any{"amount": amount(minor), "currency": "EUR"}
}
