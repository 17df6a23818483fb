package lineartest

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// exchange is a request with its answer. In a test of a model they follow one another.
type exchange struct{ in, out any }

// TestModels asks every model about histories of one client, of which one fits and each of the others does not: so every fault
// that a history is there to find is found.
func TestModels(t *testing.T) {
	auction := &life{auction: true, begin: item{Status: "open", Price: 500, Quantity: 1}}
	onSale := &life{begin: item{Status: "open", Price: 500, Quantity: 3}}
	open := item{Status: "open", Price: 600, Quantity: 1, Bids: 1}
	first, replay := answered{1, 7, false}, answered{1, 7, true}
	for _, kind := range []struct {
		name    string
		subject subject
		fits    []exchange
		wrong   map[string][]exchange
	}{
		{
			"auction", auction,
			[]exchange{
				{bid{400}, refused{"out_of_range", "5.00"}},
				{bid{600}, open},
				{bid{650}, refused{"out_of_range", "7.00"}},
				{bid{900}, unknown{}}, // it was never made
				{closing{}, refused{Code: "item_has_bids"}},
				{ending{}, item{Status: "sold", Price: 600, Quantity: 1, Bids: 1, Sold: 1}},
				{restart{}, refused{"item_not_restartable", "sold"}},
			},
			map[string][]exchange{
				"a lost bid":                   {{bid{600}, open}, {reading{}, auction.begin}},
				"a closed auction with a bid":  {{bid{600}, open}, {closing{}, item{Status: "closed", Price: 600, Quantity: 1, Bids: 1}}},
				"a bid on an item that ended":  {{ending{}, item{Status: "unsold", Price: 500, Quantity: 1}}, {bid{600}, open}},
				"a bid that is too low":        {{bid{600}, open}, {bid{600}, item{Status: "open", Price: 600, Quantity: 1, Bids: 2}}},
				"a bid refused without reason": {{bid{600}, refused{"item_not_open", "open"}}},
			},
		},
		{
			"sale", onSale,
			[]exchange{
				{buy{2}, bought{2}},
				{closing{}, item{Status: "closed", Price: 500, Quantity: 3, Sold: 2}},
				{buy{1}, refused{"item_not_open", "closed"}},
				{restart{}, item{Status: "open", Price: 500, Quantity: 3, Sold: 2, Restarts: 1}},
				{resize{1}, refused{Code: "item_partially_sold"}},
				{patch{"New"}, item{Status: "open", Title: "New", Price: 500, Quantity: 3, Sold: 2, Restarts: 1}},
				{resize{2}, item{Status: "sold", Title: "New", Price: 500, Quantity: 2, Sold: 2, Restarts: 1}},
			},
			map[string][]exchange{
				"a purchase of a closed item": {{closing{}, item{Status: "closed", Price: 500, Quantity: 3}}, {buy{1}, bought{1}}},
				"a lost change":               {{patch{"New"}, item{Status: "open", Title: "New", Price: 500, Quantity: 3}}, {reading{}, onSale.begin}},
				"a restart of an open item":   {{restart{}, item{Status: "open", Price: 500, Quantity: 3, Restarts: 1}}},
			},
		},
		{
			"stock", &stock{},
			[]exchange{
				{buy{8}, bought{8}},
				{listing{}, sales{1, 8}},
				{buy{2}, refused{"out_of_range", "1"}},
				{buy{1}, bought{1}},
				{reading{}, pieces{"sold", 9}},
				{buy{1}, refused{"item_not_open", "sold"}},
			},
			map[string][]exchange{
				"more sold than there are":    {{buy{8}, bought{8}}, {buy{2}, bought{2}}},
				"a sale that is not listed":   {{buy{8}, bought{8}}, {listing{}, sales{}}},
				"a sale that is listed twice": {{buy{1}, bought{1}}, {listing{}, sales{2, 2}}},
				"fewer sold than there are":   {{buy{8}, bought{8}}, {buy{1}, refused{"item_not_open", "sold"}}},
			},
		},
		{
			"keys", &keyed{},
			[]exchange{
				{buyAs{0, 1}, first},
				{buyAs{0, 1}, replay},
				{buyAs{0, 2}, refused{Code: "idempotency_key_reused"}},
				{buyAs{1, 1}, answered{1, 8, false}},
				{listing{}, sales{2, 2}},
			},
			map[string][]exchange{
				"two effects under one key":  {{buyAs{0, 1}, first}, {buyAs{0, 1}, replay}, {listing{}, sales{2, 2}}},
				"another answer":             {{buyAs{0, 1}, first}, {buyAs{0, 1}, answered{1, 8, true}}},
				"an answer as if it was new": {{buyAs{0, 1}, first}, {buyAs{0, 1}, first}},
				"an answer that is too old":  {{buyAs{0, 1}, replay}},
				"another request":            {{buyAs{0, 1}, first}, {buyAs{0, 2}, answered{2, 9, false}}},
			},
		},
		{
			"store", &store{},
			[]exchange{
				{submit{}, done{}},
				{submit{}, done{}},
				{submit{}, refused{Code: "store_limit_reached"}},
				{stop{1}, done{}},
				{count{}, counters{4, 5}},
				{again{1}, done{}},
				{count{}, counters{5, 6}},
			},
			map[string][]exchange{
				"a limit that is exceeded":     {{submit{}, done{}}, {submit{}, done{}}, {submit{}, done{}}},
				"a unit that is not returned":  {{stop{0}, done{}}, {count{}, counters{3, 3}}},
				"a unit that is charged twice": {{submit{}, done{}}, {count{}, counters{5, 5}}},
				"a refusal that is charged":    {{again{0}, refused{"item_not_restartable", "open"}}, {count{}, counters{3, 4}}},
			},
		},
		{
			"versions", &versioned{begin: version{Title: "Old"}},
			[]exchange{
				{reading{}, version{"a", "Old"}},
				{patchIf{"a", "New"}, version{"b", "New"}},
				{patchIf{"a", "Newer"}, refused{Code: "precondition_failed"}},
				{reading{}, version{"b", "New"}},
			},
			map[string][]exchange{
				"a lost change":              {{reading{}, version{"a", "Old"}}, {patchIf{"a", "New"}, version{"b", "New"}}, {patchIf{"a", "Newer"}, version{"c", "Newer"}}},
				"a refusal without reason":   {{reading{}, version{"a", "Old"}}, {patchIf{"a", "New"}, refused{Code: "precondition_failed"}}},
				"a tag that does not move":   {{reading{}, version{"a", "Old"}}, {patchIf{"a", "New"}, version{"a", "New"}}},
				"a tag that moves by itself": {{reading{}, version{"a", "Old"}}, {reading{}, version{"b", "Old"}}},
			},
		},
		{
			"feed", &feed{},
			[]exchange{
				{emit{"a "}, done{}},
				{page{0, 5}, events{"a "}},
				{emit{"b c "}, done{}},
				{emit{"d "}, unknown{}},
				{page{1, 1}, events{"b "}},
				{page{2, 5}, events{"c "}},
				{page{3, 5}, events{}},
			},
			map[string][]exchange{
				"an event that is left out":        {{emit{"a "}, done{}}, {emit{"b "}, done{}}, {page{0, 5}, events{"b "}}},
				"an event that comes later":        {{emit{"a "}, done{}}, {page{0, 5}, events{}}},
				"an event that comes twice":        {{emit{"a "}, done{}}, {page{0, 5}, events{"a a "}}},
				"another order for another reader": {{emit{"a b "}, done{}}, {page{0, 5}, events{"a b "}}, {page{0, 5}, events{"b a "}}},
				"an event of no change":            {{page{0, 5}, events{"a "}}},
			},
		},
		{
			"submission", &submission{},
			[]exchange{{asking{}, outcome{}}, {looking{}, found{0}}, {asking{}, outcome{"published"}}, {looking{}, found{1}}},
			map[string][]exchange{
				"a rejection that is withdrawn":    {{asking{}, outcome{"rejected"}}, {asking{}, outcome{"published"}}},
				"a publication that is withdrawn":  {{asking{}, outcome{"published"}}, {asking{}, outcome{"rejected"}}},
				"an item of a rejected submission": {{asking{}, outcome{"rejected"}}, {looking{}, found{1}}},
				"two items":                        {{looking{}, found{2}}},
				"an end that is none":              {{looking{}, found{1}}, {asking{}, outcome{}}},
			},
		},
	} {
		t.Run(kind.name, func(t *testing.T) {
			if got := ordered(kind.subject, kind.fits); got != porcupine.Ok {
				t.Errorf("what fits is %s", got)
			}
			for name, history := range kind.wrong {
				if got := ordered(kind.subject, history); got != porcupine.Illegal {
					t.Errorf("%s is %s", name, got)
				}
			}
		})
	}
}

// ordered judges requests that one client has sent one after another. Those that are unknown have no end.
func ordered(s subject, exchanges []exchange) porcupine.CheckResult {
	h := &history{subject: s}
	for i, s := range exchanges {
		op := porcupine.Operation{Input: s.in, Output: s.out, Call: int64(2 * i), Return: int64(2*i + 1)}
		if s.out == any(unknown{}) {
			op.Return = neverAnswers
		}
		h.ops = append(h.ops, op)
	}
	return porcupine.CheckOperationsTimeout(s.model(h.ops), h.ops, time.Minute)
}
