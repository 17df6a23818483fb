package v1

import (
	"context"
	"crypto/cipher"
	"time"

	"sellerd/ent"
	"sellerd/v1/sunset"
)

// Rest is what only the deprecated interface needs.
type Rest struct {
	*Market

	accounts *Accounts
	hooks    *Webhooks

	calls  map[string]LegacySuccessor
	tokens cipher.AEAD // of the sessions of /rest
	usage  *sunset.Usage
	drills *sunset.Drills
}

// newRest makes the room. calls are the operations that follow the calls of /rest, by the calls' ids.
func newRest(accounts *Accounts, hooks *Webhooks, calls map[string]LegacySuccessor) (*Rest, error) {
	s := &Rest{Market: accounts.Market, accounts: accounts, hooks: hooks, calls: calls}
	s.usage, s.drills = s.newUsage(), s.newDrills()
	if s.config.Secret != nil {
		var err error
		if s.tokens, err = s.secret.Cipher("sellerd legacy session tokens v1"); err != nil {
			return nil, err
		}
	}
	hooks.Listed = s.numberSettings
	s.enter(s, Room{
		Loops:   []Loop{{"legacy usage", s.usage.Keep, 5 * time.Second, nil}},
		Changed: keepPositions, Answered: s.countRequest, Keys: legacyKeys{},
	})
	return s, nil
}

// sunsetChange is a change with the steps of this room.
type sunsetChange struct {
	*Change
	s *Rest
}

// in is a change in this room.
func (s *Rest) in(tx *Change) sunsetChange { return sunsetChange{tx, s} }

// sunsetDo runs fn in a transaction on the caller's data, see doAs.
func sunsetDo[O any](ctx context.Context, s *Rest, c *Call, units int, fn func(ctx context.Context, tx sunsetChange) (*O, error)) (*O, error) {
	return doAs(ctx, s.Core, c, entry{}, units, func(ctx context.Context, tx *Change) (*O, error) { return fn(ctx, s.in(tx)) })
}

// legacyKeys are the keys of the old interface among the others.
type legacyKeys struct{}

// Owns implements KeySource.
func (legacyKeys) Owns(id string) bool { return sunset.IsKeyID(id) }

// Find implements KeySource.
func (legacyKeys) Find(ctx context.Context, client *ent.Client, id string) (KeyInfo, error) {
	row, err := sunset.FindKey(ctx, client, id)
	if err != nil {
		return KeyInfo{}, err
	}
	return legacyKeyInfo(row), nil
}

// Revoke implements KeySource.
func (legacyKeys) Revoke(ctx context.Context, tx *ent.Client, id string, now Time) error {
	return sunset.RevokeKey(ctx, tx, id, now)
}

// Touch implements KeySource.
func (legacyKeys) Touch(ctx context.Context, tx *ent.Client, id string, at Time) error {
	return sunset.TouchKey(ctx, tx, id, at)
}
