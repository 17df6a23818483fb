package v1_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/items"
	"sellerd/v1/reference"
	"sellerd/v1/rows"
)

// This file has made-up items, and what lists of them must be.

var (
	stockStatuses   = []string{items.ItemScheduled, v1.ItemOpen, v1.ItemSold, v1.ItemUnsold, v1.ItemClosed}
	stockCategories = []int64{1010101, 1010102, 1010103}
	stockWords      = []string{"Océanie", "OCEAN", "stamp", "Été", "étoile", "20c", "straße", "Ceres", "rouge"}
	stockCurrencies = []string{"EUR", "USD", "GBP"}
)

// stock puts a shelf of made-up items into the test account, with many equal sort keys, and another account's beside it.
func stock(tb testing.TB, w *servertest.World, n int) []*ent.Item {
	tb.Helper()
	return stockTitled(tb, w, n, stockWords)
}

// stockTitled is stock with titles of these words.
func stockTitled(tb testing.TB, w *servertest.World, n int, titles []string) []*ent.Item {
	tb.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	other, _, _ := w.Seller(tb, "berta")
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	start := servertest.Start.UnixMicro()
	var shelf []*ent.Item
	err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
		shelf = nil
		var items []*ent.ItemCreate
		var words []rows.Word
		for i := range n {
			owner := v1.OwnerOf(w.Account, true)
			if i%10 == 9 {
				owner = v1.OwnerOf(other, true)
			}
			title := pick(titles) + " " + pick(titles)
			create := tx.Item.Create().SetID(int64(5_000_000 + r.IntN(10)*n + i)).SetOwner(int64(owner)).SetTitle(title).
				SetSaleType(pick([]string{v1.SaleTypeAuction, v1.SaleTypeFixedPrice})).SetCategoryID(stockCategories[r.IntN(len(stockCategories))]).
				SetCurrency(pick(stockCurrencies)).SetCurrentPrice(int64(100 * (1 + r.IntN(20)))).SetQuantity(1).SetSite("net").SetImages("[]").
				SetStatus(pick(stockStatuses)).SetBidCount(r.IntN(3)).SetRunStartedAt(start).
				SetCreatedAt(start + int64(r.IntN(40))*1e6).SetUpdatedAt(start + int64(r.IntN(n))*1e6).SetEndsAt(start + int64(r.IntN(40))*1e6)
			own := ""
			if i%3 == 0 {
				own = "shelf " + strconv.Itoa(i%7)
				create.SetPersonalReference(own)
			}
			if i%4 == 0 {
				create.SetShippingModelID(int64(1 + i%3))
			}
			found := reference.Words(title, own)
			create.SetSearch(" " + strings.Join(found, " ") + " ")
			items = append(items, create)
			id, _ := create.Mutation().ID()
			for _, word := range found {
				words = append(words, rows.Word{Owner: int64(owner), Text: word, Item: id})
			}
		}
		var err error
		for part := range slices.Chunk(items, 300) {
			made, failed := tx.Item.CreateBulk(part...).Save(ctx)
			shelf, err = append(shelf, made...), errors.Join(err, failed)
		}
		return errors.Join(err, rows.InsertWords(ctx, tx, words))
	})
	if err != nil {
		tb.Fatalf("stock the shelf: %v", err)
	}
	return slices.DeleteFunc(shelf, func(row *ent.Item) bool { return row.Owner != int64(v1.OwnerOf(w.Account, true)) })
}

// browseFilter is one filter in two forms: the parameters, and what it means for a row.
type browseFilter struct {
	params url.Values
	keeps  func(row *ent.Item) bool
}

