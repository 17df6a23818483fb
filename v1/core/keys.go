package core

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"sellerd/ent"
	entapikey "sellerd/ent/apikey"
	"sellerd/v1/apikey"
	"sellerd/v1/permission"
	"sellerd/v1/wire"
)

// MaxLiveKeys is how many keys of one account and mode may be valid at once.
const MaxLiveKeys = 10

// KeyInfo is what can be shown of a key after its creation: everything but the secret.
type KeyInfo struct {
	ID         string              `json:"id"`
	AccountID  wire.ID             `json:"account_id"`
	Mode       string              `json:"mode" enum:"live test"`
	Name       wire.Opt[string]    `json:"name" doc:"null without one"`
	Prefix     string              `json:"prefix"`
	LastFour   string              `json:"last_four"`
	Status     string              `json:"status" enum:"active expired revoked"`
	CreatedAt  wire.Time           `json:"created_at"`
	ExpiresAt  wire.Opt[wire.Time] `json:"expires_at"`
	RevokedAt  wire.Opt[wire.Time] `json:"revoked_at"`
	LastUsedAt wire.Opt[wire.Time] `json:"last_used_at"`

	Permissions wire.Opt[[]string] `json:"permissions" catalogue:"permissions" doc:"null for all"`
}

func keyInfo(k *ent.APIKey, now wire.Time) KeyInfo {
	info := KeyInfo{
		ID: k.ID, AccountID: wire.ID(k.AccountID), Mode: ModeName(k.Test), Name: NotEmpty(k.Name),
		Prefix: apikey.Prefix(k.ID, ModeName(k.Test)), LastFour: k.LastFour, Status: "active",
		CreatedAt: wire.Time(k.CreatedAt), ExpiresAt: wire.MaybeTime(k.ExpiresAt), RevokedAt: wire.MaybeTime(k.RevokedAt), LastUsedAt: wire.MaybeTime(k.LastUsedAt),
	}
	if stored := storedPermissions(k); stored.Set {
		info.Permissions = wire.Some(stored.V.Names())
	}
	switch {
	case info.RevokedAt.Set:
		info.Status = "revoked"
	case info.ExpiresAt.Set && info.ExpiresAt.V <= now:
		info.Status = "expired"
	}
	return info
}

// storedPermissions are the permissions of a key with a list of them.
func storedPermissions(k *ent.APIKey) (stored wire.Opt[permission.Set]) {
	if k.Permissions != nil {
		stored.Set = true
		_ = stored.V.Scan(*k.Permissions) // a text can be read
	}
	return stored
}

// The errors of key administration. They are for operators and not codes of /v1.
var (
	ErrNoAccount   = errors.New("there is no such account")
	ErrNoKey       = errors.New("there is no such key")
	ErrTooManyKeys = fmt.Errorf("the account has %d live keys in this mode, which is the most it may have: revoke one first", MaxLiveKeys)
	ErrMode        = errors.New(`the mode must be "live" or "test"`)
	ErrKeyName     = errors.New("a key's name has at most 64 characters")
	ErrExpiry      = errors.New("a key must expire in the future")
	ErrPermissions = errors.New("a key needs at least one permission")
	ErrOverlap     = errors.New("the overlap must be between 0 and 90 days")
)

// NewKey is the input of CreateKey.
type NewKey struct {
	Account   int64
	Mode      string // live or test
	Name      string // ≤64 characters
	ExpiresAt wire.Opt[wire.Time]

	Permissions wire.Opt[permission.Set] // at least one; default: all
}

