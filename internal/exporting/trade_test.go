package exporting

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/sheet"
	"sellerd/v1"
)

// year makes sales and bills in two currencies, some paid, sent or cancelled, on both sides of a new year in Belgium.
func year(t *testing.T, s shop) {
	t.Helper()
	s.Clock.Advance(time.Date(2026, 12, 31, 22, 30, 0, 0, time.UTC).Sub(s.Clock.Now())) // half an hour before
	buy := func(price, currency string, pieces int, buyer string) (sale, bill string) {
		id := s.List(t, servertest.FixedPrice(map[string]any{
			"title": "-5% on a \"lot\"; " + price, "price": money2(price, currency), "quantity": pieces, "personal_reference": "=R-" + price,
		}))
		made := s.act(t, "/items/"+id+"/purchase", map[string]any{"quantity": pieces, "buyer": map[string]any{"nickname": buyer, "first_name": "=cmd|' /C calc'!A0", "phone": "+32 2 555 12 12"}})
		return made["id"].(string), made["bill_id"].(string)
	}
	_, first := buy("0.10", "EUR", 3, "bob")
	buy("0.20", "EUR", 7, "bob")
	s.act(t, "/bills/"+first+"/invoice", map[string]any{})
	s.act(t, "/bills/"+first+"/pay", map[string]any{})
	s.Clock.Advance(time.Hour) // half an hour after
	_, second := buy("1234.56", "USD", 1, "carla")
	s.act(t, "/bills/"+second+"/invoice", map[string]any{"shipping_cost": money2("4.90", "USD")})
	cancelled, _ := buy("19.99", "EUR", 1, "dan")
	s.act(t, "/sales/"+cancelled+"/cancel", map[string]any{})
	buy("999999.99", "EUR", 50, "eve")
}

// cents is an amount without its point or comma, exact in a test that does not divide.
func cents(t *testing.T, amount string) (n int64) {
	t.Helper()
	if _, err := fmt.Sscanf(strings.NewReplacer(".", "", ",", "").Replace(amount), "%d", &n); err != nil {
		t.Fatalf("%q: %v", amount, err)
	}
	return n
}

// columnsOf are the cells of some columns of a file, by row.
func columnsOf(t *testing.T, file []byte, names ...string) (rows [][]string) {
	t.Helper()
	all := rowsOf(t, file)
	for _, row := range all[1:] {
		var cells []string
		for _, name := range names {
			at := slices.Index(all[0], name)
			if at < 0 {
				t.Fatalf("there is no column %s in %q", name, all[0])
			}
			cells = append(cells, row[at])
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestSumsAreThoseOfTheService compares a column, what the command says, and the API.
func TestSumsAreThoseOfTheService(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShop(t, w)
		year(t, s)
		for kind, column := range map[string]string{Bills: "total", Sales: "total_price"} {
			want, got := map[string]int64{}, map[string]int64{}
			for _, object := range s.list(t, "/v1/"+kind+"?limit=200") {
				total := object[column].(map[string]any)
				want[total["currency"].(string)] += cents(t, total["amount"].(string))
			}
			file, e := s.exports(t, s.Key, Options{Kind: kind, Form: semicolons})
			for _, row := range columnsOf(t, file, column, "currency") {
				got[row[1]] += cents(t, row[0])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-API +file):\n%s", kind, diff)
			}
			said := map[string][]string{
				Bills: {"sum of total: 50000006.20 EUR", "sum of total: 0.00 EUR, cancelled", "sum of total: 1239.46 USD"},
				Sales: {"sum of total_price: 50000001.20 EUR", "sum of total_price: 19.99 EUR, cancelled", "sum of total_price: 1234.56 USD"},
			}[kind]
			if diff := cmp.Diff(said, e.Sums()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", kind, diff)
			}
		}
	})
}

