package copying

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"

	"golang.org/x/sync/errgroup"

	"sellerd/internal/base/crash"
	"sellerd/internal/store"
)

// Options say what to copy.
type Options struct {
	// From and To are the URLs of the databases, as store.Config has them. Mandatory.
	From, To string
	// Logger logs what the store has to say, such as applied migrations. Nil logs nothing.
	Logger *slog.Logger
	// Begin is called when a phase of so many rows begins, and Add for rows of it that are done, never at the same time. Nil
	// shows no progress.
	Begin func(phase string, rows int64)
	Add   func(rows int64)
	// Notice is called for what the caller should know before rows are copied. Nil drops it.
	Notice func(text string)

	step int // the most rows of a step, if not stepRows
}

// Report says what was copied or compared.
type Report struct {
	From, To string // the databases, without users and passwords
	Tables   []Copied
	Rows     int64
	// Before is how many of the rows earlier runs had copied.
	Before int64
	// Served says whether a server was running on the source, or may have been, when a copy began or ended. Then the databases are
	// equal as of the beginning of this run.
	Served store.Service
}

// Copied is one table, whose rows are the same in both databases.
type Copied struct {
	Name   string
	Rows   int64
	Digest string // hexadecimal, the same for the same rows in any database
}

// Steps end at so many rows or bytes, whatever comes first. Memory holds four steps.
const (
	stepRows  = 10_000
	stepBytes = 8 << 20
)

// copier is a copy that runs.
type copier struct {
	Options
	source, target *store.Bulk
	from, to       database
	served         store.Service    // whether a server was seen on the source
	read           []*table         // as the source has them
	filled         []*table         // the same ones, as the target has them
	marks          map[string]mark  // as earlier runs left them
	stored         map[string]mark  // as the target has them now
	counts         map[string]int64 // rows of the source
}

// Copy copies a database, or goes on with an unfinished copy, and compares the two at the end. The target has no rows in the
// beginning, and is made if it does not exist. It can be opened only when everything is there.
//
// The errors are SideErrors with a store.OpenError or another error of one database, and those of this package. After an
// error of the network or a disk, or the end of ctx, another call goes on.
func Copy(ctx context.Context, o Options) (_ Report, err error) {
	c := &copier{Options: o.complete()}
	if err := c.openSource(ctx); err != nil {
		return Report{}, err
	}
	defer func() { c.from.rollback(); err = errors.Join(err, ofSource(c.source.Close())) }()
	if c.source.SameFile(o.To) {
		return Report{}, ErrSame
	}
	if err := c.openTarget(ctx); err != nil {
		return Report{}, err
	}
	defer func() { c.to.rollback(); err = errors.Join(err, ofTarget(c.target.Close())) }()
	if err := c.prepare(ctx); err != nil {
		return Report{}, err
	}
	before, err := c.resume(ctx)
	if err != nil {
		return Report{}, err
	}
	if err := c.copyRows(ctx, before); err != nil {
		return Report{}, err
	}
	report, err := c.finish(ctx)
	if err == nil {
		err = c.lookForServer(ctx)
	}
	report.Before, report.Served = before, c.served
	return report, err
}

