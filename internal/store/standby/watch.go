package standby

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sellerd/internal/base/pause"
	"sellerd/internal/store/fault"
)

// This file leaves a standby out that cannot be read from, and takes it back.

// A standby is left out at once if it fails, and after slowReads in a row if it is only too slow, since each of them has
// waited for catchUpLimit in vain. It is then inspected after shortestAbsence, and from then on at growing intervals. They
// start anew once the standby has been in use for steadyAfter.
const (
	slowReads       = 5
	shortestAbsence = time.Second
	longestAbsence  = 10 * time.Second
	steadyAfter     = time.Minute
)

// errOut is why a read goes to the primary while the standby is left out.
var errOut = errors.New("the standby is left out")

// Places and reasons of reads, in the order of Stats.Reads.
const (
	AtStandby = iota // answered by the standby
	LeftOut          // by the primary, while the standby was left out
	Late             // by the primary: the standby did not replay or answer in time
	Cancelled        // by the primary: the standby cancelled the statement to go on replaying
	Busy             // by the primary: all connections to the standby were in use
	Failed           // by the primary: the standby failed otherwise, or the primary did not say its position
	Places
)

// Stats are counts of reads that may go to a standby, since ReadFrom.
type Stats struct {
	// Reads are the reads by where and why they were answered: AtStandby and those that follow it.
	Reads [Places]uint64
	// InUse says whether reads go to the standby. It is false while the standby is left out.
	InUse bool
	// Behind is how many bytes of the log the standby had yet to replay when a read last looked.
	Behind uint64
}

// attendance says whether a standby is in use.
type attendance struct {
	out    atomic.Bool
	slow   atomic.Int32 // how many of the last reads were too slow
	behind atomic.Uint64
	reads  [Places]atomic.Uint64

	left   chan struct{} // has a token when the standby has been left out
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

// attend inspects the standby, and watches it until cancel is called.
func (s *standby) attend(ctx context.Context) {
	s.left = make(chan struct{}, 1)
	if err := s.inspect(ctx); err != nil {
		s.leaveOut(err)
	} else {
		s.log.Info("reads go to the standby")
	}
	watching, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.ended.Go(func() { s.watchOut(watching) })
}

// count notes how a read went, and leaves the standby out if it cannot serve the next one either.
func (s *standby) count(err error) {
	place := Failed
	switch {
	case err == nil:
		place = AtStandby
		if s.slow.Load() != 0 {
			s.slow.Store(0)
		}
	case errors.Is(err, errOut):
		place = LeftOut
	case errors.Is(err, errBusy):
		place = Busy
	case replaying(err):
		place = Cancelled
	case errors.Is(err, errLate), timedOut(err):
		place = Late
		if s.slow.Add(1) >= slowReads {
			s.leaveOut(err)
		}
	case lasting(err):
		s.leaveOut(err)
		s.pool.Reset()
	}
	s.reads[place].Add(1)
}

// timedOut says whether a read was given up because its time was over.
func timedOut(err error) bool {
	return !errors.Is(err, errPosition) && (errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err))
}

// lasting says whether a failure means that the next read would fail, too. An error of one statement does not, nor does a
// primary that did not say its position.
func lasting(err error) bool {
	var e *pgconn.PgError
	if errors.Is(err, errPosition) {
		return false
	}
	return !errors.As(err, &e) || fault.UnavailableCode(e.Code)
}

// leaveOut leaves the standby out. Its connections are kept, unless they lead to a server that cannot be used: to make them
// anew would take a busy standby longer than a read waits.
func (s *standby) leaveOut(err error) {
	if s.out.Swap(true) {
		return
	}
	s.log.Warn("reads go to the primary, because the standby cannot be read from", "error", err)
	s.left <- struct{}{} // has room: watchOut has taken the token before it takes the standby back
}

// watchOut takes the standby back when it can be used again.
func (s *standby) watchOut(ctx context.Context) {
	absence, back := shortestAbsence, time.Time{}
	for {
		select {
		case <-s.left:
		case <-ctx.Done():
			return
		}
		if time.Since(back) > steadyAfter {
			absence = shortestAbsence
		}
		for {
			if pause.For(ctx, absence) != nil {
				return
			}
			absence = min(2*absence, longestAbsence)
			err := s.inspect(ctx)
			if err == nil {
				break
			}
			if !timedOut(err) && lasting(err) {
				s.pool.Reset() // the URL may name another server, which can be used
			}
			s.log.Debug("the standby cannot be read from yet", "error", err)
		}
		back = time.Now()
		s.slow.Store(0)
		s.out.Store(false)
		s.log.Info("reads go to the standby again")
	}
}

func (s *standby) stats() Stats {
	now := Stats{InUse: !s.out.Load(), Behind: s.behind.Load()}
	for i := range now.Reads {
		now.Reads[i] = s.reads[i].Load()
	}
	return now
}