// CreateKey makes a key and returns it; only this result holds the secret; it is not stored.
func (s *Core) CreateKey(ctx context.Context, in NewKey) (string, KeyInfo, error) {
	if in.Mode != "live" && in.Mode != "test" {
		return "", KeyInfo{}, ErrMode
	}
	if utf8.RuneCountInString(in.Name) > 64 {
		return "", KeyInfo{}, ErrKeyName
	}
	if in.ExpiresAt.Set && in.ExpiresAt.V <= s.Now() {
		return "", KeyInfo{}, ErrExpiry
	}
	if in.Permissions.Set && in.Permissions.V&permission.All == 0 {
		return "", KeyInfo{}, ErrPermissions
	}
	fresh, err := s.makeKey(in.Mode)
	if err != nil {
		return "", KeyInfo{}, err
	}
	var info KeyInfo
	err = s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
		now := s.Now()
		if err := LockAccount(ctx, tx, in.Account, now); err != nil {
			return err
		}
		info, err = fresh.store(ctx, tx, in, "", now)
		return err
	})
	return fresh.Text, info, err
}

// freshKey is a new key that is not stored yet.
type freshKey struct{ apikey.New }

func (s *Core) makeKey(mode string) (freshKey, error) {
	fresh, err := apikey.Make(s.Config.Random, mode)
	for err == nil && s.keySource(fresh.ID) != nil { // happens to one key in twelve million
		fresh, err = apikey.Make(s.Config.Random, mode)
	}
	return freshKey{fresh}, err
}

// store adds the key to those of its account, which must be locked. A key that it replaces does not count against the
// number that an account may have.
func (k freshKey) store(ctx context.Context, tx *ent.Client, in NewKey, replaces string, now wire.Time) (KeyInfo, error) {
	live, err := tx.APIKey.Query().Where(entapikey.AccountID(in.Account), entapikey.Test(in.Mode == "test"), entapikey.RevokedAtIsNil(),
		entapikey.IDNEQ(replaces),
		entapikey.Or(entapikey.ExpiresAtIsNil(), entapikey.ExpiresAtGT(int64(now)))).Count(ctx)
	if err != nil {
		return KeyInfo{}, fmt.Errorf("count keys: %w", err)
	}
	if live >= MaxLiveKeys {
		return KeyInfo{}, ErrTooManyKeys
	}
	var permissions *string
	if in.Permissions.Set {
		text := in.Permissions.V.String()
		permissions = &text
	}
	row, err := tx.APIKey.Create().SetID(k.ID).SetAccountID(in.Account).SetTest(in.Mode == "test").SetName(in.Name).
		SetSecretSha256(k.Hash[:]).SetLastFour(k.Text[len(k.Text)-4:]).SetCreatedAt(int64(now)).SetNillableExpiresAt(Unix(in.ExpiresAt)).
		SetNillablePermissions(permissions).Save(ctx)
	if err != nil {
		return KeyInfo{}, fmt.Errorf("create key: %w", err)
	}
	return keyInfo(row, now), nil
}

// ListKeys lists an account's keys of both modes, newest first.
func (s *Core) ListKeys(ctx context.Context, account int64) ([]KeyInfo, error) {
	if _, err := s.Store.Reader().Account.Get(ctx, account); ent.IsNotFound(err) {
		return nil, ErrNoAccount
	} else if err != nil {
		return nil, fmt.Errorf("load account: %w", err)
	}
	rows, err := s.Store.Reader().APIKey.Query().Where(entapikey.AccountID(account)).
		Order(ent.Desc(entapikey.FieldCreatedAt), ent.Asc(entapikey.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	infos := make([]KeyInfo, len(rows))
	for i, row := range rows {
		infos[i] = keyInfo(row, s.Now())
	}
	return infos, nil
}

// RevokeKey ends a key at once, an imported one as well. Revoking it again changes nothing.
func (s *Core) RevokeKey(ctx context.Context, id string) (KeyInfo, error) {
	var info KeyInfo
	err := s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
		now := s.Now()
		if err := s.revokeKey(ctx, tx, id, now); err != nil {
			return fmt.Errorf("revoke key: %w", err)
		}
		info, err = s.FindKey(ctx, tx, id, now)
		return err
	})
	return info, err
}

