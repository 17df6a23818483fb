package limit

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"sellerd/v1"
	"sellerd/v1/reference"
)

// This file makes of a submission the rows of an item on sale.

// betterSchema is what a handler that publishes changes in the service's schema, as far as that is not so yet. It has no index for the
// filters by category, shipping model, price, kind of sale, currency, status and reference, which would read more rows in another order or
// find the reference among the words, and none for the deadlines of submissions, which nothing but a crash makes late. Words are one tree
// instead of two.
const betterSchema = `DROP INDEX IF EXISTS items_category; DROP INDEX IF EXISTS items_shipping_model; DROP INDEX IF EXISTS items_price;
 DROP INDEX IF EXISTS items_sale_type; DROP INDEX IF EXISTS items_currency; DROP INDEX IF EXISTS items_status;
 DROP INDEX IF EXISTS items_reference; DROP INDEX IF EXISTS submissions_deadline; DROP TABLE IF EXISTS item_words;
 CREATE TABLE item_words (owner bigint, word text, item_id bigint, PRIMARY KEY (owner, word, item_id))`

// word is one of an item's words.
type word struct {
	owner int64
	text  string
	item  int64
}

// publish adds the rows of an item, and its words to those of others. What the service would compute from preferred ends, and from a start
// or an end at an instant, is left out.
func (r *written) publish(s *submission, made *row, event int64, indexed []word) []word {
	in := s.in
	lead, days := in.Price, in.DurationDays.Or(28)
	if in.SaleType.V == v1.SaleTypeAuction {
		lead, days = in.StartingPrice, in.DurationDays.Or(7)
	}
	ends, renewals := s.at+int64(days)*microsADay, int64(in.Renewals.Or(0))
	words := reference.Words(in.Title.V, in.PersonalReference.V)
	item := []any{
		s.id, s.owner, in.SaleType.V, in.Title.V, text(in.Subtitle), text(in.Description), text(in.PersonalReference), int64(in.CategoryID.V),
		string(lead.V.Currency), minor(in.Price), minor(in.StartingPrice), minor(in.BidIncrement), minor(in.ReservePrice), int64(lead.V.Amount),
		int64(in.Quantity.Or(1)), int64(days), s.at, ends, ends, s.at, s.at, s.at, renewals, renewals, whole(in.ShippingModelID),
		whole(in.WeightGrams), s.images, in.Options.V.Bits(), in.Site.Or("net"), " " + strings.Join(words, " ") + " ",
		v1.ItemOpen, int64(0), int64(0), int64(0), int64(0), int64(1), int64(0),
	}
	for i, at := range storedAt {
		made.cells[i].null = at < 0
		if at >= 0 {
			_ = made.cells[i].Scan(item[at]) // it has only what a database has
		}
	}
	r.add(itemsTable, item...)
	r.add(eventsTable, event, s.owner, "item.published", "item", s.id, int64(1), string(appendEvent(nil, s, made, event)), s.at)
	for _, text := range words {
		indexed = append(indexed, word{s.owner, text, s.id})
	}
	return indexed
}

func appendEvent(b []byte, s *submission, r *row, event int64) []byte {
	b = strconv.AppendInt(append(b, `{"id":"evt_`...), event, 36)
	b = appendTime(append(b, `","type":"item.published","api_version":"v1","created_at":`...), s.at)
	b = append(append(append(b, `,"mode":"`...), v1.Owner(s.owner).Mode()...), `","account_id":"`...)
	b = append(strconv.AppendInt(b, v1.Owner(s.owner).Account(), 10), `","resource":{"type":"item","id":"`...)
	b = append(strconv.AppendInt(b, s.id, 10), `","sequence":1},"cause":{"request_id":"req_ABCDEFGHIJKLMNOPQRSTUVWXYZ","key_prefix":"dk_test_ABCDEFGHIJKL","via":"v1"},"data":{"item":`...)
	return append(r.append(b), "}}"...)
}

// newFetcher is the service's, without its checks of addresses.
func newFetcher() *v1.ImageFetcher {
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	return v1.NewImageFetcher(v1.ImageFetcherConfig{Client: &http.Client{Transport: transport}})
}

// fetch fetches the pictures of a submission, which is ready then.
func (h *Handler) fetch(s *submission) {
	urls := make([]string, len(s.in.Images))
	for i, image := range s.in.Images {
		urls[i] = image.URL
	}
	b := []byte{'['}
	for i, image := range h.images.FetchAll(context.Background(), urls) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(appendText(append(b, `{"url":`...), urls[i]), `,"position":`...), int64(i), 10)
		b = strconv.AppendInt(append(b, `,"status":"ready","width":`...), int64(image.Width), 10)
		b = strconv.AppendInt(append(b, `,"height":`...), int64(image.Height), 10)
		b = append(appendText(append(b, `,"content_type":`...), image.ContentType), `,"error_code":null}`...)
	}
	s.images = string(append(b, ']'))
	h.fetched <- s
}
