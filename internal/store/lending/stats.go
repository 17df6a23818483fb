package lending

import (
	"math/bits"
	"sync/atomic"
)

// GroupBuckets is the number of buckets in Stats.Groups.
const GroupBuckets = 8

// Stats are counts since Open, for metrics. On PostgreSQL every transaction is of one call.
type Stats struct {
	// Waiting is how many calls of Write have not returned yet.
	Waiting int64
	// Writes is how many calls of Write began a transaction, successful or not.
	Writes uint64
	// Commits is how many transactions were committed. Writes ÷ Commits is what group commit saves.
	Commits uint64
	// Failures is how many transactions could not begin or commit, or had a statement fail because the database could not work.
	Failures uint64
	// Retries is how many transactions, and statements outside of them, were run again because PostgreSQL asked for it.
	Retries uint64
	// Groups counts transactions by the number of calls in them: Groups[i] those with at most 2^i and more than 2^(i-1).
	Groups [GroupBuckets]uint64
}

// Counters are the counts behind Stats.
type Counters struct {
	Waiting           atomic.Int64
	Writes, Retries   atomic.Uint64
	commits, failures atomic.Uint64
	groups            [GroupBuckets]atomic.Uint64
}

// Count records one transaction of n calls, which failed as a whole if err is not nil.
func (c *Counters) Count(n int, err error) {
	c.groups[min(bits.Len(uint(n-1)), GroupBuckets-1)].Add(1)
	if err != nil {
		c.failures.Add(1)
		return
	}
	c.commits.Add(1)
}

// Stats returns the counts at this moment.
func (c *Counters) Stats() Stats {
	s := Stats{
		Waiting: c.Waiting.Load(), Writes: c.Writes.Load(), Commits: c.commits.Load(), Failures: c.failures.Load(),
		Retries: c.Retries.Load(),
	}
	for i := range c.groups {
		s.Groups[i] = c.groups[i].Load()
	}
	return s
}
