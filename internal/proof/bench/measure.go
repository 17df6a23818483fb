package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// outcome is the result of one round of one side: these figures.
type outcome [5]float64

const (
	rate        = iota // requests a second
	p99                // of a request, in nanoseconds, as the next two
	cpu                // of the server, for a request
	databaseCPU        // of PostgreSQL's processes, for a request
	allocations        // of the server, for a request
)

// text is the outcome as cells of a table.
func (o outcome) text() string {
	english := message.NewPrinter(language.English) // with commas between thousands
	return english.Sprintf("%.0f\t%.0f\t%.0f\t%s\t%.0f", o[cpu]/1000, o[databaseCPU]/1000, o[rate], millis(time.Duration(o[p99])), o[allocations])
}

// allCPU is that of the server and the database.
func (o outcome) allCPU() float64 { return o[cpu] + o[databaseCPU] }

// measureLoad measures the chosen cases on a database, their sides in turn, and prints a line for each program and case; most of them are
// in docs/operator/performance.md. The first columns compare the program with the limit: the limit's CPU time by its own, and requests a
// second by those of the limit, so that more is better in both. The first is the fairer one, because clients have no part in it. What was
// measured before a failure is printed all the same.
func (b *bench) measureLoad(ctx context.Context, name string, db database, out io.Writer) (err error) {
	var lines []string
	heading := "On " + db.name() + "\tCPU ÷ limit\t÷ limit\tCPU µs\tOf the database\tRequests/s\tp99\tAllocations"
	defer func() { err = errors.Join(err, printTable(out, heading, lines)) }()
	for _, c := range b.chosenCases(name) {
		if c.pages != nil {
			if err := b.findCursors(ctx, db, c.pages.path); err != nil {
				return fmt.Errorf("walk %s: %w", c.pages.path, err)
			}
		}
		sides := b.sidesOf(&c)
		medians, err := b.inTurn(sides, func(s side) (outcome, error) {
			return b.pressCase(ctx, db, &c, s)
		})
		if err != nil {
			return fmt.Errorf("%s, %w", c.name, err)
		}
		for i := range b.builds {
			o, line, compared := medians[i], c.name, "\t"
			if len(b.builds) > 1 {
				line += ", " + sides[i].name
			}
			if limit := medians[len(medians)-1]; !c.alone {
				compared = fmt.Sprintf("%.2f\t%.2f", limit.allCPU()/o.allCPU(), o[rate]/limit[rate])
			}
			lines = append(lines, line+"\t"+compared+"\t"+o.text())
		}
		fmt.Fprintf(os.Stderr, "measured: %s, %s\n", db.name(), c.name)
	}
	return nil
}

// inTurn measures sides in turn, and takes the medians of their rounds, figure by figure.
func (b *bench) inTurn(sides []side, measure func(s side) (outcome, error)) (all []outcome, err error) {
	rounds := make([][]outcome, len(sides))
	for round := range b.rounds {
		for i, s := range sides {
			out, err := measure(s)
			if err != nil {
				return nil, fmt.Errorf("%s, round %d: %w", s.name, round+1, err)
			}
			rounds[i] = append(rounds[i], out)
		}
	}
	all = make([]outcome, len(sides))
	for i := range all {
		for figure := range all[i] {
			var values []float64
			for _, round := range rounds[i] {
				values = append(values, round[figure])
			}
			all[i][figure] = median(values)
		}
	}
	return all, nil
}

// pressCase is one round: start a side on its data, warm it up, load it, read what it used, stop it.
func (b *bench) pressCase(ctx context.Context, db database, c *benchCase, s side) (out outcome, err error) {
	r, err := b.start(ctx, db, s, setup{fresh: c.writes, rateLimit: c.rateLimit})
	if err != nil {
		return out, err
	}
	defer r.stop()
	l := load{address: r.address, clients: b.clients, status: c.status, make: b.makerOf(c, r.data, s)}
	if c.items > 0 {
		return b.publish(ctx, r, c.items, l)
	}
	warm := l
	warm.make = func(buffer []byte, random *rand.Rand, client, n int) []byte {
		return l.make(buffer, random, client+1000*manySellers, n)
	}
	if _, err := pressFor(ctx, b.warmup, warm); err != nil {
		return out, err
	}
	return r.use(func() (loaded, error) { return pressFor(ctx, b.duration, l) })
}

// spent is what the server and its database have used so far: CPU time, that of the database, and allocations.
func (r *running) spent() (total [3]float64, err error) {
	inDatabase, err1 := r.db.cpu()
	_, own, _, err2 := cpuOf(r.cmd.Process.Pid)
	made, err3 := r.allocations()
	return [3]float64{float64(own), float64(inDatabase), made}, errors.Join(err1, err2, err3)
}

// use has the server loaded and reads what it and its database used for it.
func (r *running) use(press func() (loaded, error)) (out outcome, err error) {
	before, err1 := r.spent()
	loaded, err2 := press()
	after, err3 := r.spent()
	n := float64(loaded.requests)
	out[rate], out[p99] = n/loaded.took.Seconds(), float64(quantile(loaded.times, 0.99))
	for i := range before {
		out[cpu+i] = (after[i] - before[i]) / n
	}
	return out, errors.Join(err1, err2, err3)
}
