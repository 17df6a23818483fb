package core

import (
	"context"
	"reflect"
	"time"

	"sellerd/ent"
	"sellerd/v1/wire"
)

// This file is what a room hands to the service that is made of all rooms.

// Host is a service that is made of rooms: any value that embeds a Core.
type Host interface{ foundation() *Core }

func (s *Core) foundation() *Core { return s }

// Room is the part of a subject in what all subjects do. Everything is optional.
type Room struct {
	// Loops are background steps, and Engines background work with loops of its own, which ends with its context.
	Loops   []Loop
	Engines []func(context.Context)
	// Resume makes due at once what an earlier process had leased, and Release gives back what this one has leased.
	Resume  func(ctx context.Context, tx *ent.Client, now wire.Time) error
	Release func(context.Context) error

	// Changed is called in every transaction with its changes, which are of different owners, once their rules have run.
	Changed func(ctx context.Context, client *ent.Client, changes []*Change) error
	// Answered is called after every request to the table of operations.
	Answered func(o *Operation, c *Call)
	// Keys are keys that do not belong to /v1.
	Keys KeySource
	// Writes says whether the body of an event can be written in a webhook's format. The room of the webhooks has it.
	Writes func(format, event, body string) bool
}

// Loop is a step that runs again at once while it finds work, else after a time or when it is woken.
type Loop struct {
	Name  string // for the log
	Step  func(context.Context) (int, error)
	Every time.Duration
	Woken chan struct{} // wakes the loop before its time; nil if nothing does
}

// KeySource has keys of another kind. All methods are about public ids of keys.
type KeySource interface {
	// Owns says whether a key with this id belongs to the source.
	Owns(id string) bool
	// Prefix is what is shown of every key of the source.
	Prefix() string
	// Find returns an error that ent.IsNotFound knows if there is no such key.
	Find(ctx context.Context, client *ent.Client, id string) (KeyInfo, error)
	// Revoke ends a key. Revoking it again changes nothing.
	Revoke(ctx context.Context, tx *ent.Client, id string, now wire.Time) error
	// Touch stores when a key was last used.
	Touch(ctx context.Context, tx *ent.Client, id string, at wire.Time) error
}

// Register makes a room part of the service, before it serves. of is the value whose methods the operations of the room are: NewOp finds
// it by its type.
func (s *Core) Register(of any, r Room) {
	s.rooms = append(s.rooms, r)
	s.types[reflect.TypeOf(of)] = of
}

// writes says whether the body of an event can be written in a webhook's format.
func (s *Core) writes(format, event, body string) bool {
	for i := range s.rooms {
		if write := s.rooms[i].Writes; write != nil {
			return write(format, event, body)
		}
	}
	return false
}

// KeySource is the source that a key with an id belongs to; nil for the keys of /v1.
func (s *Core) KeySource(id string) KeySource {
	for i := range s.rooms {
		if keys := s.rooms[i].Keys; keys != nil && keys.Owns(id) {
			return keys
		}
	}
	return nil
}

// Worker names a background loop that can be woken before its tick.
type Worker int

// The workers that changes wake.
const (
	PublisherWorker Worker = iota
	ImagesWorker
	CloserWorker
	SandboxWorker
	DelivererWorker
)

// WakesBy says how a worker is woken. The function must not block. It is for rooms, before the service serves.
func (s *Core) WakesBy(w Worker, wake func()) { s.wakes[w] = wake }

// SignalFor makes a channel that wakes a worker.
func (s *Core) SignalFor(w Worker) chan struct{} {
	woken := make(chan struct{}, 1)
	s.WakesBy(w, func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	return woken
}

// Wake wakes a worker because there is work; it never blocks.
func (s *Core) Wake(w Worker) {
	if wake := s.wakes[w]; wake != nil {
		wake()
	}
}
