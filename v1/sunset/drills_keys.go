package sunset

import (
	"context"
	"database/sql"
	"slices"

	"sellerd/ent/apikey"
	"sellerd/ent/legacykey"
	"sellerd/v1/core"
	"sellerd/v1/rows"
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

// drillKeys and drillImportedKeys read the keys of accounts in a mode that are not revoked.
var (
	drillKeys = rows.NewSet(`SELECT k.`+apikey.FieldID+`, k.`+apikey.FieldAccountID+`, k.`+apikey.FieldTest+` FROM given JOIN `+apikey.Table+` k
 ON k.`+apikey.FieldAccountID+` = given.account AND k.`+apikey.FieldTest+` = given.test WHERE k.`+apikey.FieldRevokedAt+` IS NULL`,
		"account bigint", "test boolean")
	drillImportedKeys = rows.NewSet(`SELECT k.`+legacykey.FieldSecretSha256+`, k.`+legacykey.FieldAccountID+`, k.`+legacykey.FieldTest+` FROM given JOIN `+legacykey.Table+` k
 ON k.`+legacykey.FieldAccountID+` = given.account AND k.`+legacykey.FieldTest+` = given.test WHERE k.`+legacykey.FieldRevokedAt+` IS NULL`,
		"account bigint", "test boolean")
)

// readKeys reads the keys of all owners with a drill for all their keys that is running or about to begin.
func (d *Drills) readKeys(ctx context.Context) (map[string]int64, error) {
	drills := read(ctx, d.config, &d.soon, runningAge, d.readSoon)
	var owners []int64
	for _, drill := range drills {
		if drill.KeyID == nil && drill.Owner != Everybody {
			owners = append(owners, drill.Owner)
		}
	}
	slices.Sort(owners)
	var set []any
	for _, owner := range slices.Compact(owners) {
		set = append(set, core.Owner(owner).Account(), core.Owner(owner).Test())
	}
	keys, client := map[string]int64{}, d.config.Store.Reader()
	var account int64
	var test bool
	err := drillKeys.Query(ctx, client, set, func(result *sql.Rows) error {
		var id string
		err := result.Scan(&id, &account, &test)
		keys[id] = int64(core.OwnerOf(account, test))
		return err
	})
	if err != nil {
		return nil, err
	}
	err = drillImportedKeys.Query(ctx, client, set, func(result *sql.Rows) error {
		var hash []byte
		err := result.Scan(&hash, &account, &test)
		if err == nil {
			keys[KeyID(hash)] = int64(core.OwnerOf(account, test))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return keys, nil
}
