package delivery

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"sellerd/v1/lease"
)

// This file runs an engine: it claims what can start now (claim.go), sends it (send.go), and settles the outcomes in
// groups (settle.go), side by side.

// Once claims what is due, sends it and settles the outcomes; it says how many attempts it made.
func (e *Engine) Once(ctx context.Context) (int, error) {
	if err := cmp.Or(e.InterruptLost(ctx), e.adoptHeld(ctx)); err != nil {
		return 0, err
	}
	attempts, again, err := e.Claim(ctx, NewSlots())
	for err == nil && len(attempts) == 0 && again { // some were put aside; perhaps there are others behind them
		attempts, again, err = e.Claim(ctx, NewSlots())
	}
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	for _, a := range attempts {
		wg.Go(func() { e.Send(ctx, a) })
	}
	wg.Wait()
	return len(attempts), e.SettleWhileLeased(ctx, attempts)
}

// Outcomes are settled in groups: as many as are there after settleGap, or settleMost at once. The first outcome is settled at
// once if nothing else is in flight. The next group is gathered settlePause after it at the earliest, so that under load a
// transaction settles several.
const (
	settleGap   = 5 * time.Millisecond
	settlePause = 12 * time.Millisecond
	settleMost  = 32
)

// pollEvery is how often an engine looks for work that it was not woken for: what became due, and leases that ran out.
const pollEvery = time.Second

// The pace of claiming and sending. After a look for work comes a gap in which more becomes due, so that under load a claim,
// which is a transaction, takes several dispatches. After each burst of what it took comes a gap as well, so that a backlog
// leaves the processor to others: readers of the API would feel hundreds of attempts that start at once.
const (
	claimGap    = 8 * time.Millisecond
	launchBurst = 6
	launchGap   = 3 * time.Millisecond
)

// Run keeps claiming, sending and settling until the context ends. Then it waits for what is in flight, which is cut
// short after a moment: an attempt without an answer is settled as interrupted and made again.
func (e *Engine) Run(ctx context.Context) {
	slots := NewSlots()
	outcomes := make(chan *Attempt, slotsInAll)
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var settled, sent sync.WaitGroup
	var gathering sync.Mutex
	for range settlers {
		settled.Go(func() { e.settleAll(sending, outcomes, slots, &gathering) })
	}

	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	looked := -pollEvery // when leases that ran out were looked for, by the uptime
	for ctx.Err() == nil {
		var lost error
		if up := e.config.Uptime(); up-looked >= pollEvery {
			looked, lost = up, errors.Join(e.InterruptLost(ctx), e.adoptHeld(ctx))
		}
		again, err := e.launch(ctx, sending, slots, &sent, outcomes)
		if err := errors.Join(lost, err); err != nil && ctx.Err() == nil {
			e.config.Logger.Error("worker step failed", "worker", "deliverer", "error", err)
		}
		lease.Pause(ctx, claimGap)
		if again {
			continue
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-e.woken:
		}
	}
	grace := time.AfterFunc(endGrace, cut)
	defer grace.Stop()
	sent.Wait()
	close(outcomes)
	settled.Wait()
}

// endGrace is how long attempts in flight may take when the program ends.
const endGrace = 10 * time.Second

// launch claims what can start now and starts it. It says whether there may be more.
func (e *Engine) launch(ctx, sending context.Context, slots *Slots, running *sync.WaitGroup, outcomes chan<- *Attempt) (bool, error) {
	attempts, again, err := e.Claim(ctx, slots)
	if err != nil {
		return false, err
	}
	for i, a := range attempts {
		if i > 0 && i%launchBurst == 0 {
			lease.Pause(ctx, launchGap)
		}
		slots.Take(a)
		running.Go(func() {
			e.Send(sending, a)
			outcomes <- a
		})
	}
	return again || len(attempts) > 0, nil
}

// settlers is how many groups are settled at the same time. While one waits for its commit the next ones join it, or the
// one after it.
const settlers = 4

// settleAll settles outcomes as they come, in groups, and frees their slots. When the context ends it waits for no
// database any more. One settler gathers at a time: several would take the outcomes of one group from each other.
func (e *Engine) settleAll(ctx context.Context, outcomes <-chan *Attempt, slots *Slots, gathering *sync.Mutex) {
	for {
		gathering.Lock()
		first, open := <-outcomes
		if !open {
			gathering.Unlock()
			return
		}
		group := gatherOutcomes(first, outcomes, slots)
		if len(group) < settleMost {
			time.AfterFunc(settlePause, gathering.Unlock)
		} else {
			gathering.Unlock()
		}
		if err := e.SettleWhileLeased(ctx, group); err != nil {
			// Their leases run out, and they are made again as interrupted ones.
			e.config.Logger.Error("worker step failed", "worker", "deliverer", "error", err)
		}
		for _, a := range group {
			slots.release(a)
		}
		e.Wake()
	}
}

// gatherOutcomes waits for a group to fill up, but not when nothing else is in flight.
func gatherOutcomes(first *Attempt, outcomes <-chan *Attempt, slots *Slots) []*Attempt {
	group := []*Attempt{first}
	gap := time.NewTimer(settleGap)
	defer gap.Stop()
	for len(group) < min(settleMost, slots.inFlight()) {
		select {
		case a, open := <-outcomes:
			if !open {
				return group
			}
			group = append(group, a)
		case <-gap.C:
			return group
		}
	}
	return group
}
