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
	// Through is when the newest delivery that was forwarded came into being, or the subscription.
	Through time.Time `json:"through"`
	// Forwarded are the deliveries since lateness before Through that were forwarded, with when they came into being.
	Forwarded map[string]time.Time `json:"forwarded"`
}

// lateness is how much later than its younger sisters a delivery may appear in the log: changes that happen at the same
// time are not always committed in the order of their instants.
const lateness = 10 * time.Second

// since is from when on there may be deliveries that were not forwarded.
func (s *listenState) since() time.Time { return s.Through.Add(-lateness) }

// forwarded notes that a delivery was forwarded, and forgets those that cannot turn up again.
func (s *listenState) forwarded(d *loggedDelivery) {
	if s.Forwarded == nil {
		s.Forwarded = map[string]time.Time{}
	}
	s.Forwarded[d.ID] = d.ScheduledAt
	if !d.ScheduledAt.After(s.Through) {
		return
	}
	s.Through = d.ScheduledAt
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

// save writes the state, whole or not at all.
func (s *listenState) save(path string) error {
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
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(temporary.Name(), path)
}
