package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// listenState is what a listener remembers from one start to the next. The file holds a secret, so it is its owner's alone.
type listenState struct {
	Webhook string `json:"webhook_id"`
	Secret  string `json:"secret"`
	// Through is how far the log was forwarded, by the service's clock: when the newest delivery that was forwarded came into
	// being, or the subscription.
	Through time.Time `json:"through"`
	// Forwarded are the deliveries since lateness before Through that were forwarded, with when they came into being.
	Forwarded map[string]time.Time `json:"forwarded"`
}

// lateness is how much later than its younger sisters a delivery may appear in the log: changes that happen at the same
// time are not always committed in the order of their instants.
const lateness = 10 * time.Second

// since is from when on there may be deliveries that were not forwarded.
func (s *listenState) since() time.Time { return s.Through.Add(-lateness) }

// forwarded notes that a delivery was forwarded while the service's clock showed now, and forgets those that cannot turn up
// again. A delivery from before that clock was set back may lie in the future; it hides none of those that follow it.
func (s *listenState) forwarded(d *loggedDelivery, now time.Time) {
	if s.Forwarded == nil {
		s.Forwarded = map[string]time.Time{}
	}
	s.Forwarded[d.ID] = d.ScheduledAt
	through := d.ScheduledAt
	if through.After(now) {
		through = now
	}
	if !through.After(s.Through) {
		return
	}
	s.Through = through
	for id, at := range s.Forwarded {
		if at.Before(s.since()) {
			delete(s.Forwarded, id)
		}
	}
}

// loadListenState reads what an earlier listener remembered; nothing is the zero state.
func loadListenState(path string) (listenState, error) {
	var state listenState
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(text, &state); err != nil {
		return state, fmt.Errorf("%s does not hold a listener's state, delete it: %w", path, err)
	}
	return state, nil
}

// setBack goes back to where the service's clock may have been since the last look. Events between there and where the log
// was forwarded to are forwarded again, unless they are so young that they are remembered.
func (s *listenState) setBack(earliest time.Time) (changed bool) {
	if !earliest.Before(s.Through.Add(-lateness / 2)) { // the window is wide enough for both
		return false
	}
	s.Through = earliest
	return true
}

// save writes the state, whole or not at all, also when the machine loses its power.
func (s *listenState) save(path string) (err error) {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // made 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary.Name()))
		}
	}()
	_, err = temporary.Write(text)
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(temporary.Name(), path)
}
