package bridge

import (
	"context"
	"net/http"
	"time"

	"sellerd/v1"
	"sellerd/v1/refusal"
)

// This file waits when the service answers 429. Such a request was not carried out, so any request may be sent again.

// patience is how long a call waits in all for its budget of requests.
const patience = 20 * time.Second

// send sends a request. While the service answers that there are too many, it waits as long as the service asks, within the
// patience of the call; then it returns that answer. Calls of one key that wait stand in a line, and only the first one asks
// again. Calls that come meanwhile stand behind them. So a program that hammers does not make the service answer 429 many
// times a second.
func (c *client) send(ctx context.Context, j *journal, r *request) (a *answer, err error) {
	ends := func() bool { return !limited(a) || wait(a) > j.patienceLeft(c.clock.Now()) }
	if c.turns.Len(r.keyID) == 0 {
		if a, err = c.attempt(ctx, j, r); err != nil || ends() {
			return a, err
		}
	}
	inLine, cancel := context.WithTimeout(ctx, j.patienceLeft(c.clock.Now()))
	defer cancel()
	end, late := c.turns.Take(inLine, r.keyID)
	switch {
	case late == nil:
		defer end()
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case a != nil:
		return a, nil
	default:
		return &answer{header: http.Header{}, errors: refusal.Later(v1.RateLimited, time.Second)}, nil
	}
	for {
		if a != nil {
			if ends() {
				return a, nil
			}
			if err := c.pause(ctx, wait(a)); err != nil {
				return nil, err
			}
		}
		if a, err = c.attempt(ctx, j, r); err != nil {
			return nil, err
		}
	}
}

func limited(a *answer) bool {
	return len(a.errors) > 0 && a.errors.Status() == http.StatusTooManyRequests
}

// wait is how long a limited answer asks to wait, at least a second.
func wait(a *answer) time.Duration { return max(time.Second, a.errors.RetryAfter()) }
