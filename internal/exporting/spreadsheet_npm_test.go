//go:build npm

package exporting

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/sheet"
)

// opened is a file as Gnumeric has it after opening, with numbers as they are shown.
func opened(t *testing.T, file []byte, ending string) []byte {
	t.Helper()
	from, to := filepath.Join(t.TempDir(), "file."+ending), filepath.Join(t.TempDir(), "opened.txt")
	if err := os.WriteFile(from, file, 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), "ssconvert", "-T", "Gnumeric_stf:stf_assistant", "-O", "separator=; format=preserve", from, to).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestNPMASpreadsheetOpensExports has Gnumeric, which is no package of npm but needs installing as well, open the files of a year.
func TestNPMASpreadsheetOpensExports(t *testing.T) {
	installed.Require(t, "NO SPREADSHEET HAS OPENED AN EXPORT", "ssconvert")
	s := newShop(t, servertest.New(t, servertest.SQLite(t)))
	for _, item := range oddItems(t, s) {
		s.List(t, item)
	}
	listed, _ := s.exports(t, s.Key, Options{Kind: Items, Form: workbook})
	year(t, s)

	t.Run("texts, dates and amounts of sales", func(t *testing.T) {
		for ending, forms := range map[string][]sheet.Form{"csv": {semicolons, commas}, "xlsx": {workbook}} {
			for _, form := range forms {
				file, _ := s.exports(t, s.Key, Options{Kind: Sales, Form: form})
				at := []string{"2026-12-31T23:30:00+01:00", "2027-01-01T00:30:00+01:00"}
				if form.Workbook {
					at = []string{"2026-12-31 23:30:00", "2027-01-01 00:30:00"}
				}
				got := columnsOf(t, opened(t, file, ending), "sold_at", "personal_reference", "title", "quantity", "total_price", "currency", "buyer_first_name", "buyer_phone")
				const first, phone = "=cmd|' /C calc'!A0", "+32 2 555 12 12"
				want := [][]string{
					{at[0], "=R-0.10", "-5% on a \"lot\"; 0.10", "3", "0.30", "EUR", first, phone},
					{at[0], "=R-0.20", "-5% on a \"lot\"; 0.20", "7", "1.40", "EUR", first, phone},
					{at[1], "=R-1234.56", "-5% on a \"lot\"; 1234.56", "1", "1234.56", "USD", first, phone},
					{at[1], "=R-19.99", "-5% on a \"lot\"; 19.99", "1", "19.99", "EUR", first, phone},
					{at[1], "=R-999999.99", "-5% on a \"lot\"; 999999.99", "50", "49999999.50", "EUR", first, phone},
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, separator %q (-want +got):\n%s", ending, form.Separator, diff)
				}
			}
		}
	})
	t.Run("sums of bills", func(t *testing.T) {
		file, _ := s.exports(t, s.Key, Options{Kind: Bills, Form: workbook})
		sum := map[string]int64{}
		for _, row := range columnsOf(t, opened(t, file, "xlsx"), "total", "currency") {
			sum[row[1]] += cents(t, row[0])
		}
		if diff := cmp.Diff(map[string]int64{"EUR": 50_000_006_20, "USD": 1_239_46}, sum); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a workbook of items that it has saved comes back", func(t *testing.T) {
		from, to := filepath.Join(t.TempDir(), "a.xlsx"), filepath.Join(t.TempDir(), "b.xlsx")
		if err := os.WriteFile(from, listed, 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.CommandContext(t.Context(), "ssconvert", from, to).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		saved, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rowsOf(t, listed), rowsOf(t, saved)); diff != "" {
			t.Errorf("(-export +saved):\n%s", diff)
		}
	})
}
