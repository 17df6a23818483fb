package sunset

import (
	"context"
	"slices"

	"sellerd/ent/apikey"
	"sellerd/ent/legacykey"
	"sellerd/v1/core"
)

// This file says which keys a drill concerns. Every call of /rest asks while one is running, also those that no drill concerns. So the
// ids of the keys that take part are remembered, of which there are few, and no call costs a statement to find out that its key
// does not. Made-up keys cost none either.

// Concern says whether one of some running drills is for the key with an id, of an owner that a program need not know. The key
// may still be wrong: only its id is compared.
func (d *Drills) Concern(ctx context.Context, running Running, keyID string) bool {
	all := false // a drill is for all keys of an owner
	for _, drill := range running {
		switch {
		case drill.Owner == Everybody, drill.KeyID != nil && *drill.KeyID == keyID:
			return true
		case drill.KeyID == nil:
			all = true
		}
	}
	if !all {
		return false
	}
	owner, known := read(ctx, d.config, &d.keys, keysAge, d.readKeys)[keyID]
	return known && running.Of(owner, keyID)
}

// readKeys reads the keys of all owners with a drill for all their keys that is running or about to begin.
func (d *Drills) readKeys(ctx context.Context) (map[string]int64, error) {
	owners, accounts := map[int64]bool{}, []int64(nil)
	for _, drill := range read(ctx, d.config, &d.soon, runningAge, d.readSoon) {
		if drill.KeyID == nil && drill.Owner != Everybody {
			owners[drill.Owner], accounts = true, append(accounts, core.Owner(drill.Owner).Account())
		}
	}
	if len(accounts) == 0 {
		return nil, nil
	}
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	client := d.config.Store.Reader()
	all, err := client.APIKey.Query().Where(apikey.AccountIDIn(accounts...), apikey.RevokedAtIsNil()).All(ctx)
	if err != nil {
		return nil, err
	}
	imported, err := client.LegacyKey.Query().Where(legacykey.AccountIDIn(accounts...), legacykey.RevokedAtIsNil()).All(ctx)
	if err != nil {
		return nil, err
	}
	keys := map[string]int64{}
	add := func(id string, owner core.Owner) {
		if owners[int64(owner)] {
			keys[id] = int64(owner)
		}
	}
	for _, key := range all {
		add(key.ID, core.OwnerOf(key.AccountID, key.Test))
	}
	for _, key := range imported {
		add(KeyID(key.SecretSha256), core.OwnerOf(key.AccountID, key.Test))
	}
	return keys, nil
}
