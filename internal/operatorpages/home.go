package operatorpages

import (
	"cmp"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	dto "github.com/prometheus/client_model/go"

	"sellerd/v1"
)

// This file shows the overview: what waits, and a summary of the metrics.

// overview is the first page. What cannot be read because the database does not answer is missing.
type overview struct {
	Alerts          []alert             // what is wrong, or may become it; empty if nothing is
	Backlog         *v1.OperatorBacklog // nil without the database
	Worst           []v1.FailingWebhook // webhooks that have failed the longest
	Legacy          map[string]int      // accounts by state; nil without the database
	Version, Commit string
	Go              string
	Uptime          time.Duration
	Traffic         traffic
}

// home shows the overview. Without the database it shows what the process knows.
func (p *Pages) home(r *http.Request) (*page, error) {
	shown := overview{Version: p.config.Version, Commit: p.config.Commit, Go: runtime.Version(), Uptime: p.config.Service.Uptime()}
	var err error
	if shown.Traffic, err = p.traffic(); err != nil {
		return nil, err
	}
	backlog, err := p.config.Service.OperatorBacklog(r.Context())
	if err != nil {
		p.config.Service.Refusal(r.Context(), err) // notes the cause for the log
		shown.Alerts = alertsOf(nil, shown.Traffic)
		return &page{Title: "Overview", Name: "home", Data: shown}, nil
	}
	shown.Backlog, shown.Alerts = backlog, alertsOf(backlog, shown.Traffic)
	if shown.Worst, err = p.config.Service.WorstWebhooks(r.Context(), mostWebhooks); err != nil {
		p.config.Service.Refusal(r.Context(), err)
	}
	if shown.Legacy, err = p.config.LegacyAccounts(r.Context()); err != nil {
		p.config.Service.Refusal(r.Context(), err)
	}
	return &page{Title: "Overview", Name: "home", Data: shown}, nil
}

// alert is something that an operator should look at, with the section of the overview that has more about it.
type alert struct{ State, Text, Section string }

// From these ages on, what waits is late. A submission is published or rejected at most 15 minutes after it was accepted.
const (
	lateSubmission = 15 * time.Minute
	lateDelivery   = 5 * time.Minute
)

// alertsOf says what is wrong, the worst first. Without a backlog the database does not answer.
func alertsOf(backlog *v1.OperatorBacklog, seen traffic) (alerts []alert) {
	add := func(is bool, state, text, section string) {
		if is {
			alerts = append(alerts, alert{state, text, section})
		}
	}
	add(backlog == nil, "bad", "The database does not answer.", "waiting")
	if backlog == nil {
		backlog = &v1.OperatorBacklog{}
	}
	oldest := backlog.OldestSubmission
	add(oldest.Age >= lateSubmission, "bad", "Submissions are late. Of the oldest, "+oldest.Why+".", "waiting")
	add(backlog.OldestDue >= lateDelivery, "bad", "Deliveries of events are late: no worker sends them, or receivers are slow.", "waiting")
	add(seen.All.Failed > 0, "bad", "Requests failed with a status of 500 or more: the log has each with its cause.", "metrics")
	add(backlog.Held > 0, "wait", "Events are held for webhooks that are paused or disabled. The page of an account says why.", "waiting")
	return alerts
}

// traffic sums up the requests since the process started.
type traffic struct {
	All  operation
	Most []operation // those with the most requests, at most ten
}

// operation is the requests of one operation, or of all.
type operation struct {
	Name     string
	Requests int
	Failed   int           // answered with a status of 500 or more
	Within   time.Duration // 99 % of the answers took at most this long; 0 if it is not known
	Beyond   time.Duration // less than 99 % took at most this long, the most that the histogram knows; 0 if Within is known
	buckets  map[float64]uint64
	answers  uint64
}

const (
	mostOperations = 10
	mostWebhooks   = 5
)

// The metrics that traffic reads.
const (
	requestsTotal  = "sellerd_requests_total"
	requestSeconds = "sellerd_request_seconds"
)

func (p *Pages) traffic() (traffic, error) {
	families, err := p.config.Traffic.Gather()
	if err != nil {
		return traffic{}, err
	}
	all, byName := newOperation(""), map[string]*operation{}
	of := func(metric *dto.Metric) []*operation {
		name := label(metric, "op")
		if byName[name] == nil {
			byName[name] = newOperation(name)
		}
		return []*operation{all, byName[name]}
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, o := range of(metric) {
				switch family.GetName() {
				case requestsTotal:
					o.count(label(metric, "status"), int(metric.GetCounter().GetValue()))
				case requestSeconds:
					o.observe(metric.GetHistogram())
				}
			}
		}
	}
	out := traffic{All: all.done()}
	for _, o := range byName {
		out.Most = append(out.Most, o.done())
	}
	slices.SortFunc(out.Most, func(a, b operation) int { return cmp.Or(b.Requests-a.Requests, cmp.Compare(a.Name, b.Name)) })
	out.Most = out.Most[:min(len(out.Most), mostOperations)]
	return out, nil
}

func newOperation(name string) *operation {
	return &operation{Name: name, buckets: map[float64]uint64{}}
}

func label(metric *dto.Metric, name string) string {
	for _, pair := range metric.GetLabel() {
		if pair.GetName() == name {
			return pair.GetValue()
		}
	}
	return ""
}

func (o *operation) count(status string, requests int) {
	o.Requests += requests
	if code, err := strconv.Atoi(status); err == nil && code >= http.StatusInternalServerError {
		o.Failed += requests
	}
}

func (o *operation) observe(h *dto.Histogram) {
	o.answers += h.GetSampleCount()
	for _, bucket := range h.GetBucket() {
		o.buckets[bucket.GetUpperBound()] += bucket.GetCumulativeCount()
	}
}

// done finds the bucket that 99 % of the answers lie in, or below it.
func (o *operation) done() operation {
	bounds := make([]float64, 0, len(o.buckets))
	for bound := range o.buckets {
		if !math.IsInf(bound, 1) {
			bounds = append(bounds, bound)
		}
	}
	slices.Sort(bounds)
	for _, bound := range bounds {
		took := time.Duration(bound * float64(time.Second))
		switch {
		case o.answers == 0:
		case float64(o.buckets[bound]) >= .99*float64(o.answers):
			o.Within, o.Beyond = took, 0
			return *o
		default:
			o.Beyond = took
		}
	}
	return *o
}
