package exporting

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/importing"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/sheet"
)

func money2(amount, currency string) map[string]any {
	return map[string]any{"amount": amount, "currency": currency}
}

// oddItems are items that a file or a spreadsheet may spoil.
func oddItems(t *testing.T, s shop) []map[string]any {
	models := map[string]string{}
	for _, model := range s.list(t, "/v1/shipping-models") {
		models[model["type"].(string)] = model["id"].(string)
	}
	fixed := servertest.FixedPrice
	items := []map[string]any{
		fixed(),
		fixed(map[string]any{
			"title": "Timbre « Cérès », 20 c noir; état: très beau", "description": "<p>Un \"beau\" timbre;\nneuf,\ttrès frais.</p>\n<p>50 % &amp; plus</p>\n",
			"personal_reference": "00123", "price": money2("0.01", "GBP"), "site": "fr",
		}),
		fixed(map[string]any{"title": "Почтовая марка 1957", "description": "  切手 🐦‍🔥  \n", "personal_reference": "12345678901234567890", "price": money2("999999.99", "CHF")}),
		fixed(map[string]any{"title": "=HYPERLINK(\"http://x.example.com\",\"a\")", "description": "=1+1", "personal_reference": "@SUM(A1)"}),
		fixed(map[string]any{"title": "+33 lots", "description": "-1", "personal_reference": "-5%"}),
		fixed(map[string]any{"title": "'t Hof van Holland", "description": "'=1", "personal_reference": "'+1"}),
		fixed(map[string]any{"title": "#N/A", "description": "#REF!", "personal_reference": "1.5E+12x"}),
		fixed(map[string]any{"title": "A 5\" map, \\\"quoted\\\"; C:\\", "description": "a\\\"b;c\\", "personal_reference": "_x0041_;_x005F_"}),
		fixed(map[string]any{"title": "TRUE", "description": "1,234", "personal_reference": "1/2", "weight_grams": 100000}),
		fixed(map[string]any{
			"subtitle": "Très rare", "options": map[string]any{"subtitle": true, "bold_title": true, "top_category": true, "private_bidding": false}, "renewals": 99,
			"quantity": 40, "duration_days": 14, "preferred_end_day": "sun", "preferred_end_time": "09:05", "weight_grams": 20, "shipping_model_id": models["weight"],
			"images": []string{s.ImageURL(t, "stamp-01.png"), s.ImageURL(t, "stamp-02.png?a=1,2;b=3|4.jpg,x.jpg")},
		}),
		servertest.Auction(map[string]any{
			"starting_price": money2("9.90", "USD"), "reserve_price": money2("20.00", "USD"), "bid_increment": money2("0.50", "USD"), "shipping_model_id": models["fixed"],
			"images": []string{s.ImageURL(t, "stamp-02.png"), s.ImageURL(t, "stamp-01.png")}, "options": map[string]any{"last_minute_bidding": true},
		}),
		servertest.Auction(map[string]any{"starts_at": "2026-12-24T18:00:00.123456Z", "ends_at": "2026-12-31T20:00:00.5Z", "site": "co.uk"}),
		fixed(map[string]any{"ends_at": "2026-12-31T20:00:00Z"}),
		fixed(map[string]any{"title": strings.Repeat("🐦‍🔥", 40), "description": "<p>" + strings.Repeat("é", 9000) + "</p>"}),
		fixed(map[string]any{"description": "Numbers:\n" + strings.Repeat("1,", 22) + "2\n" + strings.Repeat("1;", 22) + "2\n" + strings.Repeat("1\t", 22) + "2\nall"}),
		fixed(map[string]any{"description": "<p>a;b;c</p>\n<table><tr><td>1;2</td></tr></table>\n\n\n<p>x</p>"}),
	}
	return items
}

// volatile are the members of an item that say when and where it was listed.
var volatile = []string{"id", "url", "submission_id", "created_at", "updated_at", "published_at"}

