package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
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

// publishAll submits batches of one seller, whose items have so many pictures each, and waits until all are on sale. The rate is in
// items a second, the p99 is of the batches.
func publishAll(pictures int) func(*bench, context.Context, database, side) (outcome, error) {
	return func(b *bench, ctx context.Context, db database, s side) (out outcome, err error) {
		host, err := showPictures()
		if err != nil {
			return out, err
		}
		defer host.Close()
		return b.publish(ctx, db, s, batchSize, batches(withPictures(host.URL, pictures)))
	}
}

// publishOne submits single items of many sellers, and waits until all are on sale.
func (b *bench) publishOne(ctx context.Context, db database, s side) (outcome, error) {
	return b.publish(ctx, db, s, 1, func(d dataset) maker {
		return func(buffer []byte, random *rand.Rand, client, n int) []byte {
			return post(buffer, d.Keys[n%len(d.Keys)], "/v1/items", client, n, plainDraft(nil, random, client, n))
		}
	})
}

// publish sends requests with so many items each, and waits until all are on sale.
func (b *bench) publish(ctx context.Context, db database, s side, items int, requests func(dataset) maker) (out outcome, err error) {
	r, waiting, err := b.startPublishing(ctx, db, s, 1)
	if err != nil {
		return out, err
	}
	defer r.stop()
	defer waiting.Close()
	return r.use(func() (all loaded, err error) {
		began := time.Now()
		sum := b.published / items
		all, err = pressFor(ctx, 5*time.Minute, load{r.addresses(), feeders, 202, requests(r.data), atMost(sum)})
		if err != nil {
			return all, err
		}
		if err := waiting.await(ctx, func(n int) bool { return n == 0 }); err != nil {
			return all, err
		}
		all.requests, all.took = sum*items, time.Since(began)
		return all, nil
	})
}

// showPictures serves a JPEG of 40 kB under every address, in this process.
func showPictures() (*httptest.Server, error) {
	picture, random := image.NewGray(image.Rect(0, 0, 200, 200)), rand.New(rand.NewPCG(1, 1))
	for i := range picture.Pix {
		picture.Pix[i] = byte(random.Uint32())
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, &jpeg.Options{Quality: 95}); err != nil {
		return nil, err
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/jpeg")
		_, _ = w.Write(b.Bytes())
	})), nil
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
	r, err := b.start(ctx, db, s, setup{processes: processes, fresh: true, flags: []string{"--allow-private-targets"}})
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