// complete replaces what is nil.
func (o Options) complete() Options {
	if o.step == 0 {
		o.step = stepRows
	}
	if o.Begin == nil {
		o.Begin = func(string, int64) {}
	}
	add, mu := o.Add, &sync.Mutex{}
	o.Add = func(rows int64) { // both databases are read at the same time
		if add != nil {
			mu.Lock()
			defer mu.Unlock()
			add(rows)
		}
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	return o
}

func (c *copier) openSource(ctx context.Context) (err error) {
	if c.source, err = store.OpenBulkReader(ctx, store.Config{URL: c.From, Logger: c.Logger}); err != nil {
		return ofSource(err)
	}
	c.from = over(c.source)
	return nil
}

func (c *copier) openTarget(ctx context.Context) (err error) {
	if c.target, err = store.OpenBulkWriter(ctx, store.Config{URL: c.To, Logger: c.Logger}); err != nil {
		return ofTarget(err)
	}
	c.to = over(c.target)
	return nil
}

// prepare looks at both databases, and begins to read the source.
func (c *copier) prepare(ctx context.Context) error {
	same, err := c.sameServer(ctx)
	if err != nil {
		return ofTarget(err)
	}
	if same {
		return ErrSame
	}
	served, err := c.target.Served(ctx)
	if err != nil {
		return ofTarget(err)
	}
	if served != store.NotServed {
		return ErrServed
	}
	if err := c.lookForServer(ctx); err != nil {
		return err
	}
	switch c.served {
	case store.Served:
		c.Notice("a server is running on the source: what it changes from now on is not in the copy")
	case store.MaybeServed:
		c.Notice("a server may be running on the source, whose lock file belongs to another user: what a server changes from now on is not in the copy. " +
			"Run the command as the user of the server to find out")
	}
	defer c.to.rollback()
	return c.lookAtBoth(ctx)
}

// lookForServer notes whether a server uses the source now.
func (c *copier) lookForServer(ctx context.Context) error {
	served, err := c.source.Served(ctx)
	c.served = max(c.served, served)
	return ofSource(err)
}

// step is what one transaction of the target stores.
type step struct {
	table *table // as the target has it
	rows  [][]any
	mark  mark // after it, without what is stored now
}

// copyRows copies what is left. One goroutine reads the next step while another stores the one before.
func (c *copier) copyRows(ctx context.Context, before int64) error {
	c.Begin("copying", max(total(c.counts)-before, 0))
	c.stored = maps.Clone(c.marks)
	steps := make(chan step, 1)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(steps)
		for i, t := range c.read {
			if err := c.readSteps(ctx, t, c.filled[i], steps); err != nil {
				return ofSource(fmt.Errorf("read %s: %w", t.name, err))
			}
		}
		return nil
	})
	group.Go(func() error {
		for s := range steps {
			if err := c.store(ctx, s); err != nil {
				return ofTarget(fmt.Errorf("store rows of %s: %w", s.table.name, err))
			}
			c.Add(int64(len(s.rows)))
		}
		return nil
	})
	return group.Wait()
}

// errEnough ends a step.
var errEnough = errors.New("the step is large enough")

// readSteps reads a table behind its mark.
func (c *copier) readSteps(ctx context.Context, t, filled *table, steps chan<- step) error {
	m := c.marks[filled.name]
	limit := c.step
	var encoded []byte
	for {
		s, size := step{table: filled}, 0
		err := c.from.read(ctx, t, part{after: m.key, limit: limit, sorted: true}, func(row []any) error {
			encoded = encode(encoded[:0], row)
			m.sum.add(encoded)
			m.key = t.keyOf(row)
			s.rows = append(s.rows, row)
			if size += len(encoded); size >= stepBytes {
				return errEnough
			}
			return nil
		})
		enough := errors.Is(err, errEnough)
		if err != nil && !enough {
			return err
		}
		if len(s.rows) == 0 {
			return nil
		}
		s.mark = m
		select {
		case steps <- s:
		case <-ctx.Done():
			return ctx.Err()
		}
		if !enough && len(s.rows) < limit {
			return nil
		}
		limit = min(c.step, max(100, len(s.rows)*stepBytes/max(size, 1))) // of rows as large as these
	}
}

// store stores a step with its mark.
func (c *copier) store(ctx context.Context, s step) error {
	if err := c.to.begin(ctx); err != nil {
		return err
	}
	defer c.to.rollback()
	if err := c.to.insert(ctx, s.table, s.rows); err != nil {
		return err
	}
	s.mark.kept = c.stored[s.table.name].kept
	next, err := s.mark.set(ctx, c.to, s.table)
	if err != nil {
		return err
	}
	crash.At(crash.MidCopy)
	if err := c.to.commit(ctx, false); err != nil {
		return err
	}
	c.stored[s.table.name] = next
	crash.At(crash.AfterCopyStep)
	return nil
}
