package fuzzhttp_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
)

var (
	requests  = flag.Int("requests", 2000, "how many requests to send to each of the two services")
	sequences = flag.Int("sequences", 0, "stop after this many sequences, 0 for no limit")
	firstSeed = flag.Uint64("seed", 20, "the seed of the first sequence; the next ones follow")
)

const (
	stepsOfASequence = 60
	worldLasts       = 20_000 // requests to one pair of databases, before the next pair, so that a long run does not slow down
	enoughFailures   = 5
)

// TestTheServiceAnswersAsItsDocumentsSayOnBothDatabases is the fuzzer.
func TestTheServiceAnswersAsItsDocumentsSayOnBothDatabases(t *testing.T) {
	servertest.Postgres(t) // skips the test where there is none, and not a world after the other for ever
	seed, sent, run := *firstSeed, 0, 0
	statuses, reported := map[string]int{}, map[string]bool{}
	began := time.Now()
	t.Logf("seed %d, %d requests to each database", *firstSeed, *requests)
	for sent < *requests && len(reported) < enoughFailures {
		t.Run(fmt.Sprintf("seed-%d", seed), func(t *testing.T) {
			f := newFuzzer(t, 0)
			for f.requests < worldLasts && sent+f.requests < *requests && len(reported) < enoughFailures {
				list := steps(seed, stepsOfASequence)
				if failed, log := f.run(t, list); failed != nil {
					if name := failed.check + " " + failed.operation; !reported[name] {
						reported[name] = true
						failed, log = f.shrink(t, list, failed, log)
						t.Error(failed.report(seed, log))
					}
				}
				seed++
				if run++; run == *sequences {
					break
				}
			}
			sent += f.requests
			for name, count := range f.statuses {
				statuses[name] += count
			}
		})
		fmt.Printf("fuzzhttp: %d requests to each database, next seed %d, %d failures, %.0f s\n", sent, seed, len(reported), time.Since(began).Seconds())
		if run == *sequences && run > 0 {
			break
		}
	}
	for _, name := range slices.Sorted(maps.Keys(statuses)) {
		t.Logf("%7d %s", statuses[name], name)
	}
	followed := 0
	for name, count := range statuses {
		if status := name[strings.LastIndex(name, " ")+1:]; status < "300" {
			followed += count
		}
	}
	t.Logf("%d of %d requests were followed", followed, sent)
	if *sequences == 0 && !t.Failed() && followed*5 < sent {
		t.Error("fewer than a fifth of the requests were followed: most rules are not reached")
	}
}