func (s *Core) revokeKey(ctx context.Context, tx *ent.Client, id string, now wire.Time) error {
	if keys := s.keySource(id); keys != nil {
		return keys.Revoke(ctx, tx, id, now)
	}
	return tx.APIKey.Update().Where(entapikey.ID(id), entapikey.RevokedAtIsNil()).SetRevokedAt(int64(now)).Exec(ctx)
}

// FindKey loads what may be shown of a key, an imported one as well.
func (s *Core) FindKey(ctx context.Context, client *ent.Client, id string, now wire.Time) (info KeyInfo, err error) {
	if keys := s.keySource(id); keys != nil {
		if info, err = keys.Find(ctx, client, id); err != nil {
			return KeyInfo{}, KeyNotLoaded(err)
		}
		return info, nil
	}
	row, err := client.APIKey.Get(ctx, id)
	if err != nil {
		return KeyInfo{}, KeyNotLoaded(err)
	}
	return keyInfo(row, now), nil
}

// KeyNotLoaded is the error for commands that manage keys: ErrNoKey if there is no such key.
func KeyNotLoaded(err error) error {
	if ent.IsNotFound(err) {
		return ErrNoKey
	}
	return fmt.Errorf("load key: %w", err)
}

// RotateKey makes a successor with the same account, mode, name and permissions, and lets the old key expire after the overlap, or when
// it would anyway, all in one transaction. The successor lives, from now on, as long as the old key was made for. At the limit of live
// keys the two count as one during the overlap. ErrOverlap means that it is not of 0 to 90 days.
func (s *Core) RotateKey(ctx context.Context, id string, overlap time.Duration) (key string, successor KeyInfo, err error) {
	if overlap < 0 || overlap > 90*24*time.Hour {
		return "", KeyInfo{}, ErrOverlap
	}
	known, err := s.Store.Reader().APIKey.Get(ctx, id)
	if ent.IsNotFound(err) {
		return "", KeyInfo{}, ErrNoKey
	}
	if err != nil {
		return "", KeyInfo{}, fmt.Errorf("load key: %w", err)
	}
	fresh, err := s.makeKey(ModeName(known.Test))
	if err != nil {
		return "", KeyInfo{}, err
	}
	err = s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		now := s.Now()
		if err := LockAccount(ctx, tx, known.AccountID, now); err != nil {
			return err
		}
		old, err := tx.APIKey.Get(ctx, id)
		if err != nil {
			return fmt.Errorf("load key: %w", err)
		}
		if keyInfo(old, now).Status != "active" {
			return errors.New("only an active key can be rotated: create a new one")
		}
		in := NewKey{
			Account: old.AccountID, Mode: ModeName(old.Test), Name: old.Name, Permissions: storedPermissions(old),
		}
		if old.ExpiresAt != nil {
			in.ExpiresAt = wire.Some(now + wire.Time(*old.ExpiresAt-old.CreatedAt))
		}
		if successor, err = fresh.store(ctx, tx, in, old.ID, now); err != nil {
			return err
		}
		if end := int64(now.Add(overlap)); old.ExpiresAt == nil || *old.ExpiresAt > end {
			return tx.APIKey.Update().Where(entapikey.ID(id)).SetExpiresAt(end).Exec(ctx)
		}
		return nil
	})
	return fresh.Text, successor, err
}

// LockAccount serialises changes that count over both modes of an account, such as its live keys.
func LockAccount(ctx context.Context, tx *ent.Client, account int64, now wire.Time) error {
	err := tx.Account.UpdateOneID(account).SetUpdatedAt(int64(now)).Exec(ctx)
	if ent.IsNotFound(err) {
		return ErrNoAccount
	}
	if err != nil {
		return fmt.Errorf("lock account %d: %w", account, err)
	}
	return nil
}

// Unix is a nullable instant as ent wants it.
func Unix(t wire.Opt[wire.Time]) *int64 {
	if !t.Set {
		return nil
	}
	n := int64(t.V)
	return &n
}

// NotEmpty is a text that is null when it is empty.
func NotEmpty(s string) wire.Opt[string] { return wire.Opt[string]{V: s, Set: s != ""} }
