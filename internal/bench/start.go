package main

import (
	"context"
	"io"
	"os"
	"slices"
	"time"
)

// standing is what a program needs before its first request.
type standing struct {
	name             string
	items            int
	firstAnswer      time.Duration // from the start of the process to the first item answered
	fastest, slowest time.Duration
	anonymous        int64 // bytes of memory of its own, after the first answer
	binary           int64 // bytes
}

// settle is how long the program is left alone before its memory is read, startsARound how often it is started in a round.
const (
	settle       = time.Second
	startsARound = 5
)

// measureStart starts the programs on the large file in turn, several times; the medians count.
func (b *bench) measureStart(ctx context.Context, d dataset) (all []standing, err error) {
	times, memory := make([][]time.Duration, len(b.builds)), make([][]int64, len(b.builds))
	for n := range startsARound * b.rounds {
		for i, made := range b.builds {
			took, bytes, err := b.startOnce(ctx, side{shipped, made}, d, n == 0)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], took)
			if bytes > 0 {
				memory[i] = append(memory[i], bytes)
			}
		}
	}
	for i, made := range b.builds {
		info, err := os.Stat(made.program)
		if err != nil {
			return nil, err
		}
		all = append(all, standing{
			name: made.name, items: d.items, firstAnswer: median(times[i]), fastest: slices.Min(times[i]), slowest: slices.Max(times[i]),
			anonymous: median(memory[i]), binary: info.Size(),
		})
	}
	return all, nil
}

// measureStarts prints what measureStart finds.
func (b *bench) measureStarts(ctx context.Context, db database, out io.Writer) error {
	all, err := b.measureStart(ctx, db.reads())
	for _, one := range all {
		printStart(out, one)
	}
	return err
}

// startOnce starts a program and stops it after its first answer, or after its memory has settled, which it then reads.
func (b *bench) startOnce(ctx context.Context, s side, d dataset, settled bool) (took time.Duration, anonymous int64, err error) {
	server, err := b.start(ctx, s, d)
	if err != nil {
		return 0, 0, err
	}
	defer server.stop()
	took, err = server.await(ctx, d.getRequest(nil, 7))
	if err != nil || !settled {
		return took, 0, err
	}
	if err := pause(ctx, settle); err != nil {
		return took, 0, err
	}
	anonymous, err = server.anonymous()
	return took, anonymous, err
}

func median[T int64 | float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
