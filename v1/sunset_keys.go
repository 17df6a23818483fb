package v1

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"strings"

	"sellerd/ent"
	"sellerd/ent/legacykey"
	"sellerd/ent/predicate"
)

// This file handles the keys of the old interface, which operators import. Only /rest accepts them.
//
// Such a key has no part that could be shown, so its id is made of its hash. It is 12 lowercase hexadecimal digits, which
// the id of a /v1 key never is: so the form of an id says to which interface the key belongs.

var legacyKeyForm = regexp.MustCompile(`^[A-Za-z0-9]{64}$`)

// AccountKey and KeyInfo show these values for every imported key.
const (
	legacyKeyPrefix = "legacy"
	legacyKeyName   = "imported legacy key"
)

// legacyKeyHash is the stored hash of a key of the old interface. It is long and random, so a plain hash protects it.
func legacyKeyHash(key string) [sha256.Size]byte { return sha256.Sum256([]byte(key)) }

// legacyKeyID is the id of the key with this hash.
func legacyKeyID(hash []byte) string { return hex.EncodeToString(hash[:keyIDLength/2]) }

func isLegacyKeyID(id string) bool {
	return len(id) == keyIDLength && strings.Trim(id, "0123456789abcdef") == ""
}

// legacyKeyHashes are the first and the last hash that an id can stand for; the index of hashes finds the one between them.
func legacyKeyHashes(id string) (first, last []byte) {
	head, _ := hex.DecodeString(id) // an id of another form matches no hash
	first, last = make([]byte, sha256.Size), make([]byte, sha256.Size)
	copy(first, head)
	for i := copy(last, head); i < len(last); i++ {
		last[i] = 0xff
	}
	return first, last
}

// legacyKeyNamed selects the key with an id.
func legacyKeyNamed(id string) predicate.LegacyKey {
	first, last := legacyKeyHashes(id)
	return legacykey.And(legacykey.SecretSha256GTE(first), legacykey.SecretSha256LTE(last))
}

// legacyAuthQuery is authQuery for an imported key, by the first and last hash of its id.
const legacyAuthQuery = `SELECT k.secret_sha256, k.test, CAST(NULL AS bigint), k.revoked_at, k.last_used_at, ` + authAccount + `
 FROM legacy_keys k JOIN accounts a ON a.id = k.account_id WHERE k.secret_sha256 >= $1 AND k.secret_sha256 <= $2`

// AuthenticateLegacy is Authenticate for the legacy interface, which accepts imported keys beside those of /v1.
func (s *Service) AuthenticateLegacy(ctx context.Context, key string) (Caller, error) {
	if !legacyKeyForm.MatchString(key) {
		return s.Authenticate(ctx, key)
	}
	hash := legacyKeyHash(key)
	return s.authenticateHashes(ctx, hash[:], hash[:])
}

// AuthenticateKeyID is Authenticate for the key behind a session of the legacy interface, of which only the public id is
// known. The caller has checked the session. The key and its account are checked as they are now.
func (s *Service) AuthenticateKeyID(ctx context.Context, keyID string) (Caller, error) {
	if isLegacyKeyID(keyID) {
		return s.authenticateLegacyKeyID(ctx, keyID)
	}
	row := authRows.Get().(*authRow)
	defer authRows.Put(row)
	found, err := row.read(ctx, s.store.Reader(), authQuery, keyID)
	if err != nil {
		return Caller{}, fmt.Errorf("authenticate: %w", err)
	}
	if !found {
		return Caller{}, errInvalidKey
	}
	return s.callerOf(row, keyID)
}

func (s *Service) authenticateLegacyKeyID(ctx context.Context, id string) (Caller, error) {
	first, last := legacyKeyHashes(id)
	return s.authenticateHashes(ctx, first, last)
}

func (s *Service) authenticateHashes(ctx context.Context, first, last []byte) (Caller, error) {
	row := authRows.Get().(*authRow)
	defer authRows.Put(row)
	found, err := row.read(ctx, s.store.Reader(), legacyAuthQuery, first, last)
	if err != nil {
		return Caller{}, fmt.Errorf("authenticate: %w", err)
	}
	if !found {
		return Caller{}, errInvalidKey
	}
	return s.callerOf(row, legacyKeyID(row.secret[:]))
}

func touchLegacyKey(ctx context.Context, tx *ent.Client, id string, at Time) error {
	return tx.LegacyKey.Update().Where(legacyKeyNamed(id)).SetLastUsedAt(int64(at)).Exec(ctx)
}

func revokeLegacyKey(ctx context.Context, tx *ent.Client, id string, now Time) error {
	return tx.LegacyKey.Update().Where(legacyKeyNamed(id), legacykey.RevokedAtIsNil()).SetRevokedAt(int64(now)).Exec(ctx)
}

func findLegacyKey(ctx context.Context, client *ent.Client, id string) (KeyInfo, error) {
	row, err := client.LegacyKey.Query().Where(legacyKeyNamed(id)).Only(ctx)
	if err != nil {
		return KeyInfo{}, keyNotLoaded(err)
	}
	return legacyKeyInfo(row), nil
}

func legacyKeyInfo(k *ent.LegacyKey) KeyInfo {
	info := KeyInfo{
		ID: legacyKeyID(k.SecretSha256), AccountID: ID(k.AccountID), Mode: modeName(k.Test), Name: Some(legacyKeyName),
		Prefix: legacyKeyPrefix, LastFour: k.LastFour, Status: "active",
		CreatedAt: Time(k.CreatedAt), RevokedAt: MaybeTime(k.RevokedAt), LastUsedAt: MaybeTime(k.LastUsedAt),
	}
	if info.RevokedAt.Set {
		info.Status = "revoked"
	}
	return info
}

// A session of the legacy interface is a token that contains the session itself, sealed (AES-256-GCM) with a key derived
// from the service's secret. So it needs no table, survives a restart and reveals nothing to its holder. The legacy
// interface defines the content.

// SealToken makes a token of a text. The token needs no escaping in a URL, and every token is different.
func (s *Service) SealToken(text []byte) string {
	n := s.tokens.NonceSize()
	sealed := make([]byte, n, n+len(text)+s.tokens.Overhead())
	if _, err := io.ReadFull(s.config.Random, sealed); err != nil {
		panic(fmt.Errorf("random: %w", err)) // a repeated nonce would break the seal of every token
	}
	return base64.RawURLEncoding.EncodeToString(s.tokens.Seal(sealed, sealed, text, nil))
}

// OpenToken is the text of a token, unless it was not made by SealToken under the same secret.
func (s *Service) OpenToken(token string) ([]byte, bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	n := s.tokens.NonceSize()
	if err != nil || len(sealed) < n || base64.RawURLEncoding.EncodedLen(len(sealed)) != len(token) { // the decoder ignores line ends
		return nil, false
	}
	text, err := s.tokens.Open(nil, sealed[:n], sealed[n:], nil)
	return text, err == nil
}
