package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"text/tabwriter"
	"time"
)

// This file measures webhooks in the shape in which other engines publish figures: one receiver for each event, events at a
// fixed rate for a minute. An event is a change of an item, so the request that makes it writes the item and its event.

// eventRates are how many events a second are made.
func eventRates() []float64 { return []float64{50, 200} }

// delivered is what a rate of events took.
type delivered struct {
	name                string
	rate                float64
	events              int
	submits, deliveries []time.Duration // from the instant at which the request was to be sent
	cpu, database       time.Duration   // that the service and the database spent on an event, from its request to its delivery
}

func (b *bench) measureWebhooks(ctx context.Context, db database, out io.Writer) error {
	var all []delivered
	for _, rate := range eventRates() {
		for _, made := range b.builds {
			one, err := b.deliverSteadily(ctx, db, side{shipped, made}, rate)
			if err != nil {
				return fmt.Errorf("%.0f events/s: %w", rate, err)
			}
			all = append(all, one)
		}
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\n"+db.name()+", webhooks\tevents/s\tevents\tsubmit p50\tp95\tdelivery p50\tp95\tp99\tCPU µs\tof PostgreSQL\t")
	for _, one := range all {
		fmt.Fprintf(t, "%s\t%.0f\t%d\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", one.name, one.rate, one.events, millis(quantile(one.submits, 0.5)), millis(quantile(one.submits, 0.95)),
			millis(quantile(one.deliveries, 0.5)), millis(quantile(one.deliveries, 0.95)), millis(quantile(one.deliveries, 0.99)),
			one.cpu.Microseconds(), one.database.Microseconds())
	}
	return t.Flush()
}

func millis(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }

// deliverSteadily changes items of the large seller, each once, and has the events sent to one webhook.
func (b *bench) deliverSteadily(ctx context.Context, db database, s side, rate float64) (out delivered, err error) {
	out = delivered{name: s.name, rate: rate}
	data, err := db.fresh(ctx)
	if err != nil {
		return out, err
	}
	receiver, err := newReceiver()
	if err != nil {
		return out, err
	}
	defer receiver.close()
	server, err := b.start(ctx, s, data, "--allow-private-targets")
	if err != nil {
		return out, err
	}
	defer server.stop()
	if _, err := server.await(ctx, data.getRequest(nil, 7)); err != nil {
		return out, err
	}
	if _, err := receiver.subscribe(server.address, data.Key, "hook", "item.updated", "active"); err != nil {
		return out, err
	}
	var mu sync.Mutex
	sent := map[int]time.Time{}
	before, err := spend(db, []*child{server})
	if err != nil {
		return out, err
	}
	limited, cancel := context.WithTimeout(ctx, b.hooked)
	defer cancel()
	out.submits, err = steady(limited, server.address, rate, 200, func(buffer []byte, n int) []byte {
		mu.Lock()
		sent[n] = time.Now()
		mu.Unlock()
		body := fmt.Appendf(nil, `{"personal_reference":"event-%d"}`, n)
		return write(buffer, "PATCH", "/v1/items/"+strconv.Itoa(data.changeable(n)), data.Key, body)
	})
	if err != nil {
		return out, err
	}
	if err := receiver.await(ctx, int64(len(out.submits))); err != nil {
		return out, err
	}
	after, err := spend(db, []*child{server})
	if err != nil {
		return out, err
	}
	out.events = len(out.submits)
	out.cpu, out.database = (after.cpu-before.cpu)/time.Duration(out.events), (after.database-before.database)/time.Duration(out.events)
	for n, at := range sent {
		arrived, found := receiver.arrivals.Load(n)
		if !found {
			return out, fmt.Errorf("the event of change %d did not arrive", n)
		}
		out.deliveries = append(out.deliveries, arrived.(time.Time).Sub(at))
	}
	return out, nil
}

// changeable is the number of one of the large seller's open items at a fixed price (items.sql), another one for each n.
func (d dataset) changeable(n int) int {
	const of, first, last = 20, 3, 9 // items 3 to 9 of each 20 are such items, except those of the small sellers
	i := n/(last-first+1)*of + first + n%(last-first+1)
	return firstItem + i%d.items
}