// inventory is what the API says of the items that are on sale, in the order in which they were submitted.
func (s shop) inventory(t *testing.T) []map[string]any {
	t.Helper()
	all := s.list(t, "/v1/items?status=scheduled,open&limit=200")
	id := func(item map[string]any) string { return fmt.Sprintf("%20s", item["id"]) }
	slices.SortFunc(all, func(a, b map[string]any) int { return strings.Compare(id(a), id(b)) })
	for _, item := range all {
		for _, name := range volatile {
			delete(item, name)
		}
		if item["duration_days"] != nil { // it counts from the listing
			delete(item, "ends_at")
		}
		if item["status"] == "open" {
			delete(item, "starts_at")
		}
	}
	return all
}

// TestItemsComeBackAsTheyWere exports items, empties the account, and imports them.
func TestItemsComeBackAsTheyWere(t *testing.T) {
	for name, form := range map[string]sheet.Form{"semicolons": semicolons, "commas": commas, "tabs": {Separator: '\t', Decimal: '.'}, "workbook": workbook} {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				s := newShop(t, w)
				for _, item := range oddItems(t, s) {
					w.List(t, item)
				}
				sale := Options{Kind: Items, Status: []string{"scheduled", "open"}, Form: form}
				before, file := s.inventory(t), sheetOf(t, s, sale)
				s.empty(t)
				if left := s.inventory(t); len(left) > 0 {
					t.Fatalf("%d items are left", len(left))
				}
				report := s.imports(t, file, importing.Options{})
				if report.Summary.Published != len(before) || report.Summary.Warned > 0 {
					t.Errorf("%+v", report.Summary)
					for _, row := range report.Rows {
						t.Logf("%d %s %v", row.Row, row.Outcome, row.Problems)
					}
				}
				if diff := cmp.Diff(before, s.inventory(t)); diff != "" {
					t.Errorf("items (-want +got):\n%s", diff)
				}
				if again := sheetOf(t, s, sale); !bytes.Equal(file, again) {
					t.Errorf("the second export is another (-want +got):\n%s", cmp.Diff(rowsOf(t, file), rowsOf(t, again)))
				}
			})
		})
	}
}

func sheetOf(t *testing.T, s shop, o Options) []byte {
	t.Helper()
	file, _ := s.exports(t, s.Key, o)
	return file
}

