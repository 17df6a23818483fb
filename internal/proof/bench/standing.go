package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"time"

	"sellerd/internal/base/pause"
)

// This file measures what a program needs before its first request and beside requests.

// settle is how long the program is left alone before its memory is read, startsARound how often it is started in a round.
const (
	settle       = time.Second
	startsARound = 5
)

// measureStarts starts the programs on the large file in turn, several times; the medians count.
func (b *bench) measureStarts(ctx context.Context, db database, out io.Writer) error {
	sides := b.shippedSides()
	times, memory := make([][]time.Duration, len(sides)), make([]int64, len(sides))
	for n := range startsARound * b.rounds {
		for i, s := range sides {
			r, err := b.start(ctx, db, s, setup{})
			if err != nil {
				return err
			}
			times[i] = append(times[i], r.took)
			if n == 0 {
				paused := pause.For(ctx, settle)
				memory[i], err = r.anonymous()
				err = errors.Join(paused, err)
			}
			if r.stop(); err != nil {
				return err
			}
		}
	}
	data, err := db.reads(ctx)
	if err != nil {
		return err
	}
	for i, s := range sides {
		info, err := os.Stat(s.program)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s: first answer %s after the start on %d items (%s to %s), %.1f MiB of memory idle, a program of %.1f MB\n",
			s.name, millis(median(times[i])), data.items, millis(slices.Min(times[i])), millis(slices.Max(times[i])),
			float64(memory[i])/(1<<20), float64(info.Size())/1e6)
	}
	return nil
}

// waitingReaders is how many readers wait for events at the same time.
const waitingReaders = 500

// measureWaiting prints what readers of the feed cost that wait for an event which does not come. It watches a server without readers,
// and then with them.
func (b *bench) measureWaiting(ctx context.Context, db database, out io.Writer) error {
	for _, s := range b.shippedSides() {
		r, err := b.start(ctx, db, s, setup{})
		if err != nil {
			return err
		}
		watched := min(5*b.duration, 10*time.Second)
		idle, without, err1 := r.watch(ctx, watched)
		waited := make(chan error, 1)
		go func() { waited <- r.wait(ctx, watched) }()
		err2 := pause.For(ctx, settle) // until all of them wait
		waiting, with, err3 := r.watch(ctx, watched)
		err4 := <-waited
		if r.stop(); errors.Join(err1, err2, err3, err4) != nil {
			return errors.Join(err1, err2, err3, err4)
		}
		fmt.Fprintf(out, "\n%s, %s: %d readers that wait for events take %.1f MiB of memory; "+
			"in %s the program and PostgreSQL used %s of CPU with them and %s without\n",
			db.name(), s.name, waitingReaders, float64(with-without)/(1<<20), watched, waiting, idle)
	}
	return nil
}

// wait has all readers wait for longer than a server is watched. It fails if one was answered before, be it with a refusal.
func (r *running) wait(ctx context.Context, watched time.Duration) error {
	seconds := int((watched + settle).Seconds()) + 3
	request := r.data.endGet(fmt.Appendf(nil, "GET /v1/events?after=latest&wait=%d", seconds))
	get := func(b []byte, _ *rand.Rand, _, _ int) []byte { return append(b, request...) }
	all, err := press(ctx, load{r.address, waitingReaders, http.StatusOK, get, atMost(waitingReaders)})
	if err == nil && all.times[0] < watched {
		err = fmt.Errorf("a reader waited for %s only", all.times[0])
	}
	return err
}

// watch leaves a server alone, and returns the CPU time that it and the database have used in that time, and its memory at the end.
func (r *running) watch(ctx context.Context, d time.Duration) (cpu time.Duration, memory int64, err error) {
	before, err1 := r.spent()
	err2 := pause.For(ctx, d)
	after, err3 := r.spent()
	memory, err4 := r.anonymous()
	return time.Duration(after[0] + after[1] - before[0] - before[1]), memory, errors.Join(err1, err2, err3, err4)
}
