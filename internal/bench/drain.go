package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// This file measures what a reader notices while a pile of deliveries is drained.

const (
	pausedWebhooks = 20               // of each seller
	readsASecond   = 100              // by the reader
	idleReading    = 10 * time.Second // at most, before the pile is drained
)

func (b *bench) measureDrain(ctx context.Context, db database, out io.Writer) error {
	for _, made := range b.builds {
		if err := b.drain(ctx, db, side{shipped, made}, out); err != nil {
			return err
		}
	}
	return nil
}

// drain lets deliveries wait at paused webhooks, resumes them, and reads items before and meanwhile.
func (b *bench) drain(ctx context.Context, db database, s side, out io.Writer) error {
	servers, backlog, data, err := b.startPublishing(ctx, db, s, 1, "--allow-private-targets")
	if err != nil {
		return err
	}
	defer stopAll(servers, backlog)
	receiver, err := newReceiver()
	if err != nil {
		return err
	}
	defer receiver.close()
	address := servers[0].address
	hooks, all, err := b.pileUp(ctx, address, data, receiver)
	if err != nil {
		return err
	}
	if err := backlog.await(ctx, func(waiting int) bool { return waiting == 0 }); err != nil {
		return err
	}
	idle, err := readWhile(ctx, address, data, func(ctx context.Context) error {
		select {
		case <-ctx.Done():
		case <-time.After(min(b.hooked, idleReading)):
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	began := time.Now()
	busy, err := readWhile(ctx, address, data, func(ctx context.Context) error {
		for _, hook := range hooks {
			status, answer, err := ask(address, write(nil, "PATCH", "/v1/webhooks/"+hook.id, hook.key, []byte(`{"status":"active"}`)))
			if err != nil || status != 200 {
				return errors.Join(fmt.Errorf("resuming a webhook was answered %d %.300s", status, answer), err)
			}
		}
		return receiver.await(ctx, int64(all))
	})
	if err != nil {
		return err
	}
	took := time.Since(began)
	p99, quiet := quantile(busy, 0.99), quantile(idle, 0.99)
	fmt.Fprintf(out, "\n%s, %s: %d deliveries drained in %s, %.0f/s; reads' p99 meanwhile %s, idle %s: %.1f times\n", db.name(), s.name, all,
		took.Round(10*time.Millisecond), float64(all)/took.Seconds(), millis(p99), millis(quiet), float64(p99)/float64(quiet))
	return nil
}

// hook is a webhook of a seller.
type hook struct{ id, key string }

// pileUp makes paused webhooks of several sellers, and events for them.
func (b *bench) pileUp(ctx context.Context, address string, data dataset, receiver *receiver) (hooks []hook, all int, err error) {
	each := max(1, b.delivered/(pausedWebhooks*len(data.Keys))) // events of each seller
	for i, key := range data.Keys {
		for n := range pausedWebhooks {
			id, err := receiver.subscribe(address, key, fmt.Sprintf("%d/%d", i, n), "item.published", "paused")
			if err != nil {
				return nil, 0, err
			}
			hooks = append(hooks, hook{id, key})
		}
		for left, n := each, 0; left > 0; left, n = left-batchSize, n+1 {
			status, answer, err := ask(address, post(nil, key, "/v1/item-batches", i, n, batchOf(plainDraft, min(left, batchSize))))
			if err != nil || status != 202 {
				return nil, 0, errors.Join(fmt.Errorf("a batch was answered %d %.300s", status, answer), err)
			}
		}
		all += each * pausedWebhooks
	}
	return hooks, all, ctx.Err()
}

// readWhile reads items of the large seller at a fixed rate while work runs.
func readWhile(ctx context.Context, address string, data dataset, work func(ctx context.Context) error) ([]time.Duration, error) {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	worked := make(chan error, 1)
	go func() {
		defer stop()
		worked <- work(ctx)
	}()
	times, err := steady(reading, address, readsASecond, 200, func(b []byte, n int) []byte { return data.getRequest(b, n*7919) })
	stop()
	return times, errors.Join(err, <-worked)
}
