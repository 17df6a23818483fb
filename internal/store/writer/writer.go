// Package writer shares the only connection that writes to a SQLite file.
//
// SQLite has one writer at a time, and making a commit durable costs far more than the statements before it. So one
// goroutine owns the one writing connection. It lends its transaction to the waiting callers, one after another, each
// behind a savepoint. Work that fails is rolled back to its savepoint and does not affect the others. When no more
// callers are waiting, the goroutine commits, and only then do the callers get their results. So a busy service makes
// one commit instead of many, an idle service commits at once, and no timer is needed.
package writer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"entgo.io/ent/dialect"

	"sellerd/ent"
	"sellerd/internal/base/crash"
	"sellerd/internal/store/fault"
	"sellerd/internal/store/lending"
)

// MaxGroup is how many callers may share a commit. It bounds how long the first of them waits for the last.
const MaxGroup = 128

// Patient marks the context of a Write that is in no hurry: others go before it.
func Patient(ctx context.Context) context.Context { return context.WithValue(ctx, patientMark{}, true) }

// patientMark is the key of the mark.
type patientMark struct{}

func isPatient(ctx context.Context) bool { return ctx.Value(patientMark{}) != nil }

// maxPatient is how many patient callers may share a commit. It bounds how much there is to commit before a caller
// in a hurry is served.
const maxPatient = 4

// groupsBehind is the number of groups with both kinds of callers after which one more patient caller may share a commit.
const groupsBehind = 16

// Writer owns the only writing connection of SQLite. Callers wait in queue. The writer opens a transaction, lends it to one
// caller after the other until none waits, commits once, and only then answers them all. So callers share the cost of a
// durable commit, and none waits for a lock.
//
// Patient callers wait in a queue of their own. They have long work that is in no hurry, and it costs less if several of them
// share a commit. A caller in a hurry waits for one of them, not for all that share: once it is in a group, the group takes no
// more of them. Every second group takes one, whatever else waits, and up to maxPatient when that has lasted.
//
// Each caller runs its work on its own goroutine when its turn comes, so a panic unwinds the caller's stack, and the writer
// only sees work that did not return.
type Writer struct {
	conn *sql.Conn
	tx   *ent.Client

	queue   chan *turn
	patient chan *turn
	quit    chan struct{}
	stopped chan struct{}

	// group shares the transaction that is open now. patients is how many in it are patient, and shared for how many groups in a row
	// such callers have shared a commit with others.
	group    []*turn
	patients int
	shared   int
	// current is the turn that may use the connection now.
	current atomic.Pointer[turn]
	// lost is set by SQLite when it rolls back the whole transaction by itself, as it does when the disk is full.
	lost atomic.Bool

	lending.Counters
}

// turn is one caller's place in a group.
type turn struct {
	ctx  context.Context
	work lending.Work
	err  error

	// word comes from the writer: true starts the caller's turn, false says that err is final.
	word chan bool
	// ended tells the writer that work is over.
	ended chan struct{}
	// taken is set once: by the writer that starts the turn, or by the caller that leaves before.
	taken atomic.Bool
}

// New makes a writer without a connection yet.
func New() *Writer {
	w := &Writer{queue: make(chan *turn), patient: make(chan *turn), quit: make(chan struct{}), stopped: make(chan struct{})}
	w.tx = lending.Client(lentConn{w}, dialect.SQLite)
	return w
}

