package scan

import (
	"errors"
	"sync/atomic"
)

// This file bounds the work on a file. A file may be made so that it takes long to understand, and no list of such files is whole.

// budget is how many steps a phase of the work on a file may still take. A step is about one byte, token or statement that is looked
// at. The steps of a phase grow with the size of the file, so a scan takes a time that grows with the size of its files, whatever
// is in them.
type budget struct {
	left    int
	phase   int          // the steps of a whole phase
	stop    *atomic.Bool // the scan was cancelled
	usedUp  bool
	failure bool // a mistake of the scanner ended a phase
}

// The steps of a phase: for each byte of the file, and for any file. Very few programs that people wrote need more.
const (
	stepsPerByte = 300
	stepsPerFile = 150_000_000
)

func newBudget(size int, stop *atomic.Bool) *budget {
	b := &budget{phase: stepsPerFile + stepsPerByte*size, stop: stop}
	b.left = b.phase
	return b
}

// errUsedUp ends a phase.
var errUsedUp = errors.New("the steps of the file are used up")

// spend takes some steps. When there are none left, it ends the phase by a panic, which within catches: the algorithms that it ends
// are recursive, and have nothing to clean up.
func (b *budget) spend(steps int) {
	if b == nil {
		return
	}
	if b.left -= steps; b.left < 0 || b.stop != nil && b.stop.Load() {
		panic(errUsedUp)
	}
}

// within does a phase of the work with new steps. What the work had found when they were used up stays.
func (b *budget) within(work func()) {
	b.left = b.phase
	defer func() {
		if e := recover(); e == errUsedUp { //nolint:errorlint // it is the value itself
			b.usedUp = true
		} else if e != nil {
			panic(e)
		}
	}()
	work()
}

// whole says whether all of the file was understood.
func (b *budget) whole() bool { return b == nil || !b.usedUp && !b.failure }
