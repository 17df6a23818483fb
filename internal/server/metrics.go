package server

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the metrics of /metrics: requests by operation and status, the workers, the process.
type metrics struct {
	registry *prometheus.Registry
	traffic  *prometheus.Registry // requests and seconds alone, for the operator's pages
	accounts *legacyCollector
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	series   sync.Map // seriesKey → series
}

func newMetrics(c Config) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(), traffic: prometheus.NewRegistry(), accounts: &legacyCollector{Config: c},
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "sellerd_requests_total", Help: "Requests answered, by operation and status.",
		}, []string{"op", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "sellerd_request_seconds", Help: "Time to answer, by operation and class of status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"op", "class"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.traffic.MustRegister(m.requests, m.seconds)
	m.registry.MustRegister(buildInfo(c.Version, c.Commit))
	m.registry.MustRegister(c.Collectors...)
	m.registry.MustRegister(&backlogCollector{c}, m.accounts)
	counters := c.Service.Counters()
	for _, counter := range []struct {
		name, help string
		value      func() int64
	}{
		{"sellerd_submissions_published_total", "Submissions that became items.", counters.Published.Load},
		{"sellerd_submissions_rejected_total", "Submissions that were rejected at publication.", counters.Rejected.Load},
		{"sellerd_items_opened_total", "Scheduled items that were opened at their start.", counters.ItemsOpened.Load},
		{"sellerd_items_ended_total", "Items that reached their end.", counters.ItemsEnded.Load},
		{"sellerd_items_renewed_total", "Items that were renewed.", counters.ItemsRenewed.Load},
		{"sellerd_webhook_delivered_total", "Attempts to deliver an event that succeeded.", counters.Delivered.Load},
		{"sellerd_webhook_failures_total", "Attempts to deliver an event that failed or were interrupted.", counters.DeliveryFailures.Load},
		{"sellerd_stale_leases_total", "Results dropped because their worker had lost its lease.", counters.StaleLeases.Load},
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: counter.name, Help: counter.help},
			func() float64 { return float64(counter.value()) }))
	}
	return m
}

// buildInfo is a gauge that is always 1. Its labels say what runs, so that a graph shows when it changed.
func buildInfo(version, commit string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "sellerd_build_info", Help: "1; the labels say which program runs.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit, "go_version": runtime.Version()},
	}, func() float64 { return 1 })
}

func (m *metrics) observe(key seriesKey, took time.Duration) {
	known, ok := m.series.Load(key)
	if !ok {
		status, class := strconv.Itoa(key.status), statusClass(key.status)
		if key.resetting {
			status, class = resetting, resetting
		}
		known, _ = m.series.LoadOrStore(key, series{m.requests.WithLabelValues(key.operation, status), m.seconds.WithLabelValues(key.operation, class)})
	}
	known.(series).requests.Inc()
	known.(series).seconds.Observe(took.Seconds())
}

// series are the two metrics that a request of one operation and status counts in.
type series struct {
	requests prometheus.Counter
	seconds  prometheus.Observer
}

type seriesKey struct {
	operation string
	status    int
	resetting bool // the sandbox is being reset
}

// resetting stands for the status of answers that say that the sandbox is being reset. They are 503, and no failure of the service.
const resetting = "resetting"

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// unlessHere serves a request within this machine for another name than its own by the first handler, and any other by the second. A page of
// any site can have its name lead to this machine (DNS rebinding), so that its browser lets it read the answers; but the browser still sends
// the name of the site. Over the network scrapers use whatever name they know.
func unlessHere(elsewhere, here http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		name := strings.TrimSuffix((&url.URL{Host: r.Host}).Hostname(), ".")
		if local != nil && local.IP.IsLoopback() && name != "" && !strings.EqualFold(name, "localhost") && net.ParseIP(name) == nil {
			elsewhere.ServeHTTP(w, r)
			return
		}
		here.ServeHTTP(w, r)
	})
}

// backlogTimeout bounds how long a scrape waits for the database. It is shorter than the usual timeout of scrapers.
const backlogTimeout = 5 * time.Second

