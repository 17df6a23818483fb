package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// batchSize is how many items a batch request holds: the most it may.
const batchSize = 100

// draft appends the n-th item of a connection, as JSON.
type draft func(b []byte, random *rand.Rand, client, n int) []byte

// submitRequests submits single items of the large seller, or of several others.
func (d dataset) submitRequests(make draft, sellers int) maker {
	keys := []string{d.Key}
	if sellers > 1 {
		keys = d.Keys[:sellers]
	}
	return func(buffer []byte, random *rand.Rand, client, n int) []byte {
		return post(buffer, keys[client%sellers], "/v1/items", client, n, make(nil, random, client, n))
	}
}

// batchRequests makes the body once and varies its key: making 100 items for each request would cost the client more than
// the limit spends on storing them.
func (d dataset) batchRequests(make draft) maker {
	body := batchBody(make)
	return func(buffer []byte, _ *rand.Rand, client, n int) []byte {
		return post(buffer, d.Key, "/v1/item-batches", client, n, body)
	}
}

// changeRequests set the prices of a hundred open items of the large seller, which are at a fixed price and not sold in part.
func (d dataset) changeRequests() maker {
	return func(buffer []byte, random *rand.Rand, client, n int) []byte {
		body, first := []byte(`{"changes":[`), random.IntN(d.items/20)
		for i := range batchSize {
			if i > 0 {
				body = append(body, ',')
			}
			item := (first+i)%(d.items/20)*20 + 3 + i%5 // see items.sql: of each 20 items, these are open and no auctions
			body = strconv.AppendInt(append(body, `{"item_id":"`...), int64(d.itemID(item)), 10)
			body = strconv.AppendInt(append(body, `","patch":{"price":{"amount":"`...), int64(1+random.IntN(900)), 10)
			body = append(body, `.50"}}}`...)
		}
		return post(buffer, d.Key, "/v1/item-changes", client, n, append(body, `]}`...))
	}
}

func batchBody(make draft) []byte { return batchOf(make, batchSize) }

func batchOf(make draft, items int) []byte {
	body := []byte(`{"items":[`)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range items {
		if i > 0 {
			body = append(body, ',')
		}
		body = make(body, random, 0, i)
	}
	return append(body, `]}`...)
}

// post appends a POST that carries an Idempotency-Key of its own, as importers send it.
func post(b []byte, key, path string, client, n int, body []byte) []byte {
	return append(fmt.Appendf(b, "POST %s HTTP/1.1\r\nHost: bench\r\nX-Api-Key: %s\r\nIdempotency-Key: bench-%d-%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		path, key, client, n, len(body)), body...)
}

// plainDraft is an item with a short text.
func plainDraft(b []byte, random *rand.Rand, client, n int) []byte {
	b = append(b, `{"sale_type":"fixed_price","title":"France 1849, 20c black Ceres, imperforate, position `...)
	b = strconv.AppendInt(b, int64(random.IntN(1000)), 10)
	b = append(b, `","description":"<p>Sold as seen on the picture.</p><p>Several purchases are sent in one parcel.</p>"`...)
	return endDraft(b, random, client, n)
}

// richDraft is an item with a long title, a description that a word processor could have written, and six images.
func richDraft(b []byte, random *rand.Rand, client, n int) []byte {
	b = append(b, `{"sale_type":"fixed_price","title":"Österreich 1850, 9 Kreuzer „Wappen“, Handpapier, Type III, Ortsstempel WIEN 14. AUG., Kabinett, Fotoattest Nr. `...)
	b = strconv.AppendInt(b, int64(random.IntN(1000)), 10)
	b = append(b, `","description":"`...)
	for range 4 {
		b = append(b, `<h3 style=\"color:red\">Zustand &amp; Erhaltung</h3>\n<p class=\"MsoNormal\"><b>Breitrandig</b>, <i>farbfrisch</i> &ndash; siehe <a href=\"https://example.com/attest?nr=`...)
		b = strconv.AppendInt(b, int64(random.IntN(1000)), 10)
		b = append(b, `&amp;lang=de\">Attest</a>.<br>Versand per <font color=\"#000080\">Einschreiben</font>.</p>\n<ul><li>Michel 5 X III</li><li>ANK 5 H III &lt;b&gt;</li></ul><table border=\"1\"><tr><td>Porto</td><td>4,50 €</td></tr></table>`...)
	}
	b = append(b, `","images":[`...)
	for i := range 6 {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendInt(append(b, `"https://images.example.com/`...), int64(random.IntN(1_000_000)), 10), '/')
		b = append(strconv.AppendInt(b, int64(i), 10), `.jpg"`...)
	}
	return endDraft(append(b, ']'), random, client, n)
}

// endDraft appends what the items have in common.
func endDraft(b []byte, random *rand.Rand, client, n int) []byte {
	b = strconv.AppendInt(append(b, `,"personal_reference":"B-`...), int64(client), 10)
	b = strconv.AppendInt(append(b, '-'), int64(n), 10)
	b = strconv.AppendInt(append(b, `","category_id":"1010101","price":{"amount":"`...), int64(1+random.IntN(900)), 10)
	return append(b, `.50","currency":"EUR"},"quantity":1,"duration_days":28,"weight_grams":20}`...)
}
