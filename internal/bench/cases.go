package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
)

// benchCase is one line of the table: a request, and which side of a program answers it.
type benchCase struct {
	group  string // what -cases says
	name   string
	ours   role
	writes bool
	status int
	long   bool // only with -long
	make   func(b *bench, d dataset, limit bool) maker
}

// The pages whose costs are compared.
const (
	firstPage  = "page of 50, the first"
	deepPage   = "page of 50, deep"
	firstSales = "sales page of 50, the first"
	deepSales  = "sales page of 50, deep"
)

// atDepth is the position of the deep page as a share of the list: 900,000 of a million.
const atDepth = 0.9

// loadCases are the cases in which all connections send the same kind of request for a time.
func loadCases() []benchCase {
	page := func(list pagedList, from, to float64) func(*bench, dataset, bool) maker {
		return func(b *bench, d dataset, limit bool) maker { return b.listRequests(list, d, limit, from, to) }
	}
	submit := func(draft draft, sellers int) func(*bench, dataset, bool) maker {
		return func(_ *bench, d dataset, _ bool) maker { return d.submitRequests(draft, sellers) }
	}
	batch := func(draft draft) func(*bench, dataset, bool) maker {
		return func(_ *bench, d dataset, _ bool) maker { return d.batchRequests(draft) }
	}
	return []benchCase{
		{"get", "get one item", shipped, false, 200, false, (*bench).getRequests},
		{"page", "page of 50, anywhere", shipped, false, 200, false, page(itemList, 0, 1)},
		{"page", firstPage, shipped, false, 200, true, page(itemList, 0, 0)},
		{"page", deepPage, shipped, false, 200, true, page(itemList, atDepth, atDepth+0.02)},
		{"filter", "page of 50 with sale_type and status", shipped, false, 200, false, page(openList, 0, 1)},
		{"sales", "sales page of 50, anywhere", shipped, false, 200, false, page(salesList, 0, 1)},
		{"sales", firstSales, shipped, false, 200, true, page(salesList, 0, 0)},
		{"sales", deepSales, shipped, false, 200, true, page(salesList, atDepth, atDepth+0.02)},
		{"sales", "sales page of 50, newest first, anywhere", shipped, false, 200, true, page(newestSalesList, 0, 1)},
		{"submit", "submit one", accepting, true, 202, false, submit(plainDraft, 1)},
		{"submit", "submit one, 16 sellers", accepting, true, 202, true, submit(plainDraft, sellersAtOnce)},
		{"submit", "submit one, and publish", shipped, true, 202, false, submit(plainDraft, 1)},
		{"submit", "submit one, and publish, 16 sellers", shipped, true, 202, true, submit(plainDraft, sellersAtOnce)},
		{"batch", "batch of 100", accepting, true, 202, false, batch(plainDraft)},
		{"batch", "batch of 100, and publish", shipped, true, 202, false, batch(plainDraft)},
		{"rich", "submit one with markup and six images", accepting, true, 202, false, submit(richDraft, 1)},
		{"rich", "batch of 100 with markup and six images", accepting, true, 202, true, batch(richDraft)},
	}
}

// chosenCases are those that the options ask for.
func (o *options) chosenCases() (chosen []benchCase) {
	for _, c := range loadCases() {
		if slices.Contains(o.cases, c.group) && (o.long || !c.long) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

func (d dataset) getRequest(b []byte, n int) []byte {
	b = strconv.AppendInt(append(b, "GET /v1/items/"...), int64(d.itemID(n)), 10)
	return d.endHead(b)
}

// endHead appends the rest of a request without a body.
func (d dataset) endHead(b []byte) []byte {
	b = append(b, " HTTP/1.1\r\nHost: bench\r\nX-Api-Key: "...)
	return append(append(b, d.Key...), "\r\n\r\n"...)
}

func (*bench) getRequests(d dataset, _ bool) maker {
	return func(buffer []byte, random *rand.Rand, _, _ int) []byte {
		return d.getRequest(buffer, random.IntN(d.items))
	}
}

// listRequests asks for pages that begin between two shares of the list; 0 and 0 is the first page.
func (b *bench) listRequests(list pagedList, d dataset, limit bool, from, to float64) maker {
	cursors := b.cursors[walkedList{d.url, list.path, limit}]
	low, high := int(from*float64(len(cursors))), int(to*float64(len(cursors)))
	return func(buffer []byte, random *rand.Rand, _, _ int) []byte {
		buffer = append(append(append(buffer, "GET "...), list.path...), "limit=50"...)
		if high > low {
			buffer = append(append(buffer, "&after="...), cursors[low+random.IntN(high-low)]...)
		}
		return d.endHead(buffer)
	}
}
