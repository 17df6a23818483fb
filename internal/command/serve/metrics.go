package serve

import (
	"github.com/prometheus/client_golang/prometheus"

	"sellerd/internal/store"
	"sellerd/internal/store/standby"
)

// gauge is a metric whose value is read when it is asked for.
func gauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
}

// counter is gauge for a value that only rises.
func counter(name, help string, labels prometheus.Labels, value func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, value)
}

// storeMetrics are the metrics of writes to the database.
func storeMetrics(db *store.DB) []prometheus.Collector {
	return []prometheus.Collector{
		gauge("sellerd_store_waiting", "Writes that have not returned yet.", func() float64 { return float64(db.Stats().Waiting) }),
		counter("sellerd_store_writes_total", "Writes that got as far as a transaction.", nil, func() float64 { return float64(db.Stats().Writes) }),
		counter("sellerd_store_commits_total", "Transactions committed; several writes share one on SQLite.", nil,
			func() float64 { return float64(db.Stats().Commits) }),
		counter("sellerd_store_failures_total", "Transactions that failed because the database could not begin, write or commit them.", nil,
			func() float64 { return float64(db.Stats().Failures) }),
		counter("sellerd_store_retries_total", "Transactions and single statements run again because PostgreSQL asked for it.", nil,
			func() float64 { return float64(db.Stats().Retries) }),
	}
}

// missedBecause names why reads were answered by the primary.
var missedBecause = map[int]string{
	standby.LeftOut: "left_out", standby.Late: "late", standby.Cancelled: "cancelled", standby.Busy: "busy", standby.Failed: "failed",
}

// readMetrics are the metrics of reads that may go to a standby. Without a standby all are 0.
func readMetrics(reads *store.Reads) []prometheus.Collector {
	inUse := func() float64 {
		if reads.Stats().InUse {
			return 1
		}
		return 0
	}
	at := func(place int) func() float64 { return func() float64 { return float64(reads.Stats().Reads[place]) } }
	all := []prometheus.Collector{
		gauge("sellerd_standby_in_use", "1 while reads go to the standby, 0 while it is left out.", inUse),
		gauge("sellerd_standby_behind_bytes", "How much of the log the standby had yet to replay when a read last looked.",
			func() float64 { return float64(reads.Stats().Behind) }),
		counter("sellerd_standby_reads_total", "Statements and snapshots of GETs that the standby answered.", nil, at(standby.AtStandby)),
	}
	for place, because := range missedBecause {
		all = append(all, counter("sellerd_standby_missed_total",
			"Statements and snapshots of GETs that the primary answered in place of the standby, by the reason.",
			prometheus.Labels{"because": because}, at(place)))
	}
	return all
}
