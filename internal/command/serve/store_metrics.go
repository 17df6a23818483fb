package serve

import (
	"github.com/prometheus/client_golang/prometheus"

	"sellerd/internal/store"
)

// storeMetrics are the metrics of writes to the database.
func storeMetrics(db *store.DB) []prometheus.Collector {
	counter := func(name, help string, value func(store.Stats) float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return value(db.Stats()) })
	}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "sellerd_store_waiting", Help: "Writes that have not returned yet."},
			func() float64 { return float64(db.Stats().Waiting) }),
		counter("sellerd_store_writes_total", "Writes that got as far as a transaction.", func(s store.Stats) float64 { return float64(s.Writes) }),
		counter("sellerd_store_commits_total", "Transactions committed; several writes share one on SQLite.", func(s store.Stats) float64 { return float64(s.Commits) }),
		counter("sellerd_store_failures_total", "Transactions that could not begin or commit.", func(s store.Stats) float64 { return float64(s.Failures) }),
		counter("sellerd_store_retries_total", "Transactions and single statements run again because PostgreSQL asked for it.", func(s store.Stats) float64 { return float64(s.Retries) }),
	}
}
