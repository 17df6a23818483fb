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

// listenState is the stored state of a listener. The file holds a secret, so only its owner can read it.
type listenState struct {
	Webhook string `json:"webhook_id"`
	Secret  string `json:"secret"`
	// Through is the creation time, by the service's clock, of the newest forwarded delivery, or that of the subscription.
	Through time.Time `json:"through"`
	// Forwarded are the forwarded deliveries since lateness before Through, with their creation times.
	Forwarded map[string]time.Time `json:"forwarded"`
}

// lateness is how much later than a younger delivery an older one may appear in the log: simultaneous changes are not
// always committed in the order of their times.
const lateness = 10 * time.Second

// since is the earliest creation time of deliveries that may not have been forwarded.
func (s *listenState) since() time.Time { return s.Through.Add(-lateness) }

// forwarded records that a delivery was forwarded when the service's clock showed now, and drops those that cannot appear
// again. If that clock was set back, an earlier delivery may lie in the future; it must not hide later ones.
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

// loadListenState reads the state of an earlier listener; without a file it is the zero state.
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

// setBack moves Through back to the earliest time that the service's clock may have shown since the last poll. Events after
// that time are forwarded again, unless they are young enough to be in Forwarded.
func (s *listenState) setBack(earliest time.Time) (changed bool) {
	if !earliest.Before(s.Through.Add(-lateness / 2)) { // the window is wide enough for both
		return false
	}
	s.Through = earliest
	return true
}

// save writes the state atomically, even if the machine loses power.
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
