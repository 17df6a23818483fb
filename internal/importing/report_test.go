package importing

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestNoControlCharacterIsShown has ESC in every cell, and in a header.
func TestNoControlCharacterIsShown(t *testing.T) {
	read, err := Read([]byte("title,reference,category_id,sale_type,price,images,\x1b[2Jx\n\x1bA,\x1b[31mR,1\x1b,\u009bx,\x1b5,\x1b[1m.jpg,\x1b\n"), Options{IgnoreUnknown: true})
	if err != nil {
		t.Fatal(err)
	}
	report := (&Importer{File: read}).Report()
	var out bytes.Buffer
	report.Print(&out, 0)
	if err := report.writeCSV(&out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.ContainsAny(text, "\x1b\u009b") || !strings.Contains(text, "�[31mR") {
		t.Errorf("%q", text)
	}
}

func TestOneMistakeInAllRowsIsToldOnce(t *testing.T) {
	var file strings.Builder
	file.WriteString("title,category_id,sale_type,price\n")
	for range 1000 {
		file.WriteString("A,1,x,1.234\n")
	}
	read, err := Read([]byte(file.String()+"A,1,x,\"12,50\"\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	(&Importer{File: read}).Report().Print(&out, 1500*time.Millisecond)
	said := out.String()
	if n := strings.Count(said, "\n"); n > 20 || !strings.Contains(said, "1000 rows refused: price: Is the comma or point in an amount such as 1.234") ||
		!strings.Contains(said, "Another amount in the file, 12,50, has a decimal comma.") {
		t.Errorf("%d lines:\n%s", n, said)
	}
}

// TestTheScreenShowsARowOfEachKind has fifty kinds of problems in one row each.
func TestTheScreenShowsARowOfEachKind(t *testing.T) {
	var rows []*Row
	for i := range 50 {
		rows = append(rows, &Row{Row: i + 2, Outcome: Refused, Problems: []Problem{{Code: "too_long", Field: strings.Repeat("x", i+1), Message: "is too long"}}})
	}
	var out bytes.Buffer
	(&Importer{File: &File{Rows: rows}}).Report().Print(&out, 0)
	if n := strings.Count(out.String(), "\n  row "); n != shownKinds || !strings.Contains(out.String(), "and 30 other kinds") {
		t.Errorf("%d rows:\n%s", n, out.String())
	}
}

func writeFile(path string, data []byte) error { return os.WriteFile(path, data, 0o600) }

// TestTheScreenShowsWhatIsDifferentInEachRow has three problems of one kind, whose messages name other items.
func TestTheScreenShowsWhatIsDifferentInEachRow(t *testing.T) {
	var rows []*Row
	for i, ids := range []string{"1 (open), 2 (open)", "3 (open), 4 (open)", "1 (open), 2 (open)"} {
		rows = append(rows, &Row{Row: i + 2, Reference: "A", Outcome: Refused, Problems: []Problem{
			{Code: "reference_ambiguous", Field: "personal_reference", Value: "A", Message: "Name one of the items: " + ids + "."},
			{Message: "Refused with its batch."},
		}})
	}
	rows[0].Problems = append(rows[0].Problems, Problem{Message: "Refused with its batch."})
	var out bytes.Buffer
	(&Importer{File: &File{Rows: rows}}).Report().Print(&out, 0)
	want := `3 rows refused: personal_reference: Name one of the items: 1 (open), 2 (open). (reference_ambiguous)
  row 2 A
  row 3 A: Name one of the items: 3 (open), 4 (open).
  row 4 A
3 rows refused: Refused with its batch.
  row 2 A
  row 3 A
  row 4 A`
	got, _, _ := strings.Cut(out.String(), "\n\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReport(t *testing.T) {
	report := (&Importer{File: &File{Rows: []*Row{
		{Row: 2, Line: 2, Reference: "R-1", Outcome: Published, ItemID: "1000001", Replayed: true},
		{Row: 3, Line: 4, Reference: "=R-2", Outcome: Refused, Problems: []Problem{
			{Code: "too_long", Field: "title", Message: "is\ntoo long"},
			{Code: "invalid_value", Field: "price", Value: "1.25E+01", Message: "is shortened"},
		}},
	}}}).Report()

	t.Run("a CSV file has every row, and every problem on a line", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "report.csv")
		if err := report.Write(path, writeFile); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := [][]string{
			{"row", "line", "personal_reference", "outcome", "replayed", "item_id", "code", "field", "value", "message"},
			{"2", "2", "R-1", "published", "true", "1000001", "", "", "", ""},
			{"3", "4", "'=R-2", "refused", "false", "", "too_long", "title", "", "is too long"},
			{"3", "4", "'=R-2", "refused", "false", "", "invalid_value", "price", "1.25E+01", "is shortened"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a CSV file about changes has the amounts that have changed or would", func(t *testing.T) {
		var rows []*Row
		for i, outcome := range []string{Changed, Valid, Refused, Unsent, Unknown} {
			rows = append(rows, &Row{Row: i + 2, Outcome: outcome, Amounts: "price: 1.00 EUR becomes 2.00 EUR"})
		}
		rows[0].Problems = []Problem{{Code: "image_unreachable", Field: "images", Message: "The image could not be fetched."}}
		changed := (&Importer{File: &File{Rows: rows, Options: changes}}).Report()
		var out bytes.Buffer
		if err := changed.writeCSV(&out); err != nil {
			t.Fatal(err)
		}
		want := "\ufeffrow,line,personal_reference,outcome,replayed,item_id,code,field,value,message,amounts\n" +
			"2,0,,changed,false,,image_unreachable,images,,The image could not be fetched.,price: 1.00 EUR becomes 2.00 EUR\n" +
			"3,0,,valid,false,,,,,,price: 1.00 EUR becomes 2.00 EUR\n" +
			"4,0,,refused,false,,,,,,\n5,0,,unsent,false,,,,,,\n6,0,,unknown,false,,,,,,\n"
		if diff := cmp.Diff(want, out.String()); diff != "" || !IsReport(out.String()) {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a CSV file is separated as the file is that was imported", func(t *testing.T) {
		for file, want := range map[string]string{
			"reference;price\nA;1\n": "row;line;", "reference\tprice\nA\t1\n": "row\tline\t", "reference|price\nA|1\n": "row,line,",
		} {
			read, err := Read([]byte(file), changes)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := (&Importer{File: read}).Report().writeCSV(&out); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimPrefix(out.String(), "\ufeff"); !strings.HasPrefix(got, want) || !IsReport(out.String()) {
				t.Errorf("%q: %q", file, got)
			}
		}
	})
	t.Run("JSON is written whatever the case of the ending", func(t *testing.T) {
		for _, name := range []string{"report.json", "REPORT.JSON"} {
			path := filepath.Join(t.TempDir(), name)
			if err := report.Write(path, writeFile); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil || !json.Valid(text) {
				t.Errorf("%s is no JSON: %.40q %v", name, text, err)
			}
		}
	})
	t.Run("people read the problems and a summary", func(t *testing.T) {
		var out bytes.Buffer
		report.Print(&out, 1500*time.Millisecond)
		want := `1 row refused: title: is too long (too_long)
  row 3 =R-2
1 row refused: price: is shortened (invalid_value)
  row 3 =R-2: 1.25E+01

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
