package crashtest

import (
	"net/http"
	"time"
)

// operation is a request that a seller or, with a test key, the marketplace makes, and what it changes.
type operation struct {
	name    string
	slow    bool                    // it waits for the clock, and is left to -every-point
	request func(s *stage) *request // made once what it needs is there; nil when nothing but time is needed
	want    tally
}

// The operations that list, with the work of the publisher that follows.
var (
	listItem = operation{
		name:    "listing an item",
		request: func(s *stage) *request { return post("/v1/items", fixedPrice(nil)) },
		want:    tally{"items open": 1, "open units": 1, "new units": 1, "events item.published": 1},
	}
	listPictures = operation{
		name: "listing an item with pictures",
		request: func(s *stage) *request {
			return post("/v1/items", fixedPrice(map[string]any{"images": []string{s.images + "/stamp-01.png", s.images + "/coin-02.gif"}}))
		},
		want: listItem.want,
	}
	// The batch is larger than the sets in which the publisher makes items.
	listBatch = operation{
		name: "listing a batch",
		request: func(s *stage) *request {
			return post("/v1/item-batches", map[string]any{"items": times(60, fixedPrice(nil))})
		},
		want: tally{"items open": 60, "open units": 60, "new units": 60, "events item.published": 60},
	}
	// The items end in one step of the closer. Their end is far enough off for a machine that is busy with other tests.
	passEnds = operation{
		name: "the end of two items",
		request: func(s *stage) *request {
			item := fixedPrice(map[string]any{"ends_at": time.Now().UTC().Add(2 * time.Second)})
			return post("/v1/item-batches", map[string]any{"items": times(2, item)})
		},
		want: tally{"items unsold": 2, "new units": 2, "events item.published": 2, "events item.unsold": 2},
	}
	winAuction = operation{
		name: "the end of an auction",
		slow: true,
		request: func(s *stage) *request {
			s.bid(s.listed(auction(map[string]any{"ends_at": time.Now().UTC().Add(5 * time.Second)})))
			return nil
		},
		want: tally{
			"items open": -1, "items sold": 1, "open units": -1, "pieces sold": 1, "sales active": 1, "sales unrated": 1, "bills to_invoice": 1,
			"events item.sold": 1,
		},
	}
)

// The other operations on items.
var (
	revise = operation{
		name: "changing an item",
		request: func(s *stage) *request {
			path := "/v1/items/" + s.listed(fixedPrice(nil))
			return &request{method: http.MethodPatch, path: path, body: map[string]any{"title": revisedTitle}, tag: s.seller.ETag(s, path)}
		},
		want: tally{"items revised": 1, "events item.updated": 1},
	}
	closeItem = operation{
		name: "closing an item",
		request: func(s *stage) *request {
			return post("/v1/items/"+s.listed(fixedPrice(nil))+"/close", map[string]any{})
		},
		want: tally{"items open": -1, "items closed": 1, "open units": -1, "events item.closed": 1},
	}
	restart = operation{
		name: "restarting an item",
		request: func(s *stage) *request {
			item := s.listed(fixedPrice(nil))
			s.post("/v1/items/"+item+"/close", map[string]any{})
			return post("/v1/items/"+item+"/restart", map[string]any{})
		},
		want: tally{"items open": 1, "items closed": -1, "open units": 1, "new units": 1, "events item.restarted": 1},
	}
	changeItems = operation{
		name: "changing three items at once",
		request: func(s *stage) *request {
			revised, closed, restarted := s.listed(fixedPrice(nil)), s.listed(fixedPrice(nil)), s.listed(fixedPrice(nil))
			s.post("/v1/items/"+restarted+"/close", map[string]any{})
			return post("/v1/item-changes", map[string]any{"changes": []any{
				map[string]any{"item_id": revised, "patch": map[string]any{"title": revisedTitle}},
				map[string]any{"item_id": closed, "close": map[string]any{}},
				map[string]any{"item_id": restarted, "restart": map[string]any{}},
			}})
		},
		want: tally{"items revised": 1, "new units": 1, "events item.updated": 1, "events item.closed": 1, "events item.restarted": 1},
	}
	bid = operation{
		name: "bidding",
		request: func(s *stage) *request {
			return post("/v1/test/items/"+s.listed(auction(nil))+"/bids", map[string]any{})
		},
		want: tally{"bids": 1, "events item.first_bid": 1},
	}
	endAuction = operation{
		name: "ending an auction",
		request: func(s *stage) *request {
			item := s.listed(auction(nil))
			s.bid(item)
			return post("/v1/test/items/"+item+"/end", map[string]any{})
		},
		want: winAuction.want,
	}
)

