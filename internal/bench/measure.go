package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// outcome is the result of one round of one side.
type outcome struct {
	rate        float64       // requests a second
	p99         time.Duration // of a request
	cpu         time.Duration // of the server, for a request
	database    time.Duration // of PostgreSQL's processes, for a request
	allocations float64       // of the server, for a request
}

// measured is a case on one database with the rounds of all its sides.
type measured struct {
	name, database string
	sides          []side
	rounds         [][]outcome // by side
}

// measureLoad measures the chosen cases on a database, their sides in turn. After a failure it returns the cases measured so
// far with the error.
func (b *bench) measureLoad(ctx context.Context, name string, db database) (rows []measured, err error) {
	for _, c := range b.chosenCases(name) {
		row := measured{name: c.name, database: db.name(), sides: b.sidesOf(&c)}
		row.rounds = make([][]outcome, len(row.sides))
		for round := range b.rounds {
			for i, s := range row.sides {
				measure := c.round
				if measure == nil {
					measure = c.press
				}
				out, err := measure(b, ctx, db, s)
				if err != nil {
					return rows, fmt.Errorf("%s, %s, %s, round %d: %w", db.name(), c.name, s.name, round+1, err)
				}
				row.rounds[i] = append(row.rounds[i], out)
			}
		}
		rows = append(rows, row)
		fmt.Fprintf(os.Stderr, "measured: %s, %s\n", db.name(), c.name)
	}
	return rows, nil
}

// press is one round: start a side on its data, warm it up, load it, read what it used, stop it.
func (c *benchCase) press(b *bench, ctx context.Context, db database, s side) (out outcome, err error) {
	data := db.reads()
	if c.writes {
		if data, err = db.fresh(ctx); err != nil {
			return out, err
		}
	}
	server, err := b.start(ctx, s, data)
	if err != nil {
		return out, err
	}
	defer server.stop()
	if _, err := server.await(ctx, data.getRequest(nil, 7)); err != nil {
		return out, err
	}
	requests := c.make(b, data, s.role == yardstick)
	warm := func(buffer []byte, random *rand.Rand, client, n int) []byte {
		return requests(buffer, random, client+1000*sellersAtOnce, n)
	}
	if _, err := press(ctx, []string{server.address}, b.clients, b.warmup, c.status, warm); err != nil {
		return out, err
	}
	return use(db, []*child{server}, func() (load, error) {
		return press(ctx, []string{server.address}, b.clients, b.duration, c.status, requests)
	})
}

// use loads servers of one database and reads what they used for it.
func use(db database, servers []*child, press func() (load, error)) (out outcome, err error) {
	before, err1 := spend(db, servers)
	loaded, err2 := press()
	after, err3 := spend(db, servers)
	if err := errors.Join(err1, err2, err3); err != nil {
		return out, err
	}
	n := float64(loaded.requests)
	return outcome{
		rate: n / loaded.took.Seconds(), p99: loaded.p99,
		cpu: time.Duration(float64(after.cpu-before.cpu) / n), database: time.Duration(float64(after.database-before.database) / n),
		allocations: float64(after.allocations-before.allocations) / n,
	}, nil
}

// spent is what servers and their database have used so far.
type spent struct {
	cpu, database time.Duration
	allocations   int64
}

func spend(db database, servers []*child) (total spent, err error) {
	total.database, err = db.cpu()
	for _, server := range servers {
		cpu, err1 := server.cpu()
		allocations, err2 := server.allocations()
		total.cpu += cpu
		total.allocations += allocations
		err = errors.Join(err, err1, err2)
	}
	return total, err
}
