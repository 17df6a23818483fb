package sunset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"sellerd/ent"
	"sellerd/ent/legacykey"
	"sellerd/ent/predicate"
	"sellerd/internal/base/pattern"
	"sellerd/v1/core"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file handles the keys of the old interface, which operators import. Only /rest accepts them.
//
// Such a key has no part that could be shown, so its id is made of its hash. It is 12 lowercase hexadecimal digits, which
// the id of a /v1 key never is: so the form of an id says to which interface the key belongs.

// The prefix and the name of every imported key, as they are shown.
const (
	KeyPrefix = "legacy"
	KeyName   = "imported legacy key"
)

// keyIDLength is how many characters an id has, as many as that of a /v1 key.
const keyIDLength = 12

var keyForm = pattern.Late(`^[A-Za-z0-9]{64}$`)

// IsKey says whether a text has the form of a key: 64 letters and digits.
func IsKey(key string) bool { return keyForm().MatchString(key) }

// HashKey is the stored hash of a key. A key is long and random, so a plain hash protects it.
func HashKey(key string) [sha256.Size]byte { return sha256.Sum256([]byte(key)) }

// KeyID is the id of the key with this hash.
func KeyID(hash []byte) string { return hex.EncodeToString(hash[:keyIDLength/2]) }

// IsKeyID says whether an id has the form of an imported key's.
func IsKeyID(id string) bool {
	return len(id) == keyIDLength && strings.Trim(id, "0123456789abcdef") == ""
}

// KeyHashes are the first and the last hash that an id can stand for; the index of hashes finds the one between them. An id
// of another form matches no hash.
func KeyHashes(id string) (first, last []byte) {
	head, _ := hex.DecodeString(id)
	first, last = make([]byte, sha256.Size), make([]byte, sha256.Size)
	copy(first, head)
	for i := copy(last, head); i < len(last); i++ {
		last[i] = 0xff
	}
	return first, last
}

// keyWithID selects the key with an id.
func keyWithID(id string) predicate.LegacyKey {
	first, last := KeyHashes(id)
	return legacykey.And(legacykey.SecretSha256GTE(first), legacykey.SecretSha256LTE(last))
}

// legacyKeys are the keys of the old interface among the others.
type legacyKeys struct{}

// Owns implements KeySource.
func (legacyKeys) Owns(id string) bool { return IsKeyID(id) }

// Prefix implements KeySource.
func (legacyKeys) Prefix() string { return KeyPrefix }

// Find implements KeySource.
func (legacyKeys) Find(ctx context.Context, client *ent.Client, id string) (core.KeyInfo, error) {
	row, err := client.LegacyKey.Query().Where(keyWithID(id)).Only(ctx)
	if err != nil {
		return core.KeyInfo{}, err
	}
	return legacyKeyInfo(row), nil
}

// Revoke implements KeySource.
func (legacyKeys) Revoke(ctx context.Context, tx *ent.Client, id string, now wire.Time) error {
	return tx.LegacyKey.Update().Where(keyWithID(id), legacykey.RevokedAtIsNil()).SetRevokedAt(int64(now)).Exec(ctx)
}

// Touch implements KeySource.
func (legacyKeys) Touch(ctx context.Context, tx *ent.Client, id string, at wire.Time) error {
	return tx.LegacyKey.Update().Where(keyWithID(id)).SetLastUsedAt(int64(at)).Exec(ctx)
}

// NewKey is a key to import.
type NewKey struct {
	ID      int64 // of the row
	Account int64
	Key     string // that IsKey accepts
}

// insertKey is by hand, because builders have no ON CONFLICT.
var insertKey = `INSERT INTO ` + legacykey.Table + ` (` + strings.Join([]string{
	legacykey.FieldID, legacykey.FieldAccountID, legacykey.FieldTest, legacykey.FieldSecretSha256, legacykey.FieldLastFour, legacykey.FieldCreatedAt,
}, ", ") + `)
 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (` + legacykey.FieldSecretSha256 + `) DO NOTHING`

// ImportKey stores a key for an account's live mode, unless the account has it already. The account must be locked. The key
// is refused with invalid_value if it belongs to another account or was revoked, or if its id is that of another key.
func ImportKey(ctx context.Context, tx *ent.Client, in NewKey, now wire.Time) (row *ent.LegacyKey, fresh bool, err error) {
	hash := HashKey(in.Key)
	made, err := rows.Affect(ctx, tx, insertKey, in.ID, in.Account, false, hash[:], in.Key[len(in.Key)-4:], int64(now))
	if err != nil {
		return nil, false, fmt.Errorf("store legacy key: %w", err)
	}
	row, err = tx.LegacyKey.Query().Where(legacykey.SecretSha256(hash[:])).Only(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("load legacy key: %w", err)
	}
	same, err := tx.LegacyKey.Query().Where(keyWithID(KeyID(hash[:]))).Count(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("count legacy keys: %w", err)
	}
	switch {
	case same > 1: // its id would name two keys
		return nil, false, refusal.Newf(refusal.InvalidValue, "key", "has the fingerprint of another key")
	case row.AccountID != in.Account:
		return nil, false, refusal.Newf(refusal.InvalidValue, "key", "belongs to another account")
	case row.RevokedAt != nil:
		return nil, false, refusal.Newf(refusal.InvalidValue, "key", "was revoked")
	}
	return row, made > 0, nil
}