// Write waits for a turn, runs work in it and returns once the group's commit has succeeded or failed.
func (w *Writer) Write(ctx context.Context, work lending.Work) error {
	if w.Lends(ctx) {
		return lending.ErrNested
	}
	w.Waiting.Add(1)
	defer w.Waiting.Add(-1)
	t := &turn{work: work, word: make(chan bool, 1), ended: make(chan struct{}, 1)}
	t.ctx = context.WithValue(ctx, w, t)
	queue := w.queue
	if isPatient(ctx) {
		queue = w.patient
	}
	select {
	case queue <- t:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.quit:
		return fault.ErrClosed
	}
	calledUp, err := t.await()
	if err != nil && t.taken.CompareAndSwap(false, true) {
		return err
	}
	if err != nil { // its turn began at the same moment, and the writer waits for it
		calledUp = <-t.word
	}
	if !calledUp {
		return t.err
	}
	failed := t.run(w.tx)
	if _, err := t.await(); err != nil && failed != nil {
		return failed
	} else if err != nil {
		return fault.Unavailable(fmt.Errorf("store: the commit takes too long, and its outcome is unknown: %w", err))
	}
	return t.err
}

// await waits for the writer's word, as long as the caller has time. The writer may wait for a disk without end.
func (t *turn) await() (calledUp bool, err error) {
	select {
	case calledUp = <-t.word:
		return calledUp, nil
	case <-t.ctx.Done():
		return false, t.ctx.Err()
	}
}

// errUnfinished stands for the error of work that panicked or left its goroutine.
var errUnfinished = errors.New("store: the work did not return")

// run does the caller's work and always returns the connection. Its error says why the work is undone, if that is certain
// already.
func (t *turn) run(tx *ent.Client) (failed error) {
	t.err = errUnfinished
	defer func() {
		if failed = t.err; failed == nil {
			failed = t.ctx.Err()
		}
		t.ended <- struct{}{}
	}()
	t.err = t.work(t.ctx, tx)
	return nil
}

// Start has the writer serve groups over a connection of its own, whose rollback hook calls Lose, until Close.
func (w *Writer) Start(conn *sql.Conn) {
	w.conn = conn
	go w.loop()
}

// Lends says whether a context is that of work which has its turn.
func (w *Writer) Lends(ctx context.Context) bool { return ctx.Value(w) != nil }

// loop serves groups until Close.
func (w *Writer) loop() {
	defer close(w.stopped)
	for w.gather() {
		w.serve()
		switch {
		case w.patients == len(w.group):
			w.shared = 0
		case w.patients > 0:
			w.shared++
		}
		clear(w.group)
		w.group = w.group[:0]
	}
}

// gather begins a group with one caller, and returns false when there will be none. If some of both kinds wait, it is of the
// kind that the last group had none of.
func (w *Writer) gather() bool {
	first, second := w.queue, w.patient
	if w.patients == 0 {
		first, second = second, first
	}
	w.patients = 0
	if w.add(first) || w.add(second) {
		return true
	}
	select {
	case t := <-w.queue:
		w.group = append(w.group, t)
	case t := <-w.patient:
		w.group, w.patients = append(w.group, t), 1
	case <-w.quit:
		return false
	}
	return true
}

// add takes a caller into the group if one waits.
func (w *Writer) add(queue chan *turn) bool {
	select {
	case t := <-queue:
		w.group = append(w.group, t)
		if queue == w.patient {
			w.patients++
		}
		return true
	default:
		return false
	}
}

// serve runs a group in one transaction and answers all of it. All callers get an error of the transaction as a whole, also
// those whose own work failed: it may have failed on an uncommitted row of another caller.
func (w *Writer) serve() {
	err := w.transact()
	w.Writes.Add(uint64(len(w.group)))
	w.Count(len(w.group), err)
	for _, t := range w.group {
		if err != nil {
			t.err = err
		}
		t.word <- false
	}
}

// transact opens the transaction, lends it to each caller of the group and commits. Callers that arrive meanwhile join the
// group.
func (w *Writer) transact() error {
	w.lost.Store(false)
	if err := w.Exec("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin a group of writes: %w", err)
	}
	for i := 0; i < len(w.group); i++ {
		if err := w.lend(w.group[i]); err != nil {
			w.abandon()
			return err
		}
		w.fill(i + 1)
	}
	crash.At(crash.BeforeCommit)
	if err := w.Exec("COMMIT"); err != nil {
		w.abandon()
		return fmt.Errorf("commit a group of writes: %w", err)
	}
	crash.At(crash.AfterCommit)
	return nil
}

