package exporting

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sellerd/internal/sheet"
)

// item is what a file has of an item. Texts and numbers that are null are empty and 0.
type item struct {
	ID                string          `json:"id"`
	Title             string          `json:"title"`
	Subtitle          string          `json:"subtitle"`
	Description       string          `json:"description"`
	PersonalReference string          `json:"personal_reference"`
	CategoryID        string          `json:"category_id"`
	SaleType          string          `json:"sale_type"`
	Status            string          `json:"status"`
	Price             money           `json:"price"`
	StartingPrice     money           `json:"starting_price"`
	ReservePrice      money           `json:"reserve_price"`
	BidIncrement      money           `json:"bid_increment"`
	CurrentPrice      money           `json:"current_price"`
	Quantity          int             `json:"quantity"`
	QuantityAvailable int             `json:"quantity_available"`
	DurationDays      int             `json:"duration_days"`
	Renewals          int             `json:"renewals"`
	WeightGrams       int             `json:"weight_grams"`
	ShippingModelID   string          `json:"shipping_model_id"`
	Images            []picture       `json:"images"`
	Options           map[string]bool `json:"options"`
	Site              string          `json:"site"`
	PreferredEndDay   string          `json:"preferred_end_day"`
	PreferredEndTime  string          `json:"preferred_end_time"`
	StartsAt          string          `json:"starts_at"`
	EndsAt            string          `json:"ends_at"`
}

type picture struct {
	URL string `json:"url"`
}

// itemColumns are those of a file of listings. They have the names, the order and the form that the import reads. Instants are texts, because a
// workbook's dates have no fractions of a second and no zone.
var itemColumns = []column[item]{
	words("title", 50, func(it *item) string { return it.Title }),
	words("subtitle", 20, func(it *item) string { return it.Subtitle }),
	{sheet.Column{Name: "description", Width: 50}, func(e *Exporter, it *item) string { return entireHTML(it.Description, e.Options.Form.Separator) }},
	words("personal_reference", 20, func(it *item) string { return it.PersonalReference }),
	words("category_id", 0, func(it *item) string { return it.CategoryID }),
	words("sale_type", 0, func(it *item) string { return it.SaleType }),
	cash("price", func(it *item) money { return it.Price }),
	words("currency", 0, func(it *item) string { return it.CurrentPrice.Currency }),
	cash("starting_price", func(it *item) money { return it.StartingPrice }),
	cash("reserve_price", func(it *item) money { return it.ReservePrice }),
	cash("bid_increment", func(it *item) money { return it.BidIncrement }),
	whole("quantity", (*item).left),
	whole("duration_days", func(it *item) string { return unlessNull(it.DurationDays) }),
	whole("renewals", func(it *item) string { return strconv.Itoa(it.Renewals) }),
	whole("weight_grams", func(it *item) string { return unlessNull(it.WeightGrams) }),
	words("shipping_model_id", 0, func(it *item) string { return it.ShippingModelID }),
	words("images", 50, (*item).pictures),
	words("options", 20, (*item).options),
	words("site", 0, func(it *item) string { return it.Site }),
	words("preferred_end_day", 0, func(it *item) string { return it.PreferredEndDay }),
	words("preferred_end_time", 0, func(it *item) string { return it.PreferredEndTime }),
	words("starts_at", 22, (*item).start),
	words("ends_at", 22, (*item).end),
}

// changeColumns are those of a file of changes: the item's id, an empty column to close items by, and the columns of listings that can change.
// A quantity counts the pieces that are sold, too.
var changeColumns = append([]column[item]{
	words("item_id", 14, func(it *item) string { return it.ID }),
	words("personal_reference", 20, func(it *item) string { return it.PersonalReference }),
	words("close", 0, func(*item) string { return "" }),
	whole("quantity", func(it *item) string { return strconv.Itoa(it.Quantity) }),
}, slices.DeleteFunc(slices.Clone(itemColumns), func(c column[item]) bool {
	return slices.Contains([]string{"personal_reference", "quantity", "sale_type", "starts_at"}, c.Name)
})...)

// left is the number of pieces that are not sold. Of an item that has none, it is the number that there were.
func (it *item) left() string {
	if it.QuantityAvailable > 0 {
		return strconv.Itoa(it.QuantityAvailable)
	}
	return strconv.Itoa(it.Quantity)
}

// pictures are the addresses with blanks between them, or a JSON list if that could be read in another way.
func (it *item) pictures() string {
	var addresses []string
	for _, picture := range it.Images {
		addresses = append(addresses, picture.URL)
	}
	if cell := strings.Join(addresses, " "); !strings.ContainsAny(cell, ",;|") {
		return cell
	}
	list, _ := json.Marshal(addresses) // texts
	return string(list)
}

func (it *item) options() string {
	var names []string
	for name, on := range it.Options {
		if on {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// start is when an item that is scheduled starts. Every other start is over.
func (it *item) start() string {
	if it.Status != "scheduled" {
		return ""
	}
	return it.StartsAt
}

// end is the end of an item that has no duration, if it is not over.
func (it *item) end() string {
	if it.DurationDays != 0 || it.Status != "scheduled" && it.Status != "open" {
		return ""
	}
	return it.EndsAt
}

// manySeparators in a line of a cell may look like a row that a missing quote has swallowed.
const manySeparators = 20

// entireHTML is HTML that a reader of cells leaves as it is. Blanks at the ends, which are cut from every cell, become entities; so do ends of
// lines beside a line that looks like a row. The service makes characters of them.
func entireHTML(html string, separator byte) string {
	for line := range strings.SplitSeq(html, "\n") {
		if len(line) < len(html) && strings.Count(line, string(separator)) >= manySeparators {
			html = strings.ReplaceAll(html, "\n", "&#10;")
			break
		}
	}
	inner := sheet.Trim(html)
	if inner == html {
		return html
	}
	before, after, _ := strings.Cut(html, inner)
	return entities(before) + inner + entities(after)
}

func entities(blanks string) string {
	var b strings.Builder
	for len(blanks) > 0 {
		r, n := utf8.DecodeRuneInString(blanks)
		b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		blanks = blanks[n:]
	}
	return b.String()
}
