package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// This file measures webhooks in the shape in which other engines publish figures: one receiver for each event, events at a
// fixed rate for a minute. An event is a change of an item, so the request that makes it writes the item and its event.

// eventRates are how many events a second are made, by as many connections as hookClients.
var eventRates = []float64{50, 200}

const hookClients = 32

func (b *bench) measureWebhooks(ctx context.Context, db database, out io.Writer) error {
	var lines []string
	for _, rate := range eventRates {
		for _, s := range b.shippedSides() {
			line, err := b.deliverSteadily(ctx, db, s, rate)
			if err != nil {
				return fmt.Errorf("%.0f events/s: %w", rate, err)
			}
			lines = append(lines, fmt.Sprintf("%s\t%.0f\t%s", s.name, rate, line))
		}
	}
	return printTable(out, "Webhooks on "+db.name()+"\tEvents/s\tEvents\tRequest p50\tp95\tDelivery p50\tp95\tp99\tCPU µs\tOf the database", lines)
}

// deliverSteadily changes items of the large seller, each once, and has the events sent to one webhook. The CPU is that of an event,
// from its request to its delivery. All times count from the instant at which the request was to be sent.
func (b *bench) deliverSteadily(ctx context.Context, db database, s side, rate float64) (line string, err error) {
	r, err := b.start(ctx, db, s, setup{fresh: true})
	if err != nil {
		return "", err
	}
	defer r.stop()
	var arrivals receiver
	server := httptest.NewServer(&arrivals)
	defer server.Close()
	hook := fmt.Appendf(nil, `{"url":"%s/hook","events":["item.updated"],"status":"active"}`, server.URL)
	subscribe := write(nil, http.MethodPost, "/v1/webhooks", r.data.Key, "application/json", hook)
	if _, err := ask(r.address, subscribe, http.StatusCreated); err != nil {
		return "", err
	}
	var sent sync.Map // the number of a change → time.Time
	var deliveries []time.Duration
	var all loaded
	used, err := r.use(func() (loaded, error) {
		all, err = pressFor(ctx, b.hooked, load{r.address, hookClients, http.StatusOK, func(buffer []byte, _ *rand.Rand, _, n int) []byte {
			sent.Store(n, time.Now())
			body := fmt.Appendf(nil, `{"personal_reference":"event-%d"}`, n)
			return write(buffer, http.MethodPatch, "/v1/items/"+strconv.Itoa(r.data.changeable(n)), r.data.Key, "application/merge-patch+json", body)
		}, paced(rate)})
		if err != nil {
			return all, err
		}
		return all, until(ctx, "all events have arrived", func() (bool, error) { return arrivals.count.Load() >= int64(all.requests), nil })
	})
	if err != nil {
		return "", err
	}
	for n, at := range sent.Range {
		arrived, found := arrivals.times.Load(n)
		if !found {
			return "", fmt.Errorf("the event of change %d did not arrive", n)
		}
		deliveries = append(deliveries, arrived.(time.Time).Sub(at.(time.Time)))
	}
	slices.Sort(deliveries)
	at := func(times []time.Duration, share float64) string { return millis(quantile(times, share)) }
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%.0f\t%.0f", all.requests, at(all.times, 0.5), at(all.times, 0.95),
		at(deliveries, 0.5), at(deliveries, 0.95), at(deliveries, 0.99), used[cpu]/1000, used[databaseCPU]/1000), nil
}

// receiver is what webhooks are sent to. It notes when the events of numbered changes arrive first, and counts all of them.
type receiver struct {
	times sync.Map // the number of a change → time.Time
	count atomic.Int64
}

// ServeHTTP implements http.Handler.
func (a *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	arrived := time.Now()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, rest, _ := strings.Cut(string(body), `"personal_reference":"event-`)
	digits, _, _ := strings.Cut(rest, `"`)
	if n, err := strconv.Atoi(digits); err == nil {
		a.times.LoadOrStore(n, arrived)
	}
	a.count.Add(1)
	w.WriteHeader(http.StatusOK)
}
