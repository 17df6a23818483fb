package exporting

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sellerd/internal/sheet"
)

// itemColumns are those of a file of listings. They have the names, the order and the form that the import reads. Instants are texts, because a
// workbook's dates have no fractions of a second and no zone.
var itemColumns = []column{
	words("title", 50),
	words("subtitle", 20),
	{
		Column: sheet.Column{Name: "description", Width: 50},
		made: func(e *Exporter, it object) string {
			return entireHTML(it.text("description"), e.Options.Form.Separator)
		},
	},
	words("personal_reference", 20),
	words("category_id", 0),
	words("sale_type", 0),
	cash("price"),
	words("currency", 0).from("current_price.currency"),
	cash("starting_price"),
	cash("reserve_price"),
	cash("bid_increment"),
	whole("quantity").by(left),
	whole("duration_days"),
	whole("renewals"),
	whole("weight_grams"),
	words("shipping_model_id", 0),
	words("images", 50).by(pictures),
	words("options", 20).by(options),
	words("site", 0),
	words("preferred_end_day", 0),
	words("preferred_end_time", 0),
	words("starts_at", 22).by(start),
	words("ends_at", 22).by(end),
}

// changeColumns are those of a file of changes: the item's id, an empty column to close items by, and the columns of listings that can change.
// A quantity counts the pieces that are sold, too.
var changeColumns = append([]column{words("item_id", 14).from("id"), words("personal_reference", 20), words("close", 0), whole("quantity")},
	slices.DeleteFunc(slices.Clone(itemColumns), func(c column) bool {
		return slices.Contains([]string{"personal_reference", "quantity", "sale_type", "starts_at"}, c.Name)
	})...)

// left is the number of pieces that are not sold. Of an item that has none, it is the number that there were.
func left(it object) string {
	if available := it.text("quantity_available"); available != "0" {
		return available
	}
	return it.text("quantity")
}

// pictures are the addresses with blanks between them, or a JSON list if that could be read in another way.
func pictures(it object) string {
	addresses := it.texts("images", "url")
	if cell := strings.Join(addresses, " "); !strings.ContainsAny(cell, ",;|") {
		return cell
	}
	list, _ := json.Marshal(addresses) // texts
	return string(list)
}

func options(it object) string {
	var names []string
	switches, _ := it["options"].(map[string]any)
	for name, on := range switches {
		if on == true {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// start is when an item that is scheduled starts. Every other start is over.
func start(it object) string {
	if it["status"] != "scheduled" {
		return ""
	}
	return it.text("starts_at")
}

// end is the end of an item that has no duration, if it is not over.
func end(it object) string {
	if it["duration_days"] != nil || it["status"] != "scheduled" && it["status"] != "open" {
		return ""
	}
	return it.text("ends_at")
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
	var html strings.Builder
	for _, r := range blanks {
		fmt.Fprintf(&html, "&#%d;", r)
	}
	return html.String()
}
