package main

import (
	"math"
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
)

// TestARequestNeedsNoMoreStatementsOrLocksWhenThereIsMore is the case growth at two small sizes. The counts of statements and
// locks are exact; what is written differs a little with the splits of pages.
func TestARequestNeedsNoMoreStatementsOrLocksWhenThereIsMore(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{"sqlite": servertest.SQLite, "postgres": servertest.Postgres} {
		t.Run(name, func(t *testing.T) {
			g, err := openGrowing(t.Context(), database(t), 20)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := g.close(); err != nil {
					t.Error(err)
				}
			}()
			var steps []growthStep
			for _, size := range []int{1000, 10_000} {
				step, err := g.measure(t.Context(), size, size)
				if err != nil {
					t.Fatal(err)
				}
				steps = append(steps, step)
			}
			var table strings.Builder
			if err := printGrowth(&table, name, steps); err != nil {
				t.Fatal(err)
			}
			t.Log(table.String())
			few, many := steps[0], steps[1]
			for i, request := range growthRequests {
				before, after := few.costs[i], many.costs[i]
				if g.wire != nil && (before.statements == 0 || before.locks == 0) {
					t.Errorf("%s: %.2f statements and %.2f locks were counted", request.name, before.statements, before.locks)
				}
				if differ(before.statements, after.statements) > 0.05 || differ(before.locks, after.locks) > 0.05 {
					t.Errorf("%s: %.2f statements and %.2f locks among %d items, %.2f and %.2f among %d", request.name,
						before.statements, before.locks, few.items, after.statements, after.locks, many.items)
				}
			}
		})
	}
}

// differ is by which share two costs differ.
func differ(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(a-b) / max(a, b)
}