// TestASaleInAFile reads a row in both forms.
func TestASaleInAFile(t *testing.T) {
	s := newShop(t, servertest.New(t, servertest.SQLite(t)))
	year(t, s)
	names := []string{"sold_at", "status", "personal_reference", "title", "quantity", "unit_price", "total_price", "currency", "buyer_first_name", "buyer_phone"}
	for _, test := range []struct {
		form sheet.Form
		want []string
	}{
		{semicolons, []string{
			"2026-12-31T23:30:00+01:00", "active", "=R-0.10", "-5% on a \"lot\"; 0.10", "3", "0,10", "0,30", "EUR", "=cmd|' /C calc'!A0", "+32 2 555 12 12",
		}},
		{commas, []string{
			"2026-12-31T23:30:00+01:00", "active", "=R-0.10", "-5% on a \"lot\"; 0.10", "3", "0.10", "0.30", "EUR", "=cmd|' /C calc'!A0", "+32 2 555 12 12",
		}},
	} {
		file, _ := s.exports(t, s.Key, Options{Kind: Sales, Form: test.form})
		if diff := cmp.Diff(test.want, columnsOf(t, file, names...)[0]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, text := range []string{"'=R-0.10", "'-5%", "'=cmd|", "'+32 2"} {
			if !strings.Contains(string(file), text) {
				t.Errorf("there is no %s in the file", text)
			}
		}
	}
	file, _ := s.exports(t, s.Key, Options{Kind: Sales, Form: workbook}) // whose dates our reader takes for UTC
	want := [][]string{{"2026-12-31T23:30:00Z", "0.1", "0.3"}, {"2026-12-31T23:30:00Z", "0.2", "1.4"}, {"2027-01-01T00:30:00Z", "1234.56", "1234.56"}}
	if diff := cmp.Diff(want, columnsOf(t, file, "sold_at", "unit_price", "total_price")[:3]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestABillInAFile has what is on a bill.
func TestABillInAFile(t *testing.T) {
	s := newShop(t, servertest.New(t, servertest.SQLite(t)))
	year(t, s)
	names := []string{"number", "status", "created_at", "subtotal", "shipping_cost", "total", "currency", "payment_status", "pieces", "personal_references", "titles", "buyer_nickname"}
	file, _ := s.exports(t, s.Key, Options{Kind: Bills, Form: commas})
	want := [][]string{
		{
			"2026-00001", "to_send", "2026-12-31T23:30:00+01:00", "1.70", "5.00", "6.70", "EUR", "received", "10", "=R-0.10 | =R-0.20",
			"-5% on a \"lot\"; 0.10 | -5% on a \"lot\"; 0.20", "bob",
		},
		{
			"2026-00002", "awaiting_payment", "2027-01-01T00:30:00+01:00", "1234.56", "4.90", "1239.46", "USD", "pending", "1", "=R-1234.56",
			"-5% on a \"lot\"; 1234.56", "carla",
		},
		{"2026-00003", "cancelled", "2027-01-01T00:30:00+01:00", "0.00", "", "0.00", "EUR", "pending", "0", "", "", "dan"},
	}
	if diff := cmp.Diff(want, columnsOf(t, file, names...)[:3]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAPeriod asks for the new year in the account's zone, by different times.
func TestAPeriod(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShop(t, w)
		year(t, s)
		_, e := s.exports(t, s.Key, Options{Kind: Sales, Form: semicolons})
		newYear := time.Date(2027, 1, 1, 0, 0, 0, 0, e.Zone)
		rows := map[string]int{}
		for name, o := range map[string]Options{
			"sales before": {Kind: Sales, To: newYear}, "sales after": {Kind: Sales, From: newYear}, "bills before": {Kind: Bills, To: newYear},
			"bills after": {Kind: Bills, From: newYear}, "bills paid before": {Kind: Bills, By: "paid", To: newYear}, "bills paid after": {Kind: Bills, By: "paid", From: newYear},
			"bills paid": {Kind: Bills, By: "paid"}, "bills sent": {Kind: Bills, By: "sent"}, "bills": {Kind: Bills, By: "created"},
			"cancelled bills": {Kind: Bills, Status: []string{"cancelled"}}, "items after": {Kind: Items, From: newYear},
		} {
			_, e := s.exports(t, s.Key, o.in(semicolons))
			rows[name] = e.Rows
		}
		want := map[string]int{
			"sales before": 2, "sales after": 3, "bills before": 1, "bills after": 3, "bills paid before": 1, "bills paid after": 0, "bills paid": 1, "bills sent": 0, "bills": 4, "cancelled bills": 1, "items after": 3,
		}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func (o Options) in(form sheet.Form) Options {
	o.Form = form
	return o
}

// TestAKeyWithoutBuyers checks that the cells with buyers' data are empty, and that the exporter says so.
func TestAKeyWithoutBuyers(t *testing.T) {
	s := newShop(t, servertest.New(t, servertest.SQLite(t)))
	year(t, s)
	permissions, err := v1.ParsePermissions([]string{"sales:read", "bills:read", "account:read"})
	if err != nil {
		t.Fatal(err)
	}
	lesser := s.LesserKey(t, permissions)
	hidden := []string{"buyer_email", "buyer_first_name", "buyer_last_name", "buyer_phone", "shipping_name", "shipping_line1", "shipping_country"}
	for _, kind := range []string{Sales, Bills} {
		file, e := s.exports(t, lesser, Options{Kind: kind, Form: semicolons})
		for _, row := range columnsOf(t, file, hidden...) {
			if diff := cmp.Diff(make([]string, len(hidden)), row); diff != "" {
				t.Errorf("%s (-want +got):\n%s", kind, diff)
			}
		}
		if !e.Hidden || columnsOf(t, file, "buyer_nickname")[0][0] != "bob" {
			t.Errorf("%s: hidden %t", kind, e.Hidden)
		}
		if _, e := s.exports(t, s.Key, Options{Kind: kind, Form: semicolons}); e.Hidden {
			t.Errorf("%s: a key with all permissions hides buyers", kind)
		}
	}
}

// TestSumsOfOtherCurrencies adds amounts without decimals, and more than a number of 64 bits holds.
func TestSumsOfOtherCurrencies(t *testing.T) {
	var all sums
	for _, m := range []money{{"1200", "JPY"}, {"5", "JPY"}, {"0.01", "EUR"}, {"0.02", "EUR"}, {"92233720368547758.07", "USD"}, {"0.01", "USD"}} {
		if err := all.add("total", m, false); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"sum of total: 0.03 EUR", "sum of total: 1205 JPY", "sum of total: 92233720368547758.08 USD"}
	if diff := cmp.Diff(want, all.lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := all.add("total", money{Amount: "x"}, false); err == nil {
		t.Error("x is an amount")
	}
}
