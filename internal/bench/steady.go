package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// steady sends requests at a fixed rate, whether or not the ones before are answered, and returns how long each took from
// the instant at which it was to be sent. So a server that falls behind shows it. It ends with the context.
func steady(ctx context.Context, address string, rate float64, status int, request func(b []byte, n int) []byte) ([]time.Duration, error) {
	const connections = 32
	type due struct {
		n  int
		at time.Time
	}
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		times  []time.Duration
		failed error
		queue  = make(chan due, 1<<16)
	)
	for range connections {
		wg.Go(func() {
			took, err := func() (took []time.Duration, err error) {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					return nil, err
				}
				defer conn.Close()
				reader := bufio.NewReaderSize(conn, 64<<10)
				for next := range queue {
					if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
						return took, err
					}
					if _, err := conn.Write(request(nil, next.n)); err != nil {
						return took, err
					}
					got, body, err := readAnswer(reader, true)
					if err != nil || got != status {
						return took, errors.Join(fmt.Errorf("expected status %d, got %d %.300s", status, got, body), err)
					}
					took = append(took, time.Since(next.at))
				}
				return took, nil
			}()
			mu.Lock()
			defer mu.Unlock()
			times, failed = append(times, took...), errors.Join(failed, err)
		})
	}
	began := time.Now()
	for n := 0; ctx.Err() == nil; n++ {
		at := began.Add(time.Duration(float64(n) / rate * float64(time.Second)))
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(at)):
			queue <- due{n, at}
		}
	}
	close(queue)
	wg.Wait()
	return times, failed
}

// quantile is the value below which a share of the times lies.
func quantile(times []time.Duration, share float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(len(sorted)-1, int(float64(len(sorted))*share))]
}
