package v1

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"sellerd/ent"
	"sellerd/ent/apikey"
	"sellerd/v1/sunset" // sunset
	"sellerd/v1/wire"
)

// An API key reads dk_live_<id>_<secret><checksum>, all in base 62. The id (12 characters) finds the row; the secret (32
// characters, about 190 bits) is stored as SHA-256 only; the checksum (6 characters, CRC-32 of the text before it) allows
// malformed keys to be rejected without a query.
const (
	keyPrefix         = "dk_"
	keyIDLength       = 12
	keySecretLength   = 32
	keyChecksumLength = 6

	// MaxLiveKeys is how many keys of one account and mode may be valid at once.
	MaxLiveKeys = 10
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func randomBase62(random io.Reader, n int) (string, error) {
	out := make([]byte, 0, n)
	buffer := make([]byte, n+n/8)
	for len(out) < n {
		if _, err := io.ReadFull(random, buffer); err != nil {
			return "", fmt.Errorf("random: %w", err)
		}
		for _, b := range buffer {
			if b < 248 && len(out) < n { // 248 is the largest multiple of 62 in a byte: no digit is likelier
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out), nil
}

func keyChecksum(s string) string {
	n := crc32.ChecksumIEEE([]byte(s))
	out := make([]byte, keyChecksumLength)
	for i := len(out) - 1; i >= 0; i-- {
		out[i], n = base62[n%62], n/62
	}
	return string(out)
}

// parsedKey is a key whose form and checksum are right.
type parsedKey struct {
	id     string
	test   bool
	secret [sha256.Size]byte
}

func parseKey(key string) (parsedKey, bool) {
	rest, ok := strings.CutPrefix(key, keyPrefix)
	mode, rest, ok2 := strings.Cut(rest, "_")
	id, secret, ok3 := strings.Cut(rest, "_")
	if !ok || !ok2 || !ok3 || mode != "live" && mode != "test" ||
		len(id) != keyIDLength || len(secret) != keySecretLength+keyChecksumLength {
		return parsedKey{}, false
	}
	body := key[:len(key)-keyChecksumLength]
	if keyChecksum(body) != key[len(body):] {
		return parsedKey{}, false
	}
	return parsedKey{id: id, test: mode == "test", secret: sha256.Sum256([]byte(body))}, true
}

// KeyID is the public part of a key, by which it is named.
type KeyID string

// AppendText writes the id.
func (id KeyID) AppendText(b []byte) ([]byte, error) { return append(b, id...), nil }

// UnmarshalText reads 12 letters and digits.
func (id *KeyID) UnmarshalText(b []byte) error {
	if len(b) != keyIDLength || strings.Trim(string(b), base62) != "" {
		return wire.ValueError{Code: InvalidValue, Message: "must be a key's id: its third part"}
	}
	*id = KeyID(b)
	return nil
}

// KeyInfo is what can be shown of a key after its creation: everything but the secret.
type KeyInfo struct {
	ID         string      `json:"id"`
	AccountID  ID          `json:"account_id"`
	Mode       string      `json:"mode"`
	Name       Opt[string] `json:"name" doc:"null without one"`
	Prefix     string      `json:"prefix"`
	LastFour   string      `json:"last_four"`
	Status     string      `json:"status" doc:"active, expired or revoked"`
	CreatedAt  Time        `json:"created_at"`
	ExpiresAt  Opt[Time]   `json:"expires_at"`
	RevokedAt  Opt[Time]   `json:"revoked_at"`
	LastUsedAt Opt[Time]   `json:"last_used_at"`
}

// shownPrefix is the part of a key that can be shown.
func shownPrefix(id string, test bool) string { return keyPrefix + modeName(test) + "_" + id }

func keyInfo(k *ent.APIKey, now Time) KeyInfo {
	info := KeyInfo{
		ID: k.ID, AccountID: ID(k.AccountID), Mode: modeName(k.Test), Name: notEmpty(k.Name),
		Prefix: shownPrefix(k.ID, k.Test), LastFour: k.LastFour, Status: "active",
		CreatedAt: Time(k.CreatedAt), ExpiresAt: MaybeTime(k.ExpiresAt), RevokedAt: MaybeTime(k.RevokedAt), LastUsedAt: MaybeTime(k.LastUsedAt),
	}
	switch {
	case info.RevokedAt.Set:
		info.Status = "revoked"
	case info.ExpiresAt.Set && info.ExpiresAt.V <= now:
		info.Status = "expired"
	}
	return info
}

// The errors of key administration. They are for operators and not codes of /v1.
var (
	ErrNoAccount   = errors.New("there is no such account")
	ErrNoKey       = errors.New("there is no such key")
	ErrTooManyKeys = fmt.Errorf("the account has %d live keys in this mode, which is the most it may have: revoke one first", MaxLiveKeys)
	ErrMode        = errors.New(`the mode must be "live" or "test"`)
	ErrKeyName     = errors.New("a key's name has at most 64 characters")
	ErrExpiry      = errors.New("a key must expire in the future")
)

// NewKey is the input of CreateKey.
type NewKey struct {
	Account   int64
	Mode      string // live or test
	Name      string // ≤64 characters
	ExpiresAt Opt[Time]
}

// CreateKey makes a key and returns it; only this result holds the secret; it is not stored.
func (s *Service) CreateKey(ctx context.Context, in NewKey) (string, KeyInfo, error) {
	if in.Mode != "live" && in.Mode != "test" {
		return "", KeyInfo{}, ErrMode
	}
	if utf8.RuneCountInString(in.Name) > 64 {
		return "", KeyInfo{}, ErrKeyName
	}
	if in.ExpiresAt.Set && in.ExpiresAt.V <= s.now() {
		return "", KeyInfo{}, ErrExpiry
	}
	fresh, err := s.makeKey(in.Mode)
	if err != nil {
		return "", KeyInfo{}, err
	}
	var info KeyInfo
	err = s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
		now := s.now()
		if err := lockAccount(ctx, tx, in.Account, now); err != nil {
			return err
		}
		info, err = fresh.store(ctx, tx, in, "", now)
		return err
	})
	return fresh.key, info, err
}

// freshKey is a new key that is not stored yet.
type freshKey struct {
	id, key string
	secret  [sha256.Size]byte
}

func (s *Service) makeKey(mode string) (freshKey, error) {
	id, err1 := randomBase62(s.config.Random, keyIDLength)
	for err1 == nil && sunset.IsKeyID(id) { // happens to one key in twelve million // sunset
		id, err1 = randomBase62(s.config.Random, keyIDLength) // sunset
	} // sunset
	secret, err2 := randomBase62(s.config.Random, keySecretLength)
	if err := cmp.Or(err1, err2); err != nil {
		return freshKey{}, err
	}
	body := keyPrefix + mode + "_" + id + "_" + secret
	return freshKey{id, body + keyChecksum(body), sha256.Sum256([]byte(body))}, nil
}

// store adds the key to those of its account, which must be locked. A key that it replaces does not count against the
// number that an account may have.
func (k freshKey) store(ctx context.Context, tx *ent.Client, in NewKey, replaces string, now Time) (KeyInfo, error) {
	live, err := tx.APIKey.Query().Where(apikey.AccountID(in.Account), apikey.Test(in.Mode == "test"), apikey.RevokedAtIsNil(), apikey.IDNEQ(replaces),
		apikey.Or(apikey.ExpiresAtIsNil(), apikey.ExpiresAtGT(int64(now)))).Count(ctx)
	if err != nil {
		return KeyInfo{}, fmt.Errorf("count keys: %w", err)
	}
	if live >= MaxLiveKeys {
		return KeyInfo{}, ErrTooManyKeys
	}
	row, err := tx.APIKey.Create().SetID(k.id).SetAccountID(in.Account).SetTest(in.Mode == "test").SetName(in.Name).
		SetSecretSha256(k.secret[:]).SetLastFour(k.key[len(k.key)-4:]).SetCreatedAt(int64(now)).SetNillableExpiresAt(unix(in.ExpiresAt)).Save(ctx)
	if err != nil {
		return KeyInfo{}, fmt.Errorf("create key: %w", err)
	}
	return keyInfo(row, now), nil
}

// ListKeys lists an account's keys of both modes, newest first.
func (s *Service) ListKeys(ctx context.Context, account int64) ([]KeyInfo, error) {
	if _, err := s.store.Reader().Account.Get(ctx, account); ent.IsNotFound(err) {
		return nil, ErrNoAccount
	} else if err != nil {
		return nil, fmt.Errorf("load account: %w", err)
	}
	rows, err := s.store.Reader().APIKey.Query().Where(apikey.AccountID(account)).
		Order(ent.Desc(apikey.FieldCreatedAt), ent.Asc(apikey.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	infos := make([]KeyInfo, len(rows))
	for i, row := range rows {
		infos[i] = keyInfo(row, s.now())
	}
	return infos, nil
}

// RevokeKey ends a key at once, an imported one as well. Revoking it again changes nothing.
func (s *Service) RevokeKey(ctx context.Context, id string) (KeyInfo, error) {
	var info KeyInfo
	err := s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
		now := s.now()
		if err := revokeKey(ctx, tx, id, now); err != nil {
			return fmt.Errorf("revoke key: %w", err)
		}
		info, err = findKey(ctx, tx, id, now)
		return err
	})
	return info, err
}

func revokeKey(ctx context.Context, tx *ent.Client, id string, now Time) error {
	if sunset.IsKeyID(id) { // sunset
		return sunset.RevokeKey(ctx, tx, id, now) // sunset
	} // sunset
	return tx.APIKey.Update().Where(apikey.ID(id), apikey.RevokedAtIsNil()).SetRevokedAt(int64(now)).Exec(ctx)
}

// findKey loads what can be told about a key, an imported one as well.
func findKey(ctx context.Context, client *ent.Client, id string, now Time) (info KeyInfo, err error) {
	if sunset.IsKeyID(id) { // sunset
		return findLegacyKey(ctx, client, id) // sunset
	} // sunset
	row, err := client.APIKey.Get(ctx, id)
	if err != nil {
		return KeyInfo{}, keyNotLoaded(err)
	}
	return keyInfo(row, now), nil
}

// keyNotLoaded is the error for commands that manage keys: ErrNoKey if there is no such key.
func keyNotLoaded(err error) error {
	if ent.IsNotFound(err) {
		return ErrNoKey
	}
	return fmt.Errorf("load key: %w", err)
}

// RotateKey makes a successor with the same account, mode, name and expiry, and lets the old key expire after the overlap,
// all in one transaction. At the limit of live keys the two count as one during the overlap.
func (s *Service) RotateKey(ctx context.Context, id string, overlap time.Duration) (key string, successor KeyInfo, err error) {
	if overlap < 0 || overlap > 90*24*time.Hour {
		return "", KeyInfo{}, errors.New("the overlap must be between 0 and 90 days")
	}
	known, err := s.store.Reader().APIKey.Get(ctx, id)
	if ent.IsNotFound(err) {
		return "", KeyInfo{}, ErrNoKey
	}
	if err != nil {
		return "", KeyInfo{}, fmt.Errorf("load key: %w", err)
	}
	fresh, err := s.makeKey(modeName(known.Test))
	if err != nil {
		return "", KeyInfo{}, err
	}
	err = s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		now := s.now()
		if err := lockAccount(ctx, tx, known.AccountID, now); err != nil {
			return err
		}
		old, err := tx.APIKey.Get(ctx, id)
		if err != nil {
			return fmt.Errorf("load key: %w", err)
		}
		if keyInfo(old, now).Status != "active" {
			return errors.New("only an active key can be rotated: create a new one")
		}
		in := NewKey{Account: old.AccountID, Mode: modeName(old.Test), Name: old.Name, ExpiresAt: MaybeTime(old.ExpiresAt)}
		if successor, err = fresh.store(ctx, tx, in, old.ID, now); err != nil {
			return err
		}
		if end := int64(now.Add(overlap)); old.ExpiresAt == nil || *old.ExpiresAt > end {
			return tx.APIKey.Update().Where(apikey.ID(id)).SetExpiresAt(end).Exec(ctx)
		}
		return nil
	})
	return fresh.key, successor, err
}

// lockAccount serialises changes that count over both modes of an account, such as its live keys.
func lockAccount(ctx context.Context, tx *ent.Client, account int64, now Time) error {
	err := tx.Account.UpdateOneID(account).SetUpdatedAt(int64(now)).Exec(ctx)
	if ent.IsNotFound(err) {
		return ErrNoAccount
	}
	if err != nil {
		return fmt.Errorf("lock account %d: %w", account, err)
	}
	return nil
}

// unix is a nullable instant as ent wants it.
func unix(t Opt[Time]) *int64 {
	if !t.Set {
		return nil
	}
	n := int64(t.V)
	return &n
}