// These are the gauges of what waits for workers. The ages are the alarms for workers that have stalled.
var (
	submissionsWaiting = prometheus.NewDesc("sellerd_submissions_waiting", "Submissions that are neither published nor rejected yet.", nil, nil)
	submissionsOldest  = prometheus.NewDesc("sellerd_submissions_oldest_seconds", "How long ago the oldest of them was accepted.", nil, nil)
	webhookWaiting     = prometheus.NewDesc("sellerd_webhook_waiting", "Deliveries of events that are due, in flight or to be tried again.", nil, nil)
	webhookHeld        = prometheus.NewDesc("sellerd_webhook_held", "Deliveries of events held for paused and disabled webhooks.", nil, nil)
	webhookFailing     = prometheus.NewDesc("sellerd_webhook_failing", "Webhooks that rest because their receivers failed, with deliveries that wait.", nil, nil)
	webhookOldest      = prometheus.NewDesc("sellerd_webhook_oldest_due_seconds", "How long the oldest delivery that could start has been due.", nil, nil)
)

// backlogCollector reads what waits for each scrape. If the database does not answer, its gauges are missing, and no others.
type backlogCollector struct{ Config }

// Describe implements prometheus.Collector.
func (b *backlogCollector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{submissionsWaiting, submissionsOldest, webhookWaiting, webhookHeld, webhookOldest, webhookFailing} {
		descriptions <- d
	}
}

// Collect implements prometheus.Collector.
func (b *backlogCollector) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), backlogTimeout)
	defer cancel()
	backlog, err := b.Service.OperatorBacklog(ctx)
	if err != nil {
		b.Logger.Warn("the backlog cannot be read", "error", err)
		return
	}
	metrics <- prometheus.MustNewConstMetric(submissionsWaiting, prometheus.GaugeValue, float64(backlog.Submissions))
	metrics <- prometheus.MustNewConstMetric(submissionsOldest, prometheus.GaugeValue, backlog.OldestSubmission.Age.Seconds())
	metrics <- prometheus.MustNewConstMetric(webhookWaiting, prometheus.GaugeValue, float64(backlog.Waiting))
	metrics <- prometheus.MustNewConstMetric(webhookHeld, prometheus.GaugeValue, float64(backlog.Held))
	metrics <- prometheus.MustNewConstMetric(webhookFailing, prometheus.GaugeValue, float64(backlog.Failing))
	metrics <- prometheus.MustNewConstMetric(webhookOldest, prometheus.GaugeValue, backlog.OldestDue.Seconds())
}

// legacyAccounts is the gauge of those that are left on the old interface.
var legacyAccounts = prometheus.NewDesc("sellerd_legacy_accounts", "Accounts that use /rest or did, by state: active, silent, done. Every process counts all of them: take the maximum, not the sum.", []string{"state"}, nil)

// countedFor is how long a count of accounts serves scrapes: it reads a row of each, and a state lasts for 30 days.
const countedFor = time.Minute

// legacyCollector counts the accounts, at most once a minute. If the database does not answer, its gauges are missing.
type legacyCollector struct {
	Config

	mu      sync.Mutex
	states  map[string]int // nil before the first count
	counted time.Time
}

// Describe implements prometheus.Collector.
func (l *legacyCollector) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- legacyAccounts
}

// Collect implements prometheus.Collector.
func (l *legacyCollector) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), backlogTimeout)
	defer cancel()
	states, err := l.count(ctx)
	if err != nil {
		l.Logger.Warn("the accounts that use /rest cannot be counted", "error", err)
		return
	}
	for state, n := range states {
		metrics <- prometheus.MustNewConstMetric(legacyAccounts, prometheus.GaugeValue, float64(n), state)
	}
}

// count returns the accounts by state, counted within the last minute. The caller does not change the map.
func (l *legacyCollector) count(ctx context.Context) (map[string]int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.Service.Clock().Now(); l.states == nil || now.Sub(l.counted) >= countedFor {
		states, err := l.Service.LegacyAccounts(ctx)
		if err != nil {
			return nil, err
		}
		l.states, l.counted = states, now
	}
	return l.states, nil
}
