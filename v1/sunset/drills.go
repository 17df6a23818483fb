package sunset

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sellerd/ent"
	"sellerd/ent/legacydrill"
	"sellerd/v1/wire"
)

// This file says which drills are running. A drill is a time in which /rest answers as after its end, to one key, to all keys
// of an owner, or to everybody. Every call of /rest asks, so the drills are remembered, for a time that depends on them:
//
//   - A drill is scheduled at least LeastNotice before it begins. So a process that knows of no running drill reads them
//     anew after a few seconds, and still knows of each before it begins.
//   - A drill can be called off while it runs. So a process that knows of a running one reads them anew many times a second.

const (
	// LeastNotice is how long before its begin a drill must be scheduled.
	LeastNotice = time.Minute
	// LongestDrill is how long a drill lasts at most.
	LongestDrill = 24 * time.Hour
	// quietAge is how old the remembered drills may be when none is running. With the time that a slow transaction takes, it
	// must stay well below LeastNotice: the clocks of two processes may differ by what is left.
	quietAge = 5 * time.Second
	// runningAge is how old they may be when one is running.
	runningAge = 250 * time.Millisecond
	// horizon is how long before its begin a drill is remembered: longer than quietAge.
	horizon = 10 * time.Second
	// readLimit is how long a call waits for the drills before it goes on with what was known.
	readLimit = time.Second
)

// Everybody is the owner of drills that an operator schedules.
const Everybody = 0

// DrillsConfig is what a Drills is made of. All fields are mandatory.
type DrillsConfig struct {
	// Store is the database.
	Store interface {
		// Reader reads outside transactions.
		Reader() *ent.Client
	}
	// Clock gives the current time.
	Clock interface{ Now() time.Time }
	// Uptime is how long the process has run.
	Uptime func() time.Duration
	// Logger gets what the operator should look at.
	Logger *slog.Logger
}

// Drills knows the drills that are running. It is safe for concurrent use.
type Drills struct {
	config    DrillsConfig
	soon      remembered // those that are running or about to begin
	announced remembered // those for everybody
}

// NewDrills makes a Drills that has read nothing yet.
func NewDrills(c DrillsConfig) *Drills { return &Drills{config: c} }

// Running are the drills that are running at one moment. The zero value is none.
type Running []*ent.LegacyDrill

// Everybody says whether one of them is for everybody.
func (r Running) Everybody() bool {
	return slices.ContainsFunc(r, func(d *ent.LegacyDrill) bool { return d.Owner == Everybody })
}

// Of says whether one of them is for a key of an owner.
func (r Running) Of(owner int64, keyID string) bool {
	return slices.ContainsFunc(r, func(d *ent.LegacyDrill) bool {
		return d.Owner == Everybody || d.Owner == owner && (d.KeyID == nil || *d.KeyID == keyID)
	})
}

// Running returns the drills that are running now. If the database does not answer, it returns those of the last read.
func (d *Drills) Running(ctx context.Context) Running {
	age := quietAge
	if len(d.runningNow(d.soon.known())) > 0 {
		age = runningAge
	}
	return d.runningNow(d.read(ctx, &d.soon, age, d.readSoon))
}

// runningNow are those of some drills that are running.
func (d *Drills) runningNow(drills []*ent.LegacyDrill) (running Running) {
	if len(drills) == 0 {
		return nil // the usual case costs nothing
	}
	now := int64(wire.TimeOf(d.config.Clock.Now()))
	for _, drill := range drills {
		if drill.BeginsAt <= now && now < drill.EndsAt {
			running = append(running, drill)
		}
	}
	return running
}

func (d *Drills) readSoon(ctx context.Context) ([]*ent.LegacyDrill, error) {
	now := wire.TimeOf(d.config.Clock.Now())
	return d.config.Store.Reader().LegacyDrill.Query().
		Where(legacydrill.EndsAtGT(int64(now)), legacydrill.EndsAtLTE(int64(now.Add(horizon+LongestDrill))), // a range of the index
			legacydrill.BeginsAtLTE(int64(now.Add(horizon))), legacydrill.CalledOffAtIsNil()).All(ctx)
}

// Announced returns the drills for everybody, also those that are over or were called off, in the order of their begin. A change by
// another process shows after at most a second. If the database does not answer, it returns those of the last read.
func (d *Drills) Announced(ctx context.Context) []*ent.LegacyDrill {
	return d.read(ctx, &d.announced, time.Second, func(ctx context.Context) ([]*ent.LegacyDrill, error) {
		return d.config.Store.Reader().LegacyDrill.Query().Where(legacydrill.Owner(Everybody)).
			Order(ent.Asc(legacydrill.FieldBeginsAt, legacydrill.FieldID)).All(ctx)
	})
}

// Changed says that this process has scheduled a drill or called one off.
func (d *Drills) Changed() {
	d.soon.outdate()
	d.announced.outdate()
}

// remembered is what was last read of the drills.
type remembered struct {
	reading sync.Mutex // held by the call that reads
	last    atomic.Pointer[reading]
}

// reading is a read of drills at an uptime. After a read that failed the drills are those of the one before.
type reading struct {
	at     time.Duration
	drills []*ent.LegacyDrill
}

// outdate has the next call read anew. What is known stays, for the case that the database does not answer.
func (r *remembered) outdate() {
	if last := r.last.Load(); last != nil {
		r.last.Store(&reading{at: -quietAge, drills: last.drills})
	}
}

// known are the drills that were last read.
func (r *remembered) known() []*ent.LegacyDrill {
	if last := r.last.Load(); last != nil {
		return last.drills
	}
	return nil
}

// read returns drills that were read at most age ago. One call at a time reads. The read goes on if its caller leaves, because
// others wait for it.
func (d *Drills) read(ctx context.Context, r *remembered, age time.Duration, from func(context.Context) ([]*ent.LegacyDrill, error)) []*ent.LegacyDrill {
	if last := r.last.Load(); last != nil && d.config.Uptime()-last.at < age {
		return last.drills
	}
	r.reading.Lock()
	defer r.reading.Unlock()
	before := r.last.Load()
	if before != nil && d.config.Uptime()-before.at < age { // another call has read them meanwhile
		return before.drills
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	fresh := &reading{at: d.config.Uptime()}
	var err error
	if fresh.drills, err = from(ctx); err != nil {
		d.config.Logger.Error("the drills of the deprecated interface cannot be read", "error", err)
		fresh.at = d.config.Uptime()
		if fresh.drills = nil; before != nil {
			fresh.drills = before.drills
		}
	}
	r.last.Store(fresh)
	return fresh.drills
}