// rowsOf are the cells of a file, with its header.
func rowsOf(t *testing.T, file []byte) [][]string {
	t.Helper()
	table, err := sheet.Read(file, sheet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := [][]string{table.Header}
	for _, row := range table.Rows {
		var cells []string
		for _, cell := range row.Cells {
			cells = append(cells, cell.Text)
		}
		all = append(all, cells)
	}
	return all
}

// TestWhatAnImportAsksAboutIsCounted: two items have a reference, and a title is written as HTML. A file of changes may have both.
func TestWhatAnImportAsksAboutIsCounted(t *testing.T) {
	s := newShop(t, servertest.New(t, servertest.SQLite(t)))
	for _, title := range []string{"A &amp; B", "C", "D"} {
		s.List(t, servertest.FixedPrice(map[string]any{"title": title, "personal_reference": "R"}))
	}
	file, counted := s.exports(t, s.Key, Options{Kind: Items, Form: semicolons})
	if counted.Alike != 2 || counted.AsHTML != 1 {
		t.Errorf("%d alike, %d as HTML", counted.Alike, counted.AsHTML)
	}
	before := s.inventory(t)
	s.empty(t)
	s.imports(t, bytes.ReplaceAll(file, []byte("&amp;"), []byte("&")), importing.Options{AllowDuplicates: true})
	before[0]["title"] = "A & B"
	if diff := cmp.Diff(before, s.inventory(t)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// TestATitleAsHTMLIsRefusedIfItIsNew changes a price beside a title that the item has, and then the title.
func TestATitleAsHTMLIsRefusedIfItIsNew(t *testing.T) {
	s := newShop(t, servertest.New(t, servertest.SQLite(t)))
	s.List(t, servertest.FixedPrice(map[string]any{"title": "A &amp; B"}))
	s.List(t, servertest.FixedPrice())
	file := string(sheetOf(t, s, Options{Kind: Items, ForUpdate: true, Form: semicolons}))
	dearer := strings.ReplaceAll(file, "45,00", "46,00")
	for _, test := range []struct {
		file string
		want importing.Summary
	}{
		{file, importing.Summary{Rows: 2, Same: 2}},
		{strings.Replace(dearer, "A &amp; B", "A &amp; C", 1), importing.Summary{Rows: 2, Refused: 1, Unsent: 1}},
		{dearer, importing.Summary{Rows: 2, Changed: 2}},
	} {
		if diff := cmp.Diff(test.want, s.imports(t, []byte(test.file), importing.Options{Update: true}).Summary); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestAFileOfChangesChangesNothing exports items for changes. As long as no cell is edited, an import finds them all the same; then it changes
// what was edited.
func TestAFileOfChangesChangesNothing(t *testing.T) {
	for name, form := range map[string]sheet.Form{"semicolons": semicolons, "workbook": workbook} {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				s := newShop(t, w)
				items := append(oddItems(t, s), servertest.FixedPrice(map[string]any{"title": " a title with blanks ", "personal_reference": " R ", "quantity": 10}))
				var last string
				for _, item := range items {
					last = w.List(t, item)
				}
				s.act(t, "/items/"+last+"/purchase", map[string]any{"quantity": 4})
				file := sheetOf(t, s, Options{Kind: Items, Status: []string{"scheduled", "open"}, ForUpdate: true, Form: form})
				report := s.imports(t, file, importing.Options{Update: true})
				if diff := cmp.Diff(importing.Summary{Rows: len(items), Same: len(items)}, report.Summary); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
					for _, row := range report.Rows {
						t.Logf("%d %s %v", row.Row, row.Outcome, row.Problems)
					}
				}
			})
		})
	}
	t.Run("an edited price", func(t *testing.T) {
		s := newShop(t, servertest.New(t, servertest.SQLite(t)))
		id := s.List(t, servertest.FixedPrice())
		s.List(t, servertest.FixedPrice())
		file := string(sheetOf(t, s, Options{Kind: Items, ForUpdate: true, Form: semicolons}))
		report := s.imports(t, []byte(strings.Replace(file, "45,00", "39,50", 1)), importing.Options{Update: true})
		if report.Summary.Changed != 1 || report.Summary.Same != 1 {
			t.Errorf("%+v", report.Summary)
		}
		if got := s.list(t, "/v1/items?id="+id)[0]["price"]; fmt.Sprint(got) != "map[amount:39.50 currency:EUR]" {
			t.Errorf("the price is %v", got)
		}
	})
}

// TestTheColumnsOfItemsAreThoseOfImports: a file needs no flag to be read, and a column that imports learn is exported, too.
func TestTheColumnsOfItemsAreThoseOfImports(t *testing.T) {
	if diff := cmp.Diff(importing.ListColumns(), Columns(Options{Kind: Items})); diff != "" {
		t.Errorf("(-import +export):\n%s", diff)
	}
	want := map[string]bool{}
	for _, name := range importing.UpdateColumns() {
		want[name] = name != "reference" // which is another name of personal_reference
	}
	got := map[string]bool{"reference": false}
	for _, name := range Columns(Options{Kind: Items, ForUpdate: true}) {
		got[name] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-import --update +export --for-update):\n%s", diff)
	}
}

// TestAPartlySoldItem has the pieces that are left in a file of listings, and all in a file of changes.
func TestAPartlySoldItem(t *testing.T) {
	s := newShop(t, servertest.New(t, servertest.SQLite(t)))
	id := s.List(t, servertest.FixedPrice(map[string]any{"quantity": 10}))
	s.act(t, "/items/"+id+"/purchase", map[string]any{"quantity": 4})
	for forUpdate, want := range map[bool]string{false: "6", true: "10"} {
		rows := rowsOf(t, sheetOf(t, s, Options{Kind: Items, ForUpdate: forUpdate, Form: semicolons}))
		for i, name := range rows[0] {
			if name == "quantity" && rows[1][i] != want {
				t.Errorf("for changes %t: the quantity is %s, want %s", forUpdate, rows[1][i], want)
			}
		}
	}
}
