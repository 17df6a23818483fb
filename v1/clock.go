package v1

import (
	"errors"
	"time"
)

// This file compares the service's clock, which can be set, with the time that the process has run.

// clockTolerance is how far the clock may have moved against the process's uptime before nothing is deleted any more: a
// wrong clock must not cost data.
const clockTolerance = 24 * time.Hour

// errClockMoved keeps everything until the clock is right or the process starts again.
var errClockMoved = errors.New("the clock moved by more than a day while the process ran: nothing is deleted until it is set right or the process starts anew")

// now is the current time.
func (s *Service) now() Time { return TimeOf(s.config.Clock.Now()) }

// trustClock fails when the clock moved while the process ran.
func (s *Service) trustClock() error {
	moved := s.now().Sub(s.started) - s.config.Uptime()
	if moved > clockTolerance || moved < -clockTolerance {
		return errClockMoved
	}
	return nil
}
