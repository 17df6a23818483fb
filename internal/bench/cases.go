package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
)

// benchCase is one case of the table: a request, and which side of a program answers it.
type benchCase struct {
	group  string // what -cases says
	name   string
	ours   role
	writes bool
	status int
	long   bool // only with -long
	scales bool // the case scale has it
	make   func(b *bench, d dataset, limit bool) maker

	// round measures a side otherwise than by one kind of request, without the limit.
	round func(b *bench, ctx context.Context, db database, s side) (outcome, error)
	only  string // the only database that has the case, by its name in -databases
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
		return func(b *bench, d dataset, limit bool) maker { return b.listRequests(list, 50, d, limit, from, to) }
	}
	events := func(b *bench, d dataset, limit bool) maker { return b.listRequests(eventList, 200, d, limit, 0, 1) }
	submit := func(draft draft, sellers int) func(*bench, dataset, bool) maker {
		return func(_ *bench, d dataset, _ bool) maker { return d.submitRequests(draft, sellers) }
	}
	batch := func(draft draft) func(*bench, dataset, bool) maker {
		return func(_ *bench, d dataset, _ bool) maker { return d.batchRequests(draft) }
	}
	change := func(_ *bench, d dataset, _ bool) maker { return d.changeRequests() }
	cases := []benchCase{
		{group: "get", name: "get one item", ours: shipped, status: 200, scales: true, make: (*bench).getRequests},
		{group: "page", name: "page of 50, anywhere", ours: shipped, status: 200, make: page(itemList, 0, 1)},
		{group: "page", name: firstPage, ours: shipped, status: 200, long: true, make: page(itemList, 0, 0)},
		{group: "page", name: deepPage, ours: shipped, status: 200, long: true, make: page(itemList, atDepth, atDepth+0.02)},
		{group: "filter", name: "page of 50 with sale_type and status", ours: shipped, status: 200, make: page(openList, 0, 1)},
		{group: "sales", name: "sales page of 50, anywhere", ours: shipped, status: 200, make: page(salesList, 0, 1)},
		{group: "sales", name: firstSales, ours: shipped, status: 200, long: true, make: page(salesList, 0, 0)},
		{group: "sales", name: deepSales, ours: shipped, status: 200, long: true, make: page(salesList, atDepth, atDepth+0.02)},
		{group: "sales", name: "sales page of 50, newest first, anywhere", ours: shipped, status: 200, long: true, make: page(newestSalesList, 0, 1)},
		{group: "events", name: "page of 200 events, anywhere", ours: shipped, status: 200, make: events},
		{group: "submit", name: "submit one", ours: accepting, writes: true, status: 202, make: submit(plainDraft, 1)},
		{group: "submit", name: "submit one, 16 sellers", ours: accepting, writes: true, status: 202, long: true, make: submit(plainDraft, sellersAtOnce)},
		{group: "submit", name: "submit one, and publish", ours: shipped, writes: true, status: 202, scales: true, make: submit(plainDraft, 1)},
		{group: "submit", name: "submit one, and publish, 16 sellers", ours: shipped, writes: true, status: 202, long: true, scales: true, make: submit(plainDraft, sellersAtOnce)},
		{group: "batch", name: "batch of 100", ours: accepting, writes: true, status: 202, make: batch(plainDraft)},
		{group: "batch", name: "batch of 100, and publish", ours: shipped, writes: true, status: 202, make: batch(plainDraft)},
		{group: "changes", name: "change of 100 prices", ours: accepting, writes: true, status: 200, make: change},
		{group: "rich", name: "submit one with markup and six images", ours: accepting, writes: true, status: 202, make: submit(richDraft, 1)},
		{group: "rich", name: "batch of 100 with markup and six images", ours: accepting, writes: true, status: 202, long: true, make: batch(richDraft)},
	}
	return append(cases, publishingCases()...)
}

// chosenCases are those that the options ask for on a database.
func (o *options) chosenCases(database string) (chosen []benchCase) {
	for _, c := range loadCases() {
		if slices.Contains(o.cases, c.group) && (o.long || !c.long) && (c.only == "" || c.only == database) {
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
func (b *bench) listRequests(list pagedList, size int, d dataset, limit bool, from, to float64) maker {
	cursors := b.cursors[walkedList{d.url, list.path, limit}]
	low, high := int(from*float64(len(cursors))), int(to*float64(len(cursors)))
	return func(buffer []byte, random *rand.Rand, _, _ int) []byte {
		buffer = strconv.AppendInt(append(append(append(buffer, "GET "...), list.path...), "limit="...), int64(size), 10)
		if high > low {
			buffer = append(append(buffer, "&after="...), cursors[low+random.IntN(high-low)]...)
		}
		return d.endHead(buffer)
	}
}
