package main

import (
	"fmt"
	"io"
	"time"
)

// medians are taken figure by figure.
func medians(rounds []outcome) outcome {
	pick := func(of func(outcome) float64) float64 {
		values := make([]float64, len(rounds))
		for i, round := range rounds {
			values[i] = of(round)
		}
		return median(values)
	}
	return outcome{
		rate:        pick(func(o outcome) float64 { return o.rate }),
		p99:         time.Duration(pick(func(o outcome) float64 { return float64(o.p99) })),
		cpu:         time.Duration(pick(func(o outcome) float64 { return float64(o.cpu) })),
		database:    time.Duration(pick(func(o outcome) float64 { return float64(o.database) })),
		allocations: pick(func(o outcome) float64 { return o.allocations }),
	}
}

// printLoad prints a table in Markdown, some rows of which are in docs/operator/performance.md. It has a row for each program and case.
// The last columns compare the row with the limit: requests a second by those of the limit, and the limit's CPU time by its own, so that
// more is better in both.
func printLoad(out io.Writer, rows []measured) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(out, "\n| On %s | Requests/s | p99 | CPU µs | Of the database | Allocations | ÷ limit | CPU ÷ limit |\n|---|---|---|---|---|---|---|---|\n",
		rows[0].database)
	for _, row := range rows {
		programs := row.sides
		if last := len(row.sides) - 1; row.sides[last].role == yardstick {
			programs = row.sides[:last]
		}
		for i, s := range programs {
			name, o := row.name, medians(row.rounds[i])
			if len(programs) > 1 {
				name += ", " + s.name
			}
			compared := " | "
			if len(programs) < len(row.sides) {
				limit := medians(row.rounds[len(programs)])
				compared = fmt.Sprintf("%.2f | %.2f", o.rate/limit.rate, float64(limit.cpu+limit.database)/float64(o.cpu+o.database))
			}
			fmt.Fprintf(out, "| %s | %.0f | %s | %.0f | %.0f | %.0f | %s |\n", name, o.rate, millis(o.p99), micros(o.cpu), micros(o.database), o.allocations, compared)
		}
	}
	for _, pair := range []struct{ what, first, deep string }{{"page", firstPage, deepPage}, {"sales page", firstSales, deepSales}} {
		printDepth(out, rows, pair.what, pair.first, pair.deep)
	}
}

// printDepth prints what a deep page costs beside the first one.
func printDepth(out io.Writer, rows []measured, what, firstName, deepName string) {
	for i := range rows {
		for j := range rows {
			if rows[i].name != firstName || rows[j].name != deepName || rows[i].database != rows[j].database {
				continue
			}
			for k, s := range rows[i].sides {
				first, deep := medians(rows[i].rounds[k]), medians(rows[j].rounds[k])
				fmt.Fprintf(out, "%s, %s: a deep %s costs %.2f times the CPU of the first\n", rows[i].database, s.name, what,
					float64(deep.cpu+deep.database)/float64(first.cpu+first.database))
			}
		}
	}
}

func micros(d time.Duration) float64 { return float64(d) / 1000 }

func printStart(out io.Writer, s standing) {
	fmt.Fprintf(out, "\n%s: first answer %s after the start on %d items (%s to %s), %.1f MiB of memory idle, a program of %.1f MB\n",
		s.name, s.firstAnswer.Round(100*time.Microsecond), s.items, s.fastest.Round(time.Millisecond), s.slowest.Round(time.Millisecond), float64(s.anonymous)/(1<<20), float64(s.binary)/1e6)
}