// The operations on what is sold.
var (
	buy = operation{
		name: "buying",
		request: func(s *stage) *request {
			return post("/v1/test/items/"+s.listed(fixedPrice(nil))+"/purchase", s.twoPieces())
		},
		want: tally{"pieces sold": 2, "sales active": 1, "sales unrated": 1, "bills to_invoice": 1, "events item.sold": 1},
	}
	cancel = operation{
		name:    "cancelling a sale",
		request: func(s *stage) *request { return post("/v1/test/sales/"+s.sold().ID+"/cancel", map[string]any{}) },
		want: tally{
			"pieces sold": -2, "sales active": -1, "sales cancelled": 1, "bills to_invoice": -1, "bills cancelled": 1, "events sale.cancelled": 1,
		},
	}
	rate = operation{
		name: "rating a buyer",
		request: func(s *stage) *request {
			return post("/v1/sales/"+s.sold().ID+"/rating", map[string]any{"score": 100, "comment": "Paid before the server died."})
		},
		want: tally{"sales unrated": -1, "sales rated": 1},
	}
	invoice = operation{
		name:    "invoicing",
		request: func(s *stage) *request { return post("/v1/test/bills/"+s.sold().BillID+"/invoice", map[string]any{}) },
		want:    tally{"bills to_invoice": -1, "bills awaiting_payment": 1},
	}
	pay = operation{
		name:    "paying",
		request: func(s *stage) *request { return post("/v1/test/bills/"+s.invoiced()+"/pay", map[string]any{}) },
		want:    tally{"bills awaiting_payment": -1, "bills to_send": 1, "events payment.received": 1},
	}
	track = operation{
		name: "adding a tracking",
		request: func(s *stage) *request {
			return post("/v1/bills/"+s.paid()+"/trackings", map[string]any{"delivery_service_id": "104", "number": "6A00000000001"})
		},
		want: tally{"trackings": 1},
	}
	markSent = operation{
		name: "sending",
		request: func(s *stage) *request {
			return post("/v1/bills/"+s.paid()+"/mark-sent", map[string]any{"trackings": []any{map[string]any{"delivery_service_id": "104", "number": "6A00000000002"}}})
		},
		want: tally{"trackings": 1, "bills to_send": -1, "bills sent": 1},
	}
)

// The operations on webhooks.
var (
	subscribe = operation{
		name: "making a webhook",
		request: func(s *stage) *request {
			return post("/v1/webhooks", map[string]any{"url": s.receiver.URL(s.newName("endpoint")), "events": []string{"item.moved"}})
		},
		want: tally{"webhooks": 1},
	}
	testWebhook = operation{
		name: "testing a webhook",
		request: func(s *stage) *request {
			return post("/v1/webhooks/"+s.webhook+"/test", map[string]any{"event": "item.moved"})
		},
		want: tally{"events item.moved": 1},
	}
)

// posts are the operations that one request with an Idempotency-Key makes.
var posts = []operation{
	listItem, listBatch, closeItem, restart, changeItems, bid, endAuction,
	buy, cancel, rate, invoice, pay, track, markSent, subscribe, testWebhook,
}

const revisedTitle = "Revised while the server died"

func post(path string, body any) *request {
	return &request{method: http.MethodPost, path: path, body: body}
}

// fixedPrice is an item of five pieces, with other members if wanted.
func fixedPrice(more map[string]any) map[string]any {
	item := map[string]any{
		"title": "Listed while the server died", "category_id": "1010101", "sale_type": "fixed_price", "quantity": 5,
		"price": map[string]any{"amount": "9.50", "currency": "EUR"},
	}
	for name, value := range more {
		item[name] = value
	}
	return item
}

func auction(more map[string]any) map[string]any {
	item := fixedPrice(more)
	item["sale_type"], item["starting_price"] = "auction", item["price"]
	delete(item, "price")
	delete(item, "quantity")
	return item
}

// times is n of the same.
func times(n int, item map[string]any) []map[string]any {
	items := make([]map[string]any, n)
	for i := range items {
		items[i] = item
	}
	return items
}

// listed lists an item and returns its id once it is open.
func (s *stage) listed(item map[string]any) (id string) {
	s.Helper()
	path := "/v1/item-submissions/" + s.id(s.post("/v1/items", item))
	s.await(func() bool {
		id = get[struct {
			ItemID string `json:"item_id"`
		}](s, path).ItemID
		return id != ""
	})
	return id
}

func (s *stage) bid(item string) {
	s.Helper()
	s.post("/v1/test/items/"+item+"/bids", map[string]any{"buyer": s.newBuyer()})
}

// newBuyer is a buyer without a bill that a purchase could join.
func (s *stage) newBuyer() map[string]any { return map[string]any{"nickname": s.newName("buyer")} }

// twoPieces is a purchase by a new buyer.
func (s *stage) twoPieces() map[string]any {
	return map[string]any{"quantity": 2, "buyer": s.newBuyer()}
}

// soldPieces is a sale.
type soldPieces struct {
	ID     string
	BillID string `json:"bill_id"`
	Buyer  struct{ ID, Nickname string }
}

func (s *stage) sold() soldPieces {
	s.Helper()
	return get[soldPieces](s, "/v1/sales/"+s.id(s.post("/v1/test/items/"+s.listed(fixedPrice(nil))+"/purchase", s.twoPieces())))
}

// invoiced is a bill that awaits its payment.
func (s *stage) invoiced() string {
	s.Helper()
	return s.id(s.post("/v1/test/bills/"+s.sold().BillID+"/invoice", map[string]any{}))
}

// paid is a bill that is to be sent.
func (s *stage) paid() string {
	s.Helper()
	return s.id(s.post("/v1/test/bills/"+s.invoiced()+"/pay", map[string]any{}))
}
