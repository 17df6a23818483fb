package main

import (
	"context"
	"os"
	"slices"
	"time"
)

// standing is what the program needs before its first request.
type standing struct {
	items       int
	firstAnswer time.Duration // from the start of the process to the first item answered
	anonymous   int64         // bytes of memory of its own, after the first answer
	binary      int64         // bytes
}

// settle is how long the program is left alone before its memory is read.
const settle = time.Second

// measureStart starts the program on the large file several times; the medians count.
func (b *bench) measureStart(ctx context.Context) (standing, error) {
	out := standing{items: b.large.items}
	info, err := os.Stat(b.program)
	if err != nil {
		return out, err
	}
	out.binary = info.Size()
	var times []time.Duration
	var memory []int64
	for range b.rounds {
		took, bytes, err := b.startOnce(ctx)
		if err != nil {
			return out, err
		}
		times, memory = append(times, took), append(memory, bytes)
	}
	out.firstAnswer, out.anonymous = median(times), median(memory)
	return out, nil
}

func (b *bench) startOnce(ctx context.Context) (took time.Duration, anonymous int64, err error) {
	server, err := b.start(ctx, shipped, b.large)
	if err != nil {
		return 0, 0, err
	}
	defer server.stop()
	if took, err = server.await(ctx, b.large.getRequest(nil, 7)); err != nil {
		return 0, 0, err
	}
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
	anonymous, err = server.anonymous()
	return took, anonymous, err
}

func median[T int64 | float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
