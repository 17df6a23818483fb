package importing

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// This file imports rows that may be listed already.

func TestChangedRowsWithoutAReferenceAreAskedAbout(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, stamps("A B", ""), Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.imports(t, stamps("C", "R-"), Options{}); err != nil {
		t.Fatal(err)
	}
	file := stamps("A X", "") + "Changed,R-C," + servertest.Category + ",fixed_price,3.50,EUR\n"
	im := s.importer(t, file, Options{})
	im.Name = "renamed"
	err := im.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "new without a reference: 1 row; listed before and not in this file: 1 row.") {
		t.Errorf("it says %v", err)
	}
	for _, want := range []string{"by their ids, which `sellerd export items --for-update` writes", "or list them with --other-pieces"} {
		if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	want := []string{"2 published", "3 unsent personal_reference", "4 R-C known personal_reference"}
	if diff := cmp.Diff(want, outcomes(im.Report())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"A", "B", "C"}, s.listed(t)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if _, err := s.imports(t, file, Options{OtherPieces: true}); err != nil { // as it says
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"A", "B", "C", "X"}, s.listed(t)); diff != "" {
		t.Errorf("with --other-pieces, a row whose reference is known is listed, too (-want +got):\n%s", diff)
	}
}

// TestRowsOfAnotherSheetAreNotGone lists the rows of two sheets of a workbook, which have no references, and then changes one of them.
func TestRowsOfAnotherSheetAreNotGone(t *testing.T) {
	s := newShop(t, plainly, roomy)
	of := func(titles, sheet, other string) *Importer {
		im := s.importer(t, stamps(titles, ""), Options{})
		im.File.Sheet, im.File.OtherSheets = sheet, []string{other}
		return im
	}
	for _, im := range []*Importer{of("A B", "Stamps", "Coins"), of("C D", "Coins", "Stamps")} {
		if err := im.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for im, lost := range map[*Importer]int{of("C X", "Coins", "Stamps"): 1, of("C X", "Coins", "Stamps 1900"): 3} { // the other one was renamed
		err := im.Run(t.Context())
		want := fmt.Sprintf("new without a reference: 1 row; listed before and not in this file: %s.", Count(lost))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, want %s", err, want)
		}
	}
	if diff := cmp.Diff([]string{"A", "B", "C", "D"}, s.listed(t)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// TestARowWhoseItemIsClosedIsNotPublished imports the row of an item that was closed, without the memory of the first import.
func TestARowWhoseItemIsClosedIsNotPublished(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, stamps("A", "R-"), Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.imports(t, "reference,close\nR-A,yes\n", Options{Update: true}); err != nil {
		t.Fatal(err)
	}
	im := s.importer(t, stamps("A", "R-"), Options{})
	im.State = filepath.Join(t.TempDir(), "state")
	if err := im.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2 R-A known personal_reference"}, outcomes(im.Report())); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	want := "Item " + im.File.Rows[0].ItemID + " has this reference, and it is closed. The row was not sent. To list the piece once more, " +
		"put its row into a file of its own, and import that with --run and a name, such as --run autumn."
	if diff := cmp.Diff(want, im.File.Rows[0].Problems[0].Message); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := s.imports(t, stamps("A", "R-"), Options{Run: "autumn"}); err != nil { // as it says
		t.Fatal(err)
	}
	im = s.importer(t, stamps("A", "R-"), Options{})
	im.State = filepath.Join(t.TempDir(), "state")
	if err := im.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2 R-A published"}, outcomes(im.Report())); diff != "" {
		t.Errorf("of an item that is on sale again (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"A ×2"}, s.listed(t)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// TestRowsThatAreLikeListedOnesAreAskedAbout imports a file, and then the file with references that were changed or lost.
func TestRowsThatAreLikeListedOnesAreAskedAbout(t *testing.T) {
	named := stamps("A B C", "R-")
	for _, test := range []struct {
		name, first, second, file string
		want                      string // the question
		value                     string // of the first row with a question
	}{
		{"zeros are lost", stamps("A B", "00"), stamps("A B", "0"), "listings", `Is this the same piece as row 2 of listings.csv, which was listed with the reference "00A"?`, "0A"},
		{"zeros are lost, and the price is another", stamps("7", "00"), strings.Replace(stamps("7", ""), "7,,1010101,fixed_price,2.50", "7,7,1010101,fixed_price,9.50", 1), "listings", `which was listed with the reference "007"?`, "7"},
		{"references are added", stamps("A B", ""), stamps("A B", "R-"), "listings", "which was listed without a reference?", "R-A"},
		{"references are removed", named, stamps("A B C", ""), "listings", `which was listed with the reference "R-A"?`, ""},
		{"the column is removed", named, "title,category_id,sale_type,price,currency\nA," + servertest.Category + ",fixed_price,2.50,EUR\n", "x", `which was listed with the reference "R-A"?`, ""},
		{"one is corrected", named, strings.Replace(named, "R-C", "S-C", 1), "other", `row 4 of listings.csv, which was listed with the reference "R-C"?`, "S-C"},
		{"case, and another title", named, strings.Replace(named, "C,R-C", "D,r-c", 1), "listings", `which was listed with the reference "R-C"?`, "r-c"},
		{
			"a zero after a point", stamps("2.1", "1"), strings.Replace(stamps("2.10", "1"), "2.10,1", "2.1,1", 1), "listings",
			`which was listed with the reference "12.1"?`, "12.10",
		},
		{"a blank within", stamps("A", "R "), strings.Replace(stamps("A", "R "), "R A", "R\u00a0A", 1), "listings", `which was listed with the reference "R A"?`, "R A"},
		{"the form of letters", stamps("A", "\ufb01"), stamps("A", "fi"), "listings", "which was listed with the reference \"\ufb01A\"?", "fiA"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, plainly, roomy)
			if _, err := s.imports(t, test.first, Options{}); err != nil {
				t.Fatal(err)
			}
			before := s.listed(t)
			im := s.importer(t, test.second, Options{})
			im.Name = test.file
			if err := im.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "Nothing was sent, so that nothing is listed twice.") {
				t.Errorf("it says %v", err)
			}
			if diff := cmp.Diff(before, s.listed(t)); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
			asked := ""
			for _, row := range im.File.Rows {
				if asked == "" && row.Problems != nil {
					asked = row.Problems[0].Message
					if row.Problems[0].Value != test.value {
						t.Errorf("the value is %q", row.Problems[0].Value)
					}
				}
			}
			if !strings.Contains(asked, test.want) {
				t.Errorf("it asks %q", asked)
			}
			if got, err := s.imports(t, test.second, Options{OtherPieces: true}); err != nil || got.Summary.Accepted != got.Summary.Rows {
				t.Errorf("with --other-pieces: %+v %v", got.Summary, err)
			}
		})
	}
}

func TestAnotherRowWithEqualValuesIsListed(t *testing.T) {
	s := newShop(t, plainly, roomy)
	file := strings.ReplaceAll(stamps("1 2", "R-"), "\n2,", "\n1,")
	more := file + "1,R-3," + servertest.Category + ",fixed_price,2.50,EUR\n"
	for _, file := range []string{file, more} {
		if _, err := s.imports(t, file, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"1 ×3"}, s.listed(t)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}
