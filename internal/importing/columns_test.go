package importing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"sellerd/internal/sheet"
)

// A currency in the name of a column is that of its amounts, not of the account.
func TestTheNameOfAColumnHasACurrency(t *testing.T) {
	const two = "The amount, or the name of its column, and the column currency name two currencies. Name one of them alone."
	for _, test := range []struct{ header, cells, want string }{
		{"Price £", "12.50", "GBP"},
		{"Price (EUR)", "12.50", "EUR"},
		{"Price in chf", "12.50", "CHF"},
		{"$US price", "12.50", "USD"},
		{"price_aud", "12.50", "AUD"},
		{"Price $", "12.50", "Dollars of which country? Name the currency in the column currency: USD, CAD or AUD."},
		{"Price $,currency", "12.50,CAD", "CAD"},
		{"Price $", "US $12.50", "USD"},
		{"Price $", "12.50 CAD", "CAD"},
		{"Price £,currency", "12.50,EUR", two},
		{"Price £", "12.50 €", two},
		{"Price £", "£12.50", "GBP"},
		{"Net CHF", "12.50", "CHF"},
		{"Net £ each", "12.50", "GBP"},
		{"priceUSD", "12.50", "USD"},
		{"\"Price\n(USD)\"", "12.50", "USD"},
		{"\"Price\n(kr)\"", "12.50", "The name of the column shows the amount in KR, which is none of EUR, GBP, USD, CAD, AUD and CHF."},
		{"\"Net\nin ct\"", "450", "The name of the column shows the amount in CT, which is none of EUR, GBP, USD, CAD, AUD and CHF."},
		{"Price (zł)", "12.50", "The name of the column shows the amount in ZŁ, which is none of EUR, GBP, USD, CAD, AUD and CHF."},
		{"Price R$", "12.50", "The name of the column shows the amount in R$, which is none of EUR, GBP, USD, CAD, AUD and CHF."},
		{"Net kr. each", "12.50", "The name of the column shows the amount in KR, which is none of EUR, GBP, USD, CAD, AUD and CHF."},
		{"Net ¥", "12.50", "The name of the column shows the amount in ¥, which is none of EUR, GBP, USD, CAD, AUD and CHF."},
	} {
		var named []string
		if name := strings.NewReplacer("\"", "", "\n", " ").Replace(test.header); strings.HasPrefix(name, "Net") {
			named = []string{name + "=price"}
		}
		read, err := Read([]byte("reference,"+test.header+"\nA,"+test.cells+"\n"), Options{Update: true, Columns: named})
		if err != nil {
			t.Errorf("%s: %v", test.header, err)
			continue
		}
		var change struct {
			Patch struct{ Price struct{ Currency string } }
		}
		if err := json.Unmarshal(read.Rows[0].item, &change); err != nil {
			t.Fatal(err)
		}
		got := change.Patch.Price.Currency
		if problems := read.Rows[0].Problems; problems != nil {
			got = problems[0].Message
		}
		if got != test.want {
			t.Errorf("%s: %s is %s, want %s", test.header, test.cells, got, test.want)
		}
	}
}

