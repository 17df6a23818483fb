package sunset

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sellerd/ent"
	"sellerd/ent/apikey"
	"sellerd/ent/legacydrill"
	"sellerd/ent/legacykey"
	"sellerd/v1/core"
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
	// keysAge is how old the remembered keys may be. A drill is remembered for longer before it begins, so its keys are known then.
	keysAge = time.Second
	// readLimit is how long a call waits for a read before it goes on with what was known.
	readLimit = time.Second
)

// Everybody is the owner of drills that an operator schedules.
const Everybody = 0

// Drills knows the drills that are running. It is safe for concurrent use.
type Drills struct {
	config    core.Config
	soon      remembered[[]*ent.LegacyDrill] // those that are running or about to begin
	announced remembered[[]*ent.LegacyDrill] // those for everybody
	keys      remembered[map[string]int64]   // the keys of the owners with such drills for all their keys, with the owner
}

// NewDrills makes a Drills that has read nothing yet.
func NewDrills(c core.Config) *Drills {
	d := &Drills{config: c}
	d.soon.what, d.announced.what, d.keys.what = "drills that are running", "drills for everybody", "keys of drills"
	return d
}

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
	if last := d.soon.last.Load(); last != nil {
		running := d.runningNow(last.value)
		if len(running) > 0 {
			age = runningAge
		}
		if d.config.Uptime()-last.at < age {
			return running
		}
	}
	return d.runningNow(read(ctx, d.config, &d.soon, age, d.readSoon))
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
	return read(ctx, d.config, &d.announced, time.Second, func(ctx context.Context) ([]*ent.LegacyDrill, error) {
		return d.config.Store.Reader().LegacyDrill.Query().Where(legacydrill.Owner(Everybody)).
			Order(ent.Asc(legacydrill.FieldBeginsAt, legacydrill.FieldID)).All(ctx)
	})
}

// Changed says that this process has scheduled a drill or called one off.
func (d *Drills) Changed() {
	d.soon.outdate()
	d.announced.outdate()
}

// Which keys a drill concerns is remembered, too. Every call of /rest asks while one is running, also those that no drill concerns. So the
// ids of the keys that take part are remembered, of which there are few, and no call costs a statement to find out that its key
// does not. Made-up keys cost none either.

// Concern says whether one of some running drills is for the key with an id, of an owner that a program need not know. The key
// may still be wrong: only its id is compared.
func (d *Drills) Concern(ctx context.Context, running Running, keyID string) bool {
	all := false // a drill is for all keys of an owner
	for _, drill := range running {
		switch {
		case drill.Owner == Everybody, drill.KeyID != nil && *drill.KeyID == keyID:
			return true
		case drill.KeyID == nil:
			all = true
		}
	}
	if !all {
		return false
	}
	owner, known := read(ctx, d.config, &d.keys, keysAge, d.readKeys)[keyID]
	return known && running.Of(owner, keyID)
}

// readKeys reads the keys of all owners with a drill for all their keys that is running or about to begin.
func (d *Drills) readKeys(ctx context.Context) (map[string]int64, error) {
	owners, accounts := map[int64]bool{}, []int64(nil)
	for _, drill := range read(ctx, d.config, &d.soon, runningAge, d.readSoon) {
		if drill.KeyID == nil && drill.Owner != Everybody {
			owners[drill.Owner], accounts = true, append(accounts, core.Owner(drill.Owner).Account())
		}
	}
	if len(accounts) == 0 {
		return nil, nil
	}
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	client := d.config.Store.Reader()
	all, err := client.APIKey.Query().Where(apikey.AccountIDIn(accounts...), apikey.RevokedAtIsNil()).All(ctx)
	if err != nil {
		return nil, err
	}
	imported, err := client.LegacyKey.Query().Where(legacykey.AccountIDIn(accounts...), legacykey.RevokedAtIsNil()).All(ctx)
	if err != nil {
		return nil, err
	}
	keys := map[string]int64{}
	add := func(id string, owner core.Owner) {
		if owners[int64(owner)] {
			keys[id] = int64(owner)
		}
	}
	for _, key := range all {
		add(key.ID, core.OwnerOf(key.AccountID, key.Test))
	}
	for _, key := range imported {
		add(KeyID(key.SecretSha256), core.OwnerOf(key.AccountID, key.Test))
	}
	return keys, nil
}

// remembered is what was last read about drills.
type remembered[T any] struct {
	what    string     // for the log
	reading sync.Mutex // held by the call that reads
	failing bool       // the last read failed; the mutex guards it
	last    atomic.Pointer[reading[T]]
}

// reading is a read at an uptime. After a read that failed the value is that of the one before.
type reading[T any] struct {
	at    time.Duration
	value T
}

// outdate has the next call read anew. What is known stays, for the case that the database does not answer.
func (r *remembered[T]) outdate() {
	if last := r.last.Load(); last != nil {
		r.last.Store(&reading[T]{at: -quietAge, value: last.value})
	}
}

// read returns what was read at most age ago. One call at a time reads. The read goes on if its caller leaves, because others wait
// for it. That reads fail is logged when it begins and when it ends, since there are many a second.
func read[T any](ctx context.Context, c core.Config, r *remembered[T], age time.Duration, from func(context.Context) (T, error)) T {
	if last := r.last.Load(); last != nil && c.Uptime()-last.at < age {
		return last.value
	}
	r.reading.Lock()
	defer r.reading.Unlock()
	before := r.last.Load()
	if before != nil && c.Uptime()-before.at < age { // another call has read it meanwhile
		return before.value
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	fresh := &reading[T]{at: c.Uptime()}
	var err error
	if fresh.value, err = from(ctx); err != nil {
		fresh.at = c.Uptime()
		var none T
		if fresh.value = none; before != nil {
			fresh.value = before.value
		}
	}
	switch failing := err != nil; {
	case failing && !r.failing:
		c.Logger.Error("drills of the deprecated interface cannot be read: those of the last read count", "what", r.what, "error", err)
	case !failing && r.failing:
		c.Logger.Info("drills of the deprecated interface can be read again", "what", r.what)
	}
	r.failing = err != nil
	r.last.Store(fresh)
	return fresh.value
}
