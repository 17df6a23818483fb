package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// batchSize is how many items a batch request holds: the most it may.
const batchSize = 100

// gets read items of the large seller.
func gets(d dataset) maker {
	return func(buffer []byte, random *rand.Rand, _, _ int) []byte {
		return d.getRequest(buffer, random.IntN(d.items))
	}
}

func (d dataset) getRequest(b []byte, n int) []byte {
	return d.endGet(strconv.AppendInt(append(b, "GET /v1/items/"...), int64(d.itemID(n)), 10))
}

// endGet appends the rest of a request without a body.
func (d dataset) endGet(b []byte) []byte {
	b = append(b, " HTTP/1.1\r\nHost: bench\r\nX-Api-Key: "...)
	return append(append(b, d.Key...), "\r\n\r\n"...)
}

// submits submits single items of the large seller, or of several others.
func submits(make draft, sellers int) func(dataset) maker {
	return func(d dataset) maker {
		keys := d.sellers(sellers)
		return func(buffer []byte, random *rand.Rand, client, n int) []byte {
			return post(buffer, keys[(client+n)%sellers], "/v1/items", client, n, make(nil, random, client, n))
		}
	}
}

// sellers are the keys of the large seller alone, or of several others.
func (d dataset) sellers(n int) []string {
	if n == 1 {
		return []string{d.Key}
	}
	return d.Keys[:n]
}

// batches makes the body once and varies its key: making 100 items for each request would cost the client more than the limit
// spends on storing them.
func batches(make draft, pictures int) func(dataset) maker {
	return func(d dataset) maker {
		body := batchBody(withPictures(make, d.pictures, pictures))
		return func(buffer []byte, _ *rand.Rand, client, n int) []byte {
			return post(buffer, d.Key, "/v1/item-batches", client, n, body)
		}
	}
}

func batchBody(make draft) []byte {
	items, random := [][]byte{}, rand.New(rand.NewPCG(1, 1))
	for i := range batchSize {
		items = append(items, make(nil, random, 0, i))
	}
	return fmt.Appendf(nil, `{"items":[%s]}`, bytes.Join(items, []byte{','}))
}

// changes set the prices of a hundred open items of the large seller, which are at a fixed price and not sold in part.
func changes(d dataset) maker {
	return func(buffer []byte, random *rand.Rand, client, n int) []byte {
		body, first := []byte(`{"changes":[`), random.IntN(d.items/20)
		for i := range batchSize {
			item := (first+i)%(d.items/20)*20 + 3 + i%5 // see data.sql: of each 20 items, these are open and no auctions
			body = fmt.Appendf(body, `{"item_id":"%d","patch":{"price":{"amount":"%d.50"}}},`, d.itemID(item), 1+random.IntN(900))
		}
		return post(buffer, d.Key, "/v1/item-changes", client, n, append(body[:len(body)-1], `]}`...))
	}
}

// post appends a POST that carries an Idempotency-Key of its own, as importers send it.
func post(b []byte, key, path string, client, n int, body []byte) []byte {
	return write(b, "POST", path, key, fmt.Sprintf("application/json\r\nIdempotency-Key: bench-%d-%d", client, n), body)
}

// write appends a request with a body.
func write(b []byte, method, path, key, media string, body []byte) []byte {
	return append(fmt.Appendf(b, "%s %s HTTP/1.1\r\nHost: bench\r\nX-Api-Key: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		method, path, key, media, len(body)), body...)
}

// draft appends the n-th item of a connection, as JSON.
type draft func(b []byte, random *rand.Rand, client, n int) []byte

// plainDraft is an item with a short text.
func plainDraft(b []byte, random *rand.Rand, client, n int) []byte {
	const text = `{"sale_type":"fixed_price","title":"France 1849, 20c black Ceres, imperforate, position %d",` +
		`"description":"<p>Sold as seen on the picture.</p><p>Several purchases are sent in one parcel.</p>"`
	return endDraft(fmt.Appendf(b, text, random.IntN(1000)), random, client, n)
}

// withPictures makes items with so many pictures of a server. With none they stay as they are.
func withPictures(make draft, host string, pictures int) draft {
	if pictures == 0 {
		return make
	}
	return func(b []byte, random *rand.Rand, client, n int) []byte {
		b = append(bytes.TrimSuffix(make(b, random, client, n), []byte("}")), `,"images":[`...)
		for i := range pictures {
			b = fmt.Appendf(b, `"%s/%d/%d/%d.jpg",`, host, client, n, i)
		}
		return append(bytes.TrimSuffix(b, []byte(",")), "]}"...)
	}
}

// richDraft is an item with a long title, a description that a word processor could have written, and six images.
func richDraft(b []byte, random *rand.Rand, client, n int) []byte {
	paragraph := fmt.Sprintf(`<h3 style=\"color:red\">Zustand &amp; Erhaltung</h3>\n<p class=\"MsoNormal\"><b>Breitrandig</b>, <i>farbfrisch</i> `+
		`&ndash; siehe <a href=\"https://example.com/attest?nr=%d&amp;lang=de\">Attest</a>.<br>Versand per <font color=\"#000080\">Einschreiben`+
		`</font>.</p>\n<ul><li>Michel 5 X III</li><li>ANK 5 H III &lt;b&gt;</li></ul><table border=\"1\"><tr><td>Porto</td><td>4,50 €</td></tr>`+
		`</table>`, random.IntN(1000))
	images := make([]string, 6)
	for i := range images {
		images[i] = fmt.Sprintf(`"https://images.example.com/%d/%d.jpg"`, random.IntN(1_000_000), i)
	}
	const text = `{"sale_type":"fixed_price","title":"Österreich 1850, 9 Kreuzer „Wappen“, Handpapier, Type III, Ortsstempel ` +
		`WIEN 14. AUG., Kabinett, Fotoattest Nr. %d","description":"%s","images":[%s]`
	return endDraft(fmt.Appendf(b, text, random.IntN(1000), strings.Repeat(paragraph, 4), strings.Join(images, ",")), random, client, n)
}

// endDraft appends what the items have in common.
func endDraft(b []byte, random *rand.Rand, client, n int) []byte {
	return fmt.Appendf(b, `,"personal_reference":"B-%d-%d","category_id":"1010101","price":{"amount":"%d.50","currency":"EUR"},`+
		`"quantity":1,"duration_days":28,"weight_grams":20}`, client, n, 1+random.IntN(900))
}
