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
		allocations: pick(func(o outcome) float64 { return o.allocations }),
	}
}

// printLoad prints one line for each case: ours, the hand-written server, and the ratio. A ratio above 1 means that ours is
// faster; for CPU the hand-written server's time is divided by ours, so more is better in both columns.
func printLoad(out io.Writer, rows []measured) {
	if len(rows) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tours\t\t\t\tby hand\t\t\t\tours ÷ by hand\t\t")
	fmt.Fprintln(t, "case\trequests/s\tp99\tCPU µs\tallocations\trequests/s\tp99\tCPU µs\tallocations\trequests/s\tCPU\t")
	for _, row := range rows {
		ours, hand := medians(row.ours), medians(row.hand)
		fmt.Fprintf(t, "%s\t%s%s%.2f\t%.2f\t\n", row.name, figures(ours), figures(hand), ours.rate/hand.rate, float64(hand.cpu)/float64(ours.cpu))
	}
	_ = t.Flush()
	for _, pair := range []struct{ what, first, deep string }{{"page", firstPage, deepPage}, {"sales page", firstSales, deepSales}} {
		first, deep := find(rows, pair.first), find(rows, pair.deep)
		if first != nil && deep != nil {
			fmt.Fprintf(out, "\na deep %s costs %.2f times the CPU of the first (by hand %.2f times)\n", pair.what, costs(deep.ours, first.ours), costs(deep.hand, first.hand))
		}
	}
}

func find(rows []measured, name string) *measured {
	for i := range rows {
		if rows[i].name == name {
			return &rows[i]
		}
	}
	return nil
}

func costs(one, other []outcome) float64 {
	return float64(medians(one).cpu) / float64(medians(other).cpu)
}

func figures(o outcome) string {
	return fmt.Sprintf("%.0f\t%s\t%.0f\t%.0f\t", o.rate, o.p99.Round(10*time.Microsecond), float64(o.cpu)/1000, o.allocations)
}

func printStart(out io.Writer, s standing) {
	fmt.Fprintf(out, "\nfirst answer %s after the start on %d items, %.1f MiB of memory idle, a program of %.1f MB\n",
		s.firstAnswer.Round(100*time.Microsecond), s.items, float64(s.anonymous)/(1<<20), float64(s.binary)/1e6)
}
