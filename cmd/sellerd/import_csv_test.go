package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadRows(t *testing.T) {
	t.Run("cells become the fields of an item", func(t *testing.T) {
		rows, err := readRows(strings.NewReader("\ufefftitle;price;starting_price;currency;quantity;images;options;personal_reference\n"+
			"\"Two\nlines\";1,50;;EUR;a dozen;https://a.test/1.jpg  https://a.test/2.jpg;bold_title highlight;R-1\n"+
			"Second;;9.99;;3;;;\n"), listing)
		if err != nil {
			t.Fatal(err)
		}
		type line struct {
			Line      int
			Reference string
			Item      string
		}
		var got []line
		for _, row := range rows {
			got = append(got, line{row.Line, row.Reference, string(row.item)})
		}
		want := []line{
			{2, "R-1", `{"images":["https://a.test/1.jpg","https://a.test/2.jpg"],"options":{"bold_title":true,"highlight":true},` +
				`"personal_reference":"R-1","price":{"amount":"1,50","currency":"EUR"},"quantity":"a dozen","title":"Two\nlines"}`},
			{4, "", `{"quantity":3,"starting_price":{"amount":"9.99"},"title":"Second"}`},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})

	for name, test := range map[string]struct{ file, want string }{
		"an unknown column":           {"title,prise\nA,1\n", `line 1: there is no column "prise"`},
		"a column twice":              {"title,title\nA,1\n", `line 1: there are two columns "title"`},
		"a row of another length":     {"title,price\nA,1\nB\n", "line 3"},
		"a text that is not UTF-8":    {"title\nA\n\xff\n", "line 3 is not UTF-8"},
		"an empty file":               {"", "the file is empty"},
		"a header alone":              {"title,price\n", "no rows"},
		"a row no request could hold": {"title\n" + strings.Repeat("x", maxBatchBytes) + "\n", "line 2: the row has"},
	} {
		t.Run(name+" is reported before anything is sent", func(t *testing.T) {
			_, err := readRows(strings.NewReader(test.file), listing)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestPicturesOnThisComputerAreRefused(t *testing.T) {
	for cell, want := range map[string]string{
		"front.jpg":                      "front.jpg",
		"https://a.test/1.jpg back.JPEG": "back.JPEG",
		`C:\cards\front.jpg`:             `C:\cards\front.jpg`,
		"/home/anna/front":               "/home/anna/front",
		"./front.tif":                    "./front.tif",
		"~/front.png":                    "~/front.png",
		"pictures/front.webp":            "pictures/front.webp",
		"file:///home/anna/front.jpg":    "file:///home/anna/front.jpg",
		"":                               "",
		"https://a.test/1.jpg https://a.test/file": "",
		"ftp://a.test/1.jpg":                       "", // left to the service, as are the next ones
		"www.example.com/front.jpg":                "",
		"nonsense":                                 "",
	} {
		_, err := readRows(strings.NewReader("title,images\nA,\nB,"+cell+"\n"), listing)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", cell, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("line 3: %q in the column images is a file on this computer", want))):
			t.Errorf("%q: error %v", cell, err)
		}
	}
}

func TestReport(t *testing.T) {
	im := &importer{to: listing, rows: []*importRow{
		{Line: 2, Reference: "R-1", Outcome: rowPublished, ItemID: "1000001", Replayed: true},
		{Line: 3, Reference: "R-2", Outcome: rowRefused, Problems: []apiError{
			{Code: "too_long", Field: "title", Message: "is\ntoo long"},
			{Code: "missing_field", Field: "price", Message: "is required"},
		}},
	}}
	report := im.report()

	t.Run("a CSV file has every row, and every problem on a line", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "report.csv")
		if err := report.write(path); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := [][]string{
			{"line", "personal_reference", "outcome", "replayed", "item_id", "code", "field", "message"},
			{"2", "R-1", "published", "true", "1000001", "", "", ""},
			{"3", "R-2", "refused", "false", "", "too_long", "title", "is too long"},
			{"3", "R-2", "refused", "false", "", "missing_field", "price", "is required"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("people read the problems and a summary", func(t *testing.T) {
		var out bytes.Buffer
		report.print(&out, 1500*time.Millisecond)
		want := `line  personal_reference  outcome  code           field  message
3     R-2                 refused  too_long       title  is too long
3     R-2                 refused  missing_field  price  is required

2 rows in 1.5s
  accepted                   1
    published                1
    rejected later           0
    replayed                 1  accepted by an earlier import, and not listed again
  refused at once            1
`
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	})
}
