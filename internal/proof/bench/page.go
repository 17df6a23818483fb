package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// blocks finds the tables of a page. Each names the first cell of the table that a run prints.
var blocks = regexp.MustCompile(`(?s)(<!-- figures: (On [^>]*) -->\n)(.*?)(<!-- end of the figures -->)`)

// withTables is a page with the tables that a run has printed, without the spaces around their bars, and a note before each. Other tables
// of the page stay.
func withTables(page, note, printed string) string {
	return blocks.ReplaceAllStringFunc(page, func(block string) string {
		found := blocks.FindStringSubmatch(block)
		_, rows, has := strings.Cut(printed, "\n| "+found[2]+" | ")
		if !has {
			return block
		}
		rows, _, _ = strings.Cut(rows, "\n\n")
		table := strings.NewReplacer(" | ", "|", "| ", "|", " |", "|").Replace("| " + found[2] + " | " + strings.TrimSpace(rows))
		return found[1] + note + "\n\n" + table + "\n\n" + found[4]
	})
}

// writePage puts the tables of a run into the page of the options.
func (o *options) writePage(note, printed string) error {
	page, err := os.ReadFile(o.page)
	if err != nil {
		return err
	}
	return os.WriteFile(o.page, []byte(withTables(string(page), note, printed)), 0o644)
}

// note says how a run that begins now is made.
func (o *options) note() (string, error) {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "", err
	}
	before, _, _ := strings.Cut(string(load), " ")
	return fmt.Sprintf("`make bench`, %s: medians of %d rounds of %s or %d published items, load average before %s.",
		time.Now().Format("2 January 2006"), o.rounds, o.duration, o.published, before), nil
}
