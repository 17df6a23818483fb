package sunset

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"sellerd/ent"
	"sellerd/ent/apikey"
	"sellerd/ent/legacykey"
	"sellerd/ent/predicate"
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

type shownRow struct {
	key  Shown
	day  int64
	call string
}

// CountShown counts a call with a key that may not exist. What turns out to have no valid key is not counted.
func (u *Usage) CountShown(key Shown, c UsedCall) {
	now := u.now()
	u.shown.add(shownRow{key, dayOf(now), c.Call}, c.at(now))
}

// lookUpChunk is how many keys one statement looks up.
const lookUpChunk = 100

// recognise moves what was counted by a key to the owner of the key. It also returns the calls for which there was no room.
func (u *Usage) recognise(ctx context.Context) (over int64, err error) {
	counts, over := u.shown.take()
	if len(counts) == 0 {
		return over, nil
	}
	keys := map[Shown]int64{} // the owner, 0 for none
	for row := range counts {
		keys[row.key] = 0
	}
	for chunk := range slices.Chunk(slices.Collect(maps.Keys(keys)), lookUpChunk) {
		if err := u.lookUp(ctx, chunk, keys); err != nil {
			u.shown.putBack(counts)
			return over, fmt.Errorf("look up keys of legacy calls: %w", err)
		}
	}
	for row, count := range counts {
		if owner := keys[row.key]; owner != 0 {
			u.book.add(usageRow{owner, row.day, row.call, row.key.KeyID}, *count)
		}
	}
	return over, nil
}

// lookUp finds the owners of keys that are valid.
func (u *Usage) lookUp(ctx context.Context, shown []Shown, owners map[Shown]int64) error {
	var ids []string
	var hashes [][]byte
	var imported []predicate.LegacyKey
	for _, key := range shown {
		switch {
		case !IsKeyID(key.KeyID):
			ids = append(ids, key.KeyID)
		case key.bySession():
			imported = append(imported, keyWithID(key.KeyID))
		default:
			hashes = append(hashes, key.Hash[:])
		}
	}
	reader := u.config.Store.Reader()
	found := func(id string, hash []byte, owner int64) {
		for _, key := range shown {
			if key.KeyID == id && (key.bySession() || string(key.Hash[:]) == string(hash)) {
				owners[key] = owner
			}
		}
	}
	if len(ids) > 0 {
		all, err := reader.APIKey.Query().Where(apikey.IDIn(ids...), apikey.RevokedAtIsNil(),
			apikey.Or(apikey.ExpiresAtIsNil(), apikey.ExpiresAtGT(int64(u.now())))).All(ctx)
		if err != nil {
			return err
		}
		for _, row := range all {
			found(row.ID, row.SecretSha256, u.config.OwnerOf(row.AccountID, row.Test))
		}
	}
	if len(hashes) > 0 {
		imported = append(imported, legacykey.SecretSha256In(hashes...))
	}
	if len(imported) > 0 {
		all, err := u.importedKeys(ctx, reader, imported)
		if err != nil {
			return err
		}
		for _, row := range all {
			found(KeyID(row.SecretSha256), row.SecretSha256, u.config.OwnerOf(row.AccountID, row.Test))
		}
	}
	return nil
}

// importedKeys are those that one of some conditions matches, and that are valid.
func (u *Usage) importedKeys(ctx context.Context, reader *ent.Client, any []predicate.LegacyKey) ([]*ent.LegacyKey, error) {
	return reader.LegacyKey.Query().Where(legacykey.Or(any...), legacykey.RevokedAtIsNil()).All(ctx)
}
