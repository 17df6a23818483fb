package delivery

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"time"

	"sellerd/v1/wire"
)

// This file has the engine's times: when an event is sent again, how long things may take, and how long they rest.

// schedule is how long an event waits after each failure: after the first 5 s, and so on; ten attempts over 75 h 35 min. Each wait is made
// longer by a random part of a fifth at most, never shorter, so that receivers do not see what failed together come
// back together.
var schedule = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// DispatchLife is how old an event may be when it is sent by itself: the whole schedule with all its jitter.
const DispatchLife = 96 * time.Hour

// testAttempts is how often an event of test data is sent at most.
const testAttempts = 4

const (
	// longestAttempt is how long an attempt can take: the timeout of Client.
	longestAttempt = 20 * time.Second
	// leaseTime is how long a worker has for an attempt, three times what one can take.
	leaseTime = 3 * longestAttempt
	// longestLease is how long a lease lasts at most as another process's clock sees it.
	longestLease = 2 * leaseTime
)

// How long a dispatch or an endpoint waits when it is not the receiver's fault, or when that is not known.
const (
	// blockedPatience is how soon at most a dispatch that waits for an earlier one of its resource is looked at again. The
	// earlier one's end wakes it before.
	blockedPatience = 5 * time.Second
	// unreadRest is how long an event waits that could not be read.
	unreadRest = time.Second
	// unsignedRest is how long an endpoint rests with a secret that does not open.
	unsignedRest = time.Minute
)

// The shortest rest that a receiver gets when it asks for one, and the longest that it can ask for.
const (
	leastRest = time.Minute
	mostRest  = 24 * time.Hour
)

// No pending dispatch waits for longer than longestWait, and no first attempt for longer than a few clocks differ, unless
// it is blocked. What seems to was written before the clock was set back.
const (
	longestWait = 29 * time.Hour
	mostSkew    = time.Minute
)

// mostAttempts is how often an event is sent by itself.
func (e *Engine) mostAttempts(owner int64, trigger string) int {
	switch {
	case byHand(trigger):
		return 1
	case e.config.IsTest(owner):
		return testAttempts
	default:
		return len(schedule) + 1
	}
}

// wait is how long after a dispatch's nth failure its next attempt is due.
func (e *Engine) wait(failures int) (time.Duration, error) {
	wait := schedule[min(failures, len(schedule))-1]
	jitter, err := rand.Int(e.config.Random, big.NewInt(int64(wait/5)+1))
	if err != nil {
		return 0, fmt.Errorf("random: %w", err)
	}
	return wait + time.Duration(jitter.Int64()), nil
}

// resting says whether an endpoint rests. A rest that is longer than any is one from before the clock was set back.
func resting(until, now wire.Time) bool { return until > now && until <= now.Add(mostRest) }
