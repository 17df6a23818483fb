package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheTablesOfARunGoIntoThePage(t *testing.T) {
	const (
		page = "Before.\n\n<!-- figures: On SQLite -->\nOld.\n\n| On SQLite | µs |\n|---|---|\n| get | 1 |\n\n<!-- end of the figures -->\n\n" +
			"<!-- figures: On PostgreSQL -->\nOld.\n\n<!-- end of the figures -->\n\n| Other | µs |\n"
		printed = "\n| On SQLite | µs |\n|---|---|\n| get | 2 |\n| page | 3 |\n\nfirst answer 1 ms after the start\n\n| On MySQL | µs |\n"
		want    = "Before.\n\n<!-- figures: On SQLite -->\nNew.\n\n|On SQLite|µs|\n|---|---|\n|get|2|\n|page|3|\n\n" +
			"<!-- end of the figures -->\n\n" +
			"<!-- figures: On PostgreSQL -->\nOld.\n\n<!-- end of the figures -->\n\n| Other | µs |\n"
	)
	if diff := cmp.Diff(want, withTables(page, "New.", printed)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// firstCells are the first cells of the rows of a table.
func firstCells(table string) (cells []string) {
	_, rows, _ := strings.Cut(table, "---|\n")
	for row := range strings.Lines(rows) {
		if cell, _, found := strings.Cut(strings.TrimPrefix(row, "|"), "|"); found {
			cells = append(cells, cell)
		}
	}
	return cells
}

// The tables of the page are those of a run without -long.
func TestThePageShowsTheCases(t *testing.T) {
	page, err := os.ReadFile("../../../docs/operator/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string][]string{}, map[string][]string{}
	o := options{cases: groups()}
	for heading, database := range map[string]string{"On SQLite": "sqlite", "On PostgreSQL": "postgres"} {
		for _, c := range o.chosenCases(database) {
			want[heading] = append(want[heading], c.name)
		}
	}
	for _, block := range blocks.FindAllStringSubmatch(string(page), -1) {
		got[block[2]] = firstCells(block[3])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("make bench prints other rows than the page has (-printed +page):\n%s", diff)
	}
}
