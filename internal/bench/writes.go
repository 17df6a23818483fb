package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// batchSize is how many items a batch request holds: the most it may.
const batchSize = 100

func (b *bench) submitRequests(side) maker {
	return func(buffer []byte, random *rand.Rand, client, n int) []byte {
		return b.small.post(buffer, "/v1/items", client, n, appendDraft(nil, random, client, n))
	}
}

// batchRequests makes the body once and varies its key: making 100 items for each request would
// cost the client more than the yardstick spends on storing them.
func (b *bench) batchRequests(side) maker {
	body := batchBody()
	return func(buffer []byte, _ *rand.Rand, client, n int) []byte {
		return b.small.post(buffer, "/v1/item-batches", client, n, body)
	}
}

func batchBody() []byte {
	body := []byte(`{"items":[`)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range batchSize {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendDraft(body, random, 0, i)
	}
	return append(body, `]}`...)
}

// post appends a POST that carries an Idempotency-Key of its own, as importers send it.
func (d dataset) post(b []byte, path string, client, n int, body []byte) []byte {
	return append(fmt.Appendf(b, "POST %s HTTP/1.1\r\nHost: bench\r\nX-Api-Key: %s\r\nIdempotency-Key: bench-%d-%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		path, d.Key, client, n, len(body)), body...)
}

func appendDraft(b []byte, random *rand.Rand, client, n int) []byte {
	b = append(b, `{"sale_type":"fixed_price","title":"France 1849, 20c black Ceres, imperforate, position `...)
	b = strconv.AppendInt(b, int64(random.IntN(1000)), 10)
	b = append(b, `","description":"<p>Sold as seen on the picture.</p><p>Several purchases are sent in one parcel.</p>","personal_reference":"B-`...)
	b = append(strconv.AppendInt(b, int64(client), 10), '-')
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, `","category_id":"1010101","price":{"amount":"`...)
	b = strconv.AppendInt(b, int64(1+random.IntN(900)), 10)
	return append(b, `.50","currency":"EUR"},"quantity":1,"duration_days":28,"weight_grams":20}`...)
}