func TestMistakesNameTheRowOfTheHeader(t *testing.T) {
	for file, want := range map[string]string{
		"My shop\n\nreference;price;price\nA;1;1\n": `row 3: there are two columns "price": take one away`,
		"My shop\n\nreference;prise\nA;1\n":         `row 3: there is no column "prise" (is it price?).`,
	} {
		if _, err := Read([]byte(file), Options{Update: true, Options: sheet.Options{HeaderRow: 3}}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
}

func TestColumns(t *testing.T) {
	update := Options{Update: true}
	for _, test := range []struct {
		header string
		o      Options
		want   string
	}{
		{"title,Personal Reference,CATEGORY-ID,Sale_Type,Starting Price", Options{}, "title personal_reference category_id sale_type starting_price"},
		{"title,Reference", Options{}, "title personal_reference"},
		{"reference,Price", update, "reference price"},
		{"Personal Reference,Item ID,Close", update, "personal_reference item_id close"},
		{"Title,Variant Price,Vendor", Options{Columns: []string{"variant price=price"}, IgnoreUnknown: true}, "title price "},
		{"title,prise", Options{}, `row 1: there is no column "prise" (is it price?).`},
		{"titre,Titel,prénom", Options{}, `row 1: there is no column "titre" (is it title?), "Titel" (is it title?), "prénom".`},
		{"Title,Handle,Variant SKU,Variant Price", Options{}, `row 1: there is no column "Handle", "Variant SKU", "Variant Price" (is it price?).`},
		{"title,price,Price", Options{}, `row 1: there are two columns "price": take one away`},
		{"reference,personal_reference", update, "row 1: reference and personal_reference are the same column"},
		{"title,reference,personal reference", Options{}, `row 1: there are two columns "personal_reference"`},
		{"reference,starts_at", update, `row 1: there is no column "starts_at"`},
		{"title,x", Options{Columns: []string{"x=prise"}, IgnoreUnknown: true}, `row 1: there is no column "prise" (is it price?).`},
		{"title,Price (EUR),Reserve Price £,US$ starting price,bid_increment_chf", Options{}, "title price reserve_price starting_price bid_increment"},
		{"Price in GBP,Price €", Options{}, `row 1: there are two columns "price"`},
		{"reference,price,Price (USD)", Options{Update: true, IgnoreUnknown: true}, "reference price "},
		{"title,Price USD,Price EUR", Options{Columns: []string{"Price EUR=price"}, IgnoreUnknown: true}, "title  price"},
		{"title,Price USD,Price EUR", Options{IgnoreUnknown: true}, "title  "},
		{"reference,Price (USD)", Options{Update: true, IgnoreUnknown: true}, "reference price"},
		{"Bild 2,image10,title,Picture URL 1,photo,images", Options{}, "images+ images++ title images images+++ images++++"},
		{"Image 1,Image 2,Extra images,title", Options{Columns: []string{"Extra images=images"}}, "images images+ images++ title"},
		{"Image 1,title,Back scan", Options{Columns: []string{"Back scan=images"}}, "images title images+"},
		{"photo,image 2,Back scan,image 1,title", Options{Columns: []string{"Back scan=images"}}, "images images+++ images++ images+ title"},
		{"title,front,back", Options{Columns: []string{"front=images", "back=images"}}, "title images images+"},
		{"title,back 2,front 1", Options{Columns: []string{"front 1=image", "back 2=image 2"}}, "title images+ images"},
		{"title (EUR)", Options{}, `row 1: there is no column "title (EUR)"`},
		{"title", Options{Columns: []string{"y=price"}}, `--column names "y", and the file has no such column`},
		{"title", Options{Columns: []string{"y"}}, `--column must be like "Variant Price=price", not "y"`},
	} {
		columns, _, err := findColumns(strings.Split(test.header, ","), 1, test.o)
		got := strings.Join(columns, " ")
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != test.want || err != nil && !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s", test.header, got, test.want)
		}
	}
}

// TestPicturesInSeveralColumns has a picture in each, and what the service or the import says of one of them.
func TestPicturesInSeveralColumns(t *testing.T) {
	const file = "reference,image2,image1,image3\nA,https://a.test/2.jpg https://a.test/3.jpg,https://a.test/1.jpg,https://a.test/3.jpg\nB,,,https://a.test/3.jpg\nC,2.jpg,https://a.test/1.jpg,\nD,,,\n"
	read, err := Read([]byte(file), Options{Update: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range read.Rows {
		got = append(got, string(row.item))
	}
	want := []string{
		`{"patch":{"images":["https://a.test/1.jpg","https://a.test/2.jpg","https://a.test/3.jpg"]},"personal_reference":"A"}`,
		`{"patch":{"images":["https://a.test/3.jpg"]},"personal_reference":"B"}`, `{"patch":{"images":null},"personal_reference":"C"}`, `{"patch":{},"personal_reference":"D"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p := read.Rows[2].Problems; len(p) != 1 || p[0].Field != "image2" || p[0].Value != "2.jpg" {
		t.Errorf("a cell without an address has %v", p)
	}
	lost := read.Rows[0].placed(Problem{Code: "image_unreachable", Field: "changes[0].patch.images[2].url", Message: "It was not found."})
	if diff := cmp.Diff(Problem{Code: "image_unreachable", Field: "image2", Value: "https://a.test/3.jpg", Message: "Picture 3: It was not found."}, lost); diff != "" {
		t.Errorf("a picture that is lost (-want +got):\n%s", diff)
	}
}

// TestARowOfPicturesAloneIsNotSent has the pictures of an item in rows below it, as Shopify writes them.
func TestARowOfPicturesAloneIsNotSent(t *testing.T) {
	const file = "Handle,title,category_id,sale_type,price,images\nx,A,1,fixed_price,1.50,https://a.test/1.jpg\n" +
		"x,,,,,https://a.test/2.jpg\ny,B,1,,,https://a.test/3.jpg\n"
	read, err := Read([]byte(file), Options{IgnoreUnknown: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range read.Rows {
		got = append(got, fmt.Sprint(row.Row, " ", row.Outcome, " ", row.Problems))
	}
	want := []string{
		"2 unsent []",
		"3 refused [images: The row has pictures and nothing else. Put them into the cell of the row that they belong to, with blanks between the addresses, " +
			"and take this row away. (missing_field)]",
		"4 unsent []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if read.Wrong() != 1 {
		t.Errorf("%d rows are wrong", read.Wrong())
	}
}

// TestAFileOfListingsIsNoFileOfChanges: the quantities of a file that lists items are the pieces to list, or those that are left.
func TestAFileOfListingsIsNoFileOfChanges(t *testing.T) {
	for header, o := range map[string]Options{
		"title,personal_reference,sale_type,price,quantity,starts_at":                {},
		"Title,Reference,Category ID,Sale type,Price,Currency,Quantity,Images":       {IgnoreUnknown: true},
		"Title,Reference,Category ID,Sale type,Price,Currency,Quantity,Other images": {},
		"Reference,SALE-TYPE,Pieces":                                                 {Columns: []string{"pieces=quantity"}},
		"Reference,Kind,Quantity":                                                    {Columns: []string{"Kind=sale type"}},
	} {
		o.Update = true
		_, err := Read([]byte(header+"\n"+strings.Repeat("1,", strings.Count(header, ","))+"1\n"), o)
		if err == nil || !strings.Contains(err.Error(), "`sellerd export items --for-update`") || strings.Contains(err.Error(), "--ignore-unknown-columns") {
			t.Errorf("%s: it says %v", header, err)
		}
	}
}

// TestTheNamesOfColumnsAreFoundBelowOtherLines has seven lines above them.
func TestTheNamesOfColumnsAreFoundBelowOtherLines(t *testing.T) {
	_, err := Read([]byte(strings.Repeat("Line of the address\n", 7)+"reference;price\nA;2\n"), Options{Update: true})
	const want = "Or is row 8 the one that names the columns? Then run the command again with --header-row 8"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("it says %v, want %s", err, want)
	}
}

// TestColumnsThatAreLeftOutCannotBeWrong has cells that would be refused in any other column.
func TestColumnsThatAreLeftOutCannotBeWrong(t *testing.T) {
	const file = "title,category_id,sale_type,price,profit,ratio\nA,1,fixed_price,1.50,#N/A,=1/0\nB,1,fixed_price,#N/A,1,2\n"
	read, err := Read([]byte(file), Options{IgnoreUnknown: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := read.Rows[0].Problems; got != nil {
		t.Errorf("a row is refused for a column that is left out: %v", got)
	}
	if got := read.Rows[1].Problems; len(got) != 1 || got[0].Field != "price" {
		t.Errorf("a formula that failed in a price: %v", got)
	}
}

func TestColumnsThatEveryFileNeeds(t *testing.T) {
	for _, test := range []struct {
		file string
		o    Options
		want string
	}{
		{"description,reference\nA,R-A\n", Options{}, "there is no column title, category_id, sale_type, price or starting_price. The first row must name the columns."},
		{"title,category_id,price\nA,1,2\n", Options{}, "there is no column sale_type. "},
		{"price,title\n2,A\n", Options{Update: true}, "there is no column reference or personal_reference or item_id. "},
		{
			"My stock 2026\n\ntitle;category_id;sale_type;price\nA;1;fixed_price;2\n",
			Options{},
			`row 1: there is no column "My stock 2026". `,
		},
	} {
		_, err := Read([]byte(test.file), test.o)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: %v", test.file, err)
		}
		if strings.HasPrefix(test.file, "My") {
			if !strings.HasSuffix(err.Error(), "Or is row 3 the one that names the columns? Then run the command again with --header-row 3") {
				t.Error(err)
			}
			test.o.HeaderRow = 3
			read, err := Read([]byte(test.file), test.o)
			if err != nil || len(read.Rows) != 1 || read.Rows[0].Row != 4 || read.Wrong() != 0 {
				t.Errorf("with --header-row: %v", err)
			}
		}
	}
}

// Workbooks begin with instructions, a summary of the program that wrote them, or an empty sheet.
func TestRowsInAnotherSheetAreNamed(t *testing.T) {
	for name, test := range map[string]struct {
		first, second [][]any
		want          string
	}{
		"instructions": {
			[][]any{{"Fill in the sheet Items"}, {"Thank you"}},
			[][]any{{"reference", "price"}, {"A", 2}},
			`row 1: there is no column "Fill in the sheet Items". … Or are the rows in the sheet "Items"? Then run the command again with --sheet "Items"`,
		},
		"nothing": {
			nil,
			[][]any{{"reference", "price"}, {"A", 2}},
			"the sheet is empty: its first row must name the columns, as `sellerd import sample 1` shows. " +
				`Or are the rows in the sheet "Items"? Then run the command again with --sheet "Items"`,
		},
		"a summary, and a title above the names": {
			[][]any{{"This document was exported from Numbers."}, {"Sheet 1"}},
			[][]any{{"Table 1"}, {"reference", "price"}, {"A", 2}},
			`row 1: there is no column "This document was exported from Numbers.". … Or are the rows in the sheet "Items", and does row 2 name the columns? ` +
				`Then run the command again with --sheet "Items" --header-row 2`,
		},
		"another table": {
			[][]any{{"Totals"}, {1}},
			[][]any{{"Sums"}},
			`row 1: there is no column "Totals". …`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := excelize.NewFile()
			defer file.Close()
			if _, err := file.NewSheet("Items"); err != nil {
				t.Fatal(err)
			}
			for sheet, rows := range map[string][][]any{"Sheet1": test.first, "Items": test.second} {
				for i, row := range rows {
					if err := file.SetSheetRow(sheet, fmt.Sprintf("A%d", i+1), &row); err != nil {
						t.Fatal(err)
					}
				}
			}
			var data bytes.Buffer
			if err := file.Write(&data); err != nil {
				t.Fatal(err)
			}
			_, err := Read(data.Bytes(), Options{Update: true})
			if err == nil {
				t.Fatal("it was read")
			}
			got := regexp.MustCompile(`The columns are [^.]*\. .*?--ignore-unknown-columns(?:\. )?`).ReplaceAllString(err.Error(), "… ")
			if diff := cmp.Diff(test.want, strings.TrimSpace(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
