package sunset

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"sellerd/ent"
	"sellerd/ent/apikey"
	"sellerd/ent/legacykey"
	"sellerd/ent/legacyusage"
	"sellerd/ent/predicate"
	"sellerd/v1/core"
)

// This file counts calls that were answered without a look at their key, as all are after the end. The keys of all such calls
// are looked up together when the counts are stored, so such a call costs no statement.

// Shown is the key that a request showed.
type Shown struct {
	KeyID string
	// Hash is the stored hash of the key, as the request has it. It is zero if a session that the service sealed says the id.
	Hash [sha256.Size]byte
}

// bySession says whether the id was sealed by the service.
func (k Shown) bySession() bool { return k.Hash == [sha256.Size]byte{} }

// shownWith is a key as a request shows it whose stored hash is this one.
func shownWith(id string, hash []byte) Shown {
	key := Shown{KeyID: id}
	copy(key.Hash[:], hash)
	return key
}

type shownRow struct {
	key  Shown
	day  int64
	call string
}

// validKeys remembers keys that were valid when they were last looked up, so that calls with keys that do not exist cannot take
// the room of theirs. A new process learns the keys of stored calls first.
type validKeys struct {
	mu      sync.Mutex
	keys    map[Shown]struct{}
	learned atomic.Bool // those of stored calls
}

// maxValid is how many keys are remembered.
const maxValid = 10_000

func (v *validKeys) has(key Shown) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, ok := v.keys[key]
	return ok
}

// learn takes the owners of keys that were looked up, 0 for those of keys that are not valid. If there is no room, any other key is
// forgotten.
func (v *validKeys) learn(owners map[Shown]int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key, owner := range owners {
		if owner == 0 {
			delete(v.keys, key)
			continue
		}
		if _, known := v.keys[key]; known {
			continue
		}
		for other := range v.keys {
			if len(v.keys) < maxValid {
				break
			}
			delete(v.keys, other)
		}
		if v.keys == nil {
			v.keys = map[Shown]struct{}{}
		}
		v.keys[key] = struct{}{}
	}
}

// CountShown counts a call with a key that may not exist. What turns out to have no valid key is not counted.
func (u *Usage) CountShown(key Shown, c LegacyCall) {
	book := &u.strange
	if key.bySession() || u.valid.has(key) {
		book = &u.seen
	}
	now := u.now()
	book.add(shownRow{key, dayOf(now), c.Call}, c.at(now))
}

// recognise moves what was counted by a key to the owner of the key. It also returns the calls of known keys for which there
// was no room.
func (u *Usage) recognise(ctx context.Context) (over int64, err error) {
	seen, over := u.seen.take()
	strange, strangeOver := u.strange.take()
	u.strangeLost.note(strangeOver)
	owners := map[Shown]int64{} // 0 for none
	for _, counts := range []map[shownRow]*usageCount{seen, strange} {
		for row := range counts {
			owners[row.key] = 0
		}
	}
	if len(owners) == 0 {
		return over, nil
	}
	for chunk := range slices.Chunk(slices.Collect(maps.Keys(owners)), lookUpChunk) {
		found := func(valid Shown, owner int64) {
			for _, key := range chunk {
				if key.KeyID == valid.KeyID && (key.bySession() || key.Hash == valid.Hash) {
					owners[key] = owner
				}
			}
		}
		if err := u.lookUp(ctx, chunk, found); err != nil {
			u.seen.putBack(seen)
			u.strange.putBack(strange)
			return over, fmt.Errorf("look up keys of legacy calls: %w", err)
		}
	}
	u.valid.learn(owners)
	for _, counts := range []map[shownRow]*usageCount{seen, strange} {
		for row, count := range counts {
			if owner := owners[row.key]; owner != 0 {
				u.book.add(usageRow{owner, row.day, row.call, row.key.KeyID}, *count)
			}
		}
	}
	return over, nil
}

// lookUpChunk is how many keys are looked up at once.
const lookUpChunk = 100

// padded fills a list that is not empty up to one of a few lengths, by repeating its first value: databases keep a prepared
// statement for each length.
func padded[T any](list []T) []T {
	for _, length := range []int{1, 8, 32, lookUpChunk} {
		if len(list) <= length {
			return append(list, slices.Repeat(list[:1], length-len(list))...)
		}
	}
	return list
}

// learnStored learns, once, the keys of the calls that were stored last.
func (u *Usage) learnStored(ctx context.Context) error {
	if u.valid.learned.Load() {
		return nil
	}
	var ids []string
	err := u.config.Store.Reader().LegacyUsage.Query().Order(ent.Desc(legacyusage.FieldID)).Limit(maxValid).Select(legacyusage.FieldKeyID).
		Scan(ctx, &ids)
	if err != nil {
		return fmt.Errorf("read the keys of stored legacy calls: %w", err)
	}
	slices.Sort(ids)
	owners := map[Shown]int64{}
	for chunk := range slices.Chunk(slices.Compact(ids), lookUpChunk) {
		shown := make([]Shown, len(chunk))
		for i, id := range chunk {
			shown[i].KeyID = id
		}
		if err := u.lookUp(ctx, shown, func(valid Shown, owner int64) { owners[valid] = owner }); err != nil {
			return fmt.Errorf("look up the keys of stored legacy calls: %w", err)
		}
	}
	u.valid.learn(owners)
	u.valid.learned.Store(true)
	return nil
}

// lookUp finds those of at most lookUpChunk keys that are valid, and their owners. It finds keys by their ids, so the caller compares hashes.
func (u *Usage) lookUp(ctx context.Context, shown []Shown, found func(valid Shown, owner int64)) error {
	var ids []string
	var imported []predicate.LegacyKey
	for _, key := range shown {
		if IsKeyID(key.KeyID) {
			imported = append(imported, keyWithID(key.KeyID))
		} else {
			ids = append(ids, key.KeyID)
		}
	}
	reader := u.config.Store.Reader()
	if len(ids) > 0 {
		all, err := reader.APIKey.Query().Where(apikey.IDIn(padded(ids)...), apikey.RevokedAtIsNil(),
			apikey.Or(apikey.ExpiresAtIsNil(), apikey.ExpiresAtGT(int64(u.now())))).All(ctx)
		if err != nil {
			return err
		}
		for _, row := range all {
			found(shownWith(row.ID, row.SecretSha256), int64(core.OwnerOf(row.AccountID, row.Test)))
		}
	}
	if len(imported) > 0 {
		all, err := reader.LegacyKey.Query().Where(legacykey.Or(padded(imported)...), legacykey.RevokedAtIsNil()).All(ctx)
		if err != nil {
			return err
		}
		for _, row := range all {
			found(shownWith(KeyID(row.SecretSha256), row.SecretSha256), int64(core.OwnerOf(row.AccountID, row.Test)))
		}
	}
	return nil
}
