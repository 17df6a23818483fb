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
func (c *client) send(ctx context.Context, j *journal, r *request) (*answer, error) {
	var a *answer
	if c.turns.Len(r.keyID) == 0 {
		var err error
		a, err = c.attempt(ctx, j, r)
		if err != nil || !limited(a) || wait(a) > j.patienceLeft(c.clock.Now()) {
			return a, err
		}
	}
	inLine, cancel := context.WithTimeout(ctx, j.patienceLeft(c.clock.Now()))
	defer cancel()
	end, late := c.turns.Take(inLine, r.keyID)
	switch {
	case late == nil:
		defer end()
		return c.sendPatiently(ctx, j, r, a)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case a != nil:
		return a, nil
	default:
		return &answer{header: http.Header{}, errors: refusal.Later(v1.RateLimited, time.Second)}, nil
	}
}

// sendPatiently is send for the first call of the line. a is the answer that it has got already, nil for none.
func (c *client) sendPatiently(ctx context.Context, j *journal, r *request, a *answer) (*answer, error) {
	for {
		if a != nil {
			if !limited(a) || wait(a) > j.patienceLeft(c.clock.Now()) {
				return a, nil
			}
			if err := c.pause(ctx, wait(a)); err != nil {
				return nil, err
			}
		}
		var err error
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