// fill takes all waiting callers into the group, up to MaxGroup, and does not wait for more. When all in it have had their
// turns, it may take another patient caller: if all are patient, or if patient callers have long shared their commits with
// others, and so may have fallen behind.
func (w *Writer) fill(served int) {
	for len(w.group) < MaxGroup && w.add(w.queue) {
	}
	if served < len(w.group) || w.patients == 0 {
		return
	}
	most := maxPatient
	if w.patients < served {
		most = min(most, 1+w.shared/groupsBehind)
	}
	if w.patients < most {
		w.add(w.patient)
	}
}

// lend gives the transaction to one caller behind a savepoint. An error ends the whole group.
func (w *Writer) lend(t *turn) error {
	if t.err = t.ctx.Err(); t.err != nil || !t.taken.CompareAndSwap(false, true) {
		return nil //nolint:nilerr // the turn holds its error
	}
	if err := w.Exec("SAVEPOINT turn"); err != nil {
		return fmt.Errorf("set a savepoint: %w", err)
	}
	w.current.Store(t)
	t.word <- true
	<-t.ended
	w.current.Store(nil)

	// The work of a caller that has gone must not be done.
	if t.err == nil {
		t.err = t.ctx.Err()
	}
	if w.lost.Load() {
		return fault.Unavailable(errors.Join(ErrLost, t.err))
	}
	if t.err != nil {
		if err := w.Exec("ROLLBACK TO turn"); err != nil {
			return fmt.Errorf("roll back to a savepoint: %w", err)
		}
	}
	if err := w.Exec("RELEASE turn"); err != nil {
		return fmt.Errorf("release a savepoint: %w", err)
	}
	return nil
}

// abandon leaves no transaction open. Its error does not matter: SQLite reports one when it has rolled back already.
func (w *Writer) abandon() { _ = w.Exec("ROLLBACK") }

// Exec runs a statement of the writer's own, without a deadline: the transaction must end in a known state. Others call it after Close.
func (w *Writer) Exec(statement string) error {
	_, err := w.conn.ExecContext(context.Background(), statement)
	return err
}

// Lose is SQLite's rollback hook. It is called for a ROLLBACK of the whole transaction, asked for or not.
func (w *Writer) Lose() { w.lost.Store(true) }

// Close lets the current group finish, returns an error to the waiting callers, and returns when the connection is idle.
func (w *Writer) Close() {
	close(w.quit)
	<-w.stopped
}

// ErrLost says that SQLite rolled back the transaction by itself. Without this check the statements that follow would
// each commit on their own.
var ErrLost = errors.New("store: the database has rolled back the transaction")

// mayRun says whether a statement with this context belongs to the turn that holds the transaction.
func (w *Writer) mayRun(ctx context.Context) error {
	t, _ := ctx.Value(w).(*turn)
	if t == nil || t != w.current.Load() {
		return errors.New("store: a statement outside of its Write: use the context and the client that Write lends, only while it runs")
	}
	if w.lost.Load() {
		return ErrLost
	}
	return ctx.Err()
}

// lentConn runs the statements of the turn that holds the transaction.
//
// The driver never sees the caller's context. An interrupted write would make SQLite roll back the whole transaction with
// the work of all callers. So a cancelled caller is stopped between two statements, which are short. It also saves the
// driver a goroutine for each statement.
type lentConn struct{ w *Writer }

// ExecContext implements entsql.ExecQuerier.
func (c lentConn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := c.w.mayRun(ctx); err != nil {
		return nil, err
	}
	return c.w.conn.ExecContext(context.Background(), query, args...)
}

// QueryContext implements entsql.ExecQuerier.
func (c lentConn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := c.w.mayRun(ctx); err != nil {
		return nil, err
	}
	return c.w.conn.QueryContext(context.Background(), query, args...)
}
