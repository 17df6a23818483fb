package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers pgx
)

// This file measures publishing: from end to end, and what it does to submits meanwhile.

// publishingCases are the cases in which the workers publish a backlog.
func publishingCases() []benchCase {
	while := func(sellers, processes int) func(*bench, context.Context, database, side) (outcome, error) {
		return func(b *bench, ctx context.Context, db database, s side) (outcome, error) {
			return b.submitWhilePublishing(ctx, db, s, sellers, processes)
		}
	}
	return []benchCase{
		{group: "publish", name: "batches until published, by item", ours: shipped, round: (*bench).publishAll},
		{group: "busy", name: "submit one while batches are published", ours: shipped, round: while(1, 1)},
		{group: "busy", name: "submit one while batches are published, 16 sellers", ours: shipped, round: while(sellersAtOnce, 1)},
		{group: "busy", name: "submit one while three processes publish", ours: shipped, round: while(1, 3), only: "postgres"},
		{group: "busy", name: "submit one while three processes publish, 16 sellers", ours: shipped, round: while(sellersAtOnce, 3), only: "postgres", long: true},
	}
}

// publishAll submits batches of one seller and waits until all their items are on sale. The rate is in items a second, the
// p99 is of the batches.
func (b *bench) publishAll(ctx context.Context, db database, s side) (out outcome, err error) {
	servers, backlog, data, err := b.startPublishing(ctx, db, s, 1)
	if err != nil {
		return out, err
	}
	defer stopAll(servers, backlog)
	return use(db, servers, func() (all load, err error) {
		began := time.Now()
		batches := b.published / batchSize
		if all, err = send(ctx, servers[0].address, 4, batches, 202, data.batchRequests(plainDraft)); err != nil {
			return all, err
		}
		if err := backlog.await(ctx, func(waiting int) bool { return waiting == 0 }); err != nil {
			return all, err
		}
		all.requests, all.took = batches*batchSize, time.Since(began)
		return all, nil
	})
}

// submitWhilePublishing presses single submits of one seller or of many, whose batches are published at the same time by one
// process or by several. The CPU time is that of everything, for a submit.
func (b *bench) submitWhilePublishing(ctx context.Context, db database, s side, sellers, processes int) (out outcome, err error) {
	servers, backlog, data, err := b.startPublishing(ctx, db, s, processes)
	if err != nil {
		return out, err
	}
	defer stopAll(servers, backlog)
	var addresses []string
	for _, server := range servers {
		addresses = append(addresses, server.address)
	}
	keys := []string{data.Key}
	if sellers > 1 {
		keys = data.Keys[:sellers]
	}
	feeding, stop := context.WithCancel(ctx)
	fed := make(chan error, feeders)
	for i := range feeders {
		go func() { fed <- feed(feeding, backlog, i, addresses, keys) }()
	}
	defer func() {
		stop()
		for range feeders {
			err = errors.Join(err, <-fed)
		}
	}()
	began := time.Now() // the workers of many sellers may be faster than the feeders
	if err := backlog.await(ctx, func(waiting int) bool { return waiting >= b.backlog()/2 || time.Since(began) > feedTime }); err != nil {
		return out, err
	}
	return use(db, servers, func() (load, error) {
		return press(ctx, addresses, b.clients, b.duration, 202, data.submitRequests(plainDraft, sellers))
	})
}

// startPublishing starts processes of a side on fresh data.
func (b *bench) startPublishing(ctx context.Context, db database, s side, processes int, more ...string) (servers []*child, backlog *waiting, data dataset, err error) {
	if data, err = db.fresh(ctx); err != nil {
		return nil, nil, data, err
	}
	if backlog, err = watch(data, b.backlog()); err != nil {
		return nil, nil, data, err
	}
	for range processes {
		server, err := b.start(ctx, s, data, more...)
		if err == nil {
			servers = append(servers, server)
			_, err = server.await(ctx, data.getRequest(nil, 7))
		}
		if err != nil {
			stopAll(servers, backlog)
			return nil, nil, data, err
		}
	}
	return servers, backlog, data, nil
}

func stopAll(servers []*child, backlog *waiting) {
	for _, server := range servers {
		server.stop()
	}
	_ = backlog.db.Close()
}

// backlog is how many submissions wait, about, while submits are measured.
func (b *bench) backlog() int { return b.published / 2 }

// waiting counts the submissions of a database that are not final.
type waiting struct {
	db     *sql.DB
	wanted int // how many feed keeps
}

func watch(data dataset, wanted int) (*waiting, error) {
	driver, name := "pgx", data.url
	if data.path != "" {
		driver, name = "sqlite3", "file:"+data.path+"?mode=ro"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(feeders)
	return &waiting{db, wanted}, nil
}

func (w *waiting) count(ctx context.Context) (n int, err error) {
	err = w.db.QueryRowContext(ctx, "SELECT count(*) FROM submissions WHERE status IN ('pending','processing')").Scan(&n)
	return n, err
}

// await returns when the number of waiting submissions is good.
func (w *waiting) await(ctx context.Context, good func(waiting int) bool) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for {
		n, err := w.count(ctx)
		if err != nil {
			return fmt.Errorf("count the waiting submissions: %w", err)
		}
		if good(n) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d submissions wait: %w", n, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// feeders is how many connections submit batches while submits are measured, and feedTime how long they do so before, at most.
const (
	feeders  = 4
	feedTime = 2 * time.Second
)

// feed submits batches, of one seller after the other, whenever too few submissions wait.
func feed(ctx context.Context, backlog *waiting, feeder int, addresses, keys []string) error {
	body := batchBody(plainDraft)
	for n := feeder; ctx.Err() == nil; n += feeders {
		at, err := backlog.count(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case at >= backlog.wanted:
			n -= feeders
			time.Sleep(10 * time.Millisecond)
			continue
		}
		status, answer, err := ask(addresses[n%len(addresses)], post(nil, keys[n%len(keys)], "/v1/item-batches", -1, n, body))
		if err != nil || status != 202 {
			return errors.Join(fmt.Errorf("a batch was answered %d %.200s", status, answer), err)
		}
	}
	return nil
}
