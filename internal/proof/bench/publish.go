package main

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers pgx
)

// This file measures publishing: from end to end, and what it does to submits meanwhile.

// feeders is how many connections submit batches, and feedTime how long they do so before submits are measured, at most.
const (
	feeders  = 4
	feedTime = 2 * time.Second
)

// publishAll submits batches of one seller and waits until all their items are on sale. The rate is in items a second, the
// p99 is of the batches.
func (b *bench) publishAll(ctx context.Context, db database, s side) (out outcome, err error) {
	r, waiting, err := b.startPublishing(ctx, db, s, 1)
	if err != nil {
		return out, err
	}
	defer r.stop()
	defer waiting.Close()
	return r.use(func() (all loaded, err error) {
		began := time.Now()
		sum := b.published / batchSize
		all, err = pressFor(ctx, 5*time.Minute, load{r.addresses(), feeders, 202, batches(plainDraft)(r.data), atMost(sum)})
		if err != nil {
			return all, err
		}
		if err := waiting.await(ctx, func(n int) bool { return n == 0 }); err != nil {
			return all, err
		}
		all.requests, all.took = sum*batchSize, time.Since(began)
		return all, nil
	})
}

// busy presses single submits of one seller or of many, whose batches are published at the same time by one process or by several.
// The CPU time is that of everything, for a submit.
func busy(sellers, processes int) func(*bench, context.Context, database, side) (outcome, error) {
	return func(b *bench, ctx context.Context, db database, s side) (out outcome, err error) {
		r, waiting, err := b.startPublishing(ctx, db, s, processes)
		if err != nil {
			return out, err
		}
		defer r.stop()
		defer waiting.Close()
		wanted := b.published / 2
		feeding, stop := context.WithCancel(ctx)
		fed := make(chan error, 1)
		go func() { fed <- feed(feeding, r, waiting, wanted, r.data.sellers(sellers)) }()
		defer func() {
			stop()
			err = errors.Join(err, <-fed)
		}()
		began := time.Now() // the workers of many sellers may be faster than the feeders
		if err := waiting.await(ctx, func(n int) bool { return n >= wanted/2 || time.Since(began) > feedTime }); err != nil {
			return out, err
		}
		return r.use(func() (loaded, error) {
			return pressFor(ctx, b.duration, load{r.addresses(), b.clients, 202, submits(plainDraft, sellers)(r.data), nil})
		})
	}
}

// feed submits batches, of one seller after the other, whenever too few submissions wait.
func feed(ctx context.Context, r *running, waiting backlog, wanted int, keys []string) error {
	body := batchBody(plainDraft)
	var given atomic.Int64
	_, err := press(ctx, load{
		addresses: r.addresses(), clients: feeders, status: 202,
		make: func(b []byte, _ *rand.Rand, _, n int) []byte {
			return post(b, keys[n%len(keys)], "/v1/item-batches", -1, n, body)
		},
		next: func(ctx context.Context) (int, time.Time, error) {
			for {
				n, err := waiting.count(ctx)
				if ctx.Err() != nil {
					return 0, time.Time{}, io.EOF
				}
				if err != nil || n < wanted {
					return int(given.Add(1)), time.Now(), err
				}
				_ = pause(ctx, 10*time.Millisecond)
			}
		},
	})
	return err
}

// startPublishing starts processes of a side on fresh data, and counts the submissions there that are not final.
func (b *bench) startPublishing(ctx context.Context, db database, s side, processes int) (*running, backlog, error) {
	r, err := b.start(ctx, db, s, setup{processes: processes, fresh: true})
	if err != nil {
		return nil, backlog{}, err
	}
	driver, name := "pgx", r.data.url
	if r.data.path != "" {
		driver, name = "sqlite3", "file:"+r.data.path+"?mode=ro"
	}
	waiting, err := sql.Open(driver, name)
	if err != nil {
		r.stop()
		return nil, backlog{}, err
	}
	waiting.SetMaxOpenConns(feeders)
	return r, backlog{waiting}, nil
}

// backlog counts the submissions of a database that are not final.
type backlog struct{ *sql.DB }

func (w backlog) count(ctx context.Context) (n int, err error) {
	err = w.QueryRowContext(ctx, "SELECT count(*) FROM submissions WHERE status IN ('pending','processing')").Scan(&n)
	return n, err
}

// await returns when the number of waiting submissions is good.
func (w backlog) await(ctx context.Context, good func(waiting int) bool) error {
	return until(ctx, "submissions are published", func() (bool, error) {
		n, err := w.count(ctx)
		return good(n), err
	})
}