// drawFilters draws some of all filters of GET /v1/items.
func drawFilters(t *rapid.T) []browseFilter {
	var filters []browseFilter
	values := func(name string, from []string, of func(*ent.Item) string) {
		chosen := rapid.SliceOfN(rapid.SampledFrom(from), 1, 3).Draw(t, name)
		filters = append(filters, browseFilter{url.Values{name: {strings.Join(chosen, ",")}}, func(row *ent.Item) bool { return slices.Contains(chosen, of(row)) }})
	}
	between := func(from, to string, of func(*ent.Item) int64) {
		low := servertest.Start.UnixMicro() + rapid.Int64Range(0, 40).Draw(t, from)*1e6
		high := low + rapid.Int64Range(0, 40).Draw(t, to)*1e6
		filters = append(filters, browseFilter{
			url.Values{from: {v1.Time(low).String()}, to: {v1.Time(high).String()}},
			func(row *ent.Item) bool { return of(row) >= low && of(row) < high },
		})
	}
	orNone := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	kinds := []func(){
		func() { values("status", stockStatuses, func(row *ent.Item) string { return row.Status }) },
		func() {
			values("sale_type", []string{v1.SaleTypeAuction, v1.SaleTypeFixedPrice}, func(row *ent.Item) string { return row.SaleType })
		},
		func() {
			values("personal_reference", []string{"shelf 0", "shelf 3", "nowhere"}, func(row *ent.Item) string { return orNone(row.PersonalReference) })
		},
		func() {
			values("category_id", []string{"1010101", "1010103"}, func(row *ent.Item) string { return strconv.FormatInt(row.CategoryID, 10) })
		},
		func() {
			values("shipping_model_id", []string{"1", "2", "9"}, func(row *ent.Item) string {
				if row.ShippingModelID == nil {
					return ""
				}
				return strconv.FormatInt(*row.ShippingModelID, 10)
			})
		},
		func() { values("currency", stockCurrencies, func(row *ent.Item) string { return row.Currency }) },
		func() {
			bids := rapid.Bool().Draw(t, "has_bids")
			filters = append(filters, browseFilter{url.Values{"has_bids": {strconv.FormatBool(bids)}}, func(row *ent.Item) bool { return row.BidCount > 0 == bids }})
		},
		func() {
			q := rapid.SampledFrom([]string{"ocean", "OCÉAN stam", "et", "éto", "shelf 3", "rouge ceres", "20C", "Straß", "zebra"}).Draw(t, "q")
			filters = append(filters, wordsFilter(q))
		},
		func() {
			low := rapid.Int64Range(1, 20).Draw(t, "price_min")
			high := rapid.Int64Range(low, 20).Draw(t, "price_max")
			filters = append(filters, browseFilter{
				url.Values{"price_min": {fmt.Sprintf("%d.00", low)}, "price_max": {fmt.Sprintf("%d.00", high)}},
				func(row *ent.Item) bool { return row.CurrentPrice >= low*100 && row.CurrentPrice <= high*100 },
			})
		},
		func() { between("created_from", "created_to", func(row *ent.Item) int64 { return row.CreatedAt }) },
		func() { between("updated_from", "updated_to", func(row *ent.Item) int64 { return row.UpdatedAt }) },
		func() { between("ends_from", "ends_to", func(row *ent.Item) int64 { return row.EndsAt }) },
	}
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(kinds)-1), 0, 4, func(i int) int { return i }).Draw(t, "filters") {
		kinds[i]()
	}
	return filters
}

// wordsFilter keeps items in which each word of q begins a word.
func wordsFilter(q string) browseFilter {
	return browseFilter{url.Values{"q": {q}}, func(row *ent.Item) bool {
		return !slices.ContainsFunc(reference.Words(q), func(word string) bool {
			return !slices.ContainsFunc(strings.Fields(row.Search), func(has string) bool { return strings.HasPrefix(has, word) })
		})
	}}
}

var itemSorts = []string{"created_at_asc", "created_at_desc", "updated_at_asc", "updated_at_desc", "ends_at_asc", "ends_at_desc"}

// expected is the list as a reader of docs/seller/lists.md would work it out by hand.
func expected(rows []*ent.Item, filters []browseFilter, sort string) []v1.ID {
	var kept []*ent.Item
	for _, row := range rows {
		if !slices.ContainsFunc(filters, func(f browseFilter) bool { return !f.keeps(row) }) {
			kept = append(kept, row)
		}
	}
	key := func(row *ent.Item) int64 {
		switch sort[:7] {
		case "created":
			return row.CreatedAt
		case "updated":
			return row.UpdatedAt
		default:
			return row.EndsAt
		}
	}
	slices.SortFunc(kept, func(a, b *ent.Item) int {
		order := cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a.ID, b.ID))
		if strings.HasSuffix(sort, "_desc") {
			return -order
		}
		return order
	})
	ids := []v1.ID{}
	for _, row := range kept {
		ids = append(ids, v1.ID(row.ID))
	}
	return ids
}
