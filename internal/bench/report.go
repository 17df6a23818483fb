package main

import (
	"fmt"
	"io"
	"text/tabwriter"
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

// printLoad prints a line for each side of each case. The last columns compare it with the limit: requests a second by those
// of the limit, and the limit's CPU time by its own, so that more is better in both.
func printLoad(out io.Writer, rows []measured) {
	if len(rows) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\ndatabase\tcase\tside\trequests/s\tp99\tCPU µs\tof database\tallocations\t÷ limit\tCPU ÷ limit\t")
	for _, row := range rows {
		last := len(row.sides) - 1
		compared := row.sides[last].role == yardstick
		for i, s := range row.sides {
			o := medians(row.rounds[i])
			fmt.Fprintf(t, "%s\t%s\t%s\t%.0f\t%s\t%.0f\t%.0f\t%.0f\t", row.database, row.name, s.name, o.rate, o.p99.Round(10*time.Microsecond),
				micros(o.cpu), micros(o.database), o.allocations)
			if !compared || i == last {
				fmt.Fprintln(t, "\t\t")
			} else {
				limit := medians(row.rounds[last])
				fmt.Fprintf(t, "%.2f\t%.2f\t\n", o.rate/limit.rate, float64(limit.cpu+limit.database)/float64(o.cpu+o.database))
			}
		}
	}
	_ = t.Flush()
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
