package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1"
)

func roomy(c *v1.Config) { c.OpenItems, c.NewItemsPerDay = 1000, 1000 }

// outcomes are the rows in short.
func outcomes(r importReport) (all []string) {
	for _, row := range r.Rows {
		text := fmt.Sprint(row.Line, " ", row.Reference, " ", row.Outcome)
		for _, problem := range row.Problems {
			text += " " + strings.TrimSpace(problem.Code+" "+problem.Field)
		}
		all = append(all, text)
	}
	return all
}

func TestAFileOfChanges(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, listings(6)); err != nil {
		t.Fatal(err)
	}
	id := ""
	s.EachRow(t, "SELECT id FROM items WHERE personal_reference = 'R-4'", func(values []any) { id = fmt.Sprint(values[0]) })
	file := "reference,item_id,price,currency,quantity,close,title\n" +
		"R-0,,3.50,,,,\n" +
		"R-1,,4.00,EUR,7,no,Stamp of 1849\n" +
		"R-2,,9.00,,,sold_elsewhere,\n" +
		"R-3,,free,,,,\n" +
		"," + id + ",,,3,,\n" +
		"R-5,,,,,,\n" +
		"R-9,,1.00,,,,\n" +
		"R-5,,,,,maybe,\n"
	want := []string{
		"2 R-0 changed", "3 R-1 changed", "4 R-2 changed", "5 R-3 refused invalid_value price.amount", "6  changed", "7 R-5 refused empty_patch",
		"8 R-9 refused item_not_found", "9 R-5 refused invalid_value reason",
	}
	prices := func() (all []string) {
		s.EachRow(t, "SELECT personal_reference, price, quantity, status, sequence FROM items ORDER BY personal_reference", func(values []any) {
			all = append(all, strings.TrimSpace(fmt.Sprintln(values...)))
		})
		return all
	}
	before := prices()
	dry, err := s.sends(t, file, rehearsing)
	if diff := cmp.Diff(strings.ReplaceAll(strings.Join(want, "\n"), "changed", "valid"), strings.Join(outcomes(dry), "\n")); diff != "" || err != nil {
		t.Errorf("dry run: %v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(before, prices()); diff != "" || dry.Summary.Valid != 4 {
		t.Errorf("the dry run has changed something:\n%s", diff)
	}
	for _, replayed := range []int{0, 4} {
		report, err := s.sends(t, file, changing)
		if diff := cmp.Diff(want, outcomes(report)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if diff := cmp.Diff(importSummary{Rows: 8, Changed: 4, Refused: 4, Replayed: replayed}, report.Summary); diff != "" {
			t.Errorf("summary (-want +got):\n%s", diff)
		}
		after := []string{"R-0 350 1 open 2", "R-1 400 7 open 2", "R-2 250 1 closed 2", "R-3 250 1 open 1", "R-4 250 3 open 2", "R-5 250 1 open 1"}
		if diff := cmp.Diff(after, prices()); diff != "" {
			t.Errorf("items (-want +got):\n%s", diff)
		}
		var out bytes.Buffer
		report.print(&out, 0)
		if !strings.Contains(out.String(), "changed                    4") || strings.Contains(out.String(), "published") {
			t.Errorf("the report says\n%s", out.String())
		}
	}
}

// TestChangesWithLostAnswers loses every second answer, and changes each item once all the same.
func TestChangesWithLostAnswers(t *testing.T) {
	var requests atomic.Int64
	s := newShop(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n := requests.Add(1); r.URL.Path != "/v1/item-changes" || n%2 == 0 {
				h.ServeHTTP(w, r)
				return
			}
			h.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		})
	}, roomy)
	if _, err := s.imports(t, listings(250)); err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	file.WriteString("reference,price\n")
	for i := range 250 {
		fmt.Fprintf(&file, "R-%d,%d.25\n", i, i+1)
	}
	report, err := s.sends(t, file.String(), changing)
	if err != nil || report.Summary.Changed != 250 {
		t.Fatalf("%+v %v", report.Summary, err)
	}
	if n := s.Count(t, "items", "sequence = 2 AND price % 100 = 25"); n != 250 {
		t.Errorf("%d items were changed once", n)
	}
	if n := s.Count(t, "events", "type = 'item.updated'"); n != 250 {
		t.Errorf("there are %d events", n)
	}
}

func TestColumnsOfAFileOfChanges(t *testing.T) {
	for file, want := range map[string]string{
		"reference,starts_at\nA,x\n": `line 1: there is no column "starts_at"`,
		"reference\n":                "the file has a header and no rows",
	} {
		if _, err := readRows(strings.NewReader(file), changing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", file, err)
		}
	}
}
