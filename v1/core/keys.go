package core

import (
	"context"
	"errors"
	"fmt"

	"sellerd/ent"
	entapikey "sellerd/ent/apikey"
	"sellerd/internal/base/each"
	"sellerd/v1/apikey"
	"sellerd/v1/permission"
	"sellerd/v1/wire"
)

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

	PredecessorID wire.Opt[string] `json:"predecessor_id" since:"1.6.0" doc:"the key that this one took the place of, by rotation"`
	SuccessorID   wire.Opt[string] `json:"successor_id" since:"1.6.0" doc:"the key that took the place of this one"`

	Permissions wire.Opt[[]string] `json:"permissions" catalogue:"permissions" doc:"null for all"`
}

// KeyInfoOf is what can be shown of a key of /v1.
func KeyInfoOf(k *ent.APIKey, now wire.Time) KeyInfo {
	info := KeyInfo{
		ID: k.ID, AccountID: wire.ID(k.AccountID), Mode: ModeName(k.Test), Name: NotEmpty(k.Name),
		Prefix: apikey.Prefix(k.ID, ModeName(k.Test)), LastFour: k.LastFour, Status: "active",
		CreatedAt: wire.Time(k.CreatedAt), ExpiresAt: wire.MaybeTime(k.ExpiresAt), RevokedAt: wire.MaybeTime(k.RevokedAt), LastUsedAt: wire.MaybeTime(k.LastUsedAt),
		PredecessorID: wire.Maybe(k.PredecessorID), SuccessorID: wire.Maybe(k.SuccessorID),
	}
	if stored := StoredPermissions(k); stored.Set {
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

// StoredPermissions are the permissions of a key with a list of them.
func StoredPermissions(k *ent.APIKey) (stored wire.Opt[permission.Set]) {
	if k.Permissions != nil {
		stored.Set = true
		_ = stored.V.Scan(*k.Permissions) // a text can be read
	}
	return stored
}

// The errors of key administration. They are for operators and not codes of /v1.
var (
	ErrNoAccount = errors.New("there is no such account")
	ErrNoKey     = errors.New("there is no such key")
)

// ListKeys lists an account's keys of both modes, newest first.
func (s *Core) ListKeys(ctx context.Context, account int64) ([]KeyInfo, error) {
	if _, err := s.Store.Reader().Account.Get(ctx, account); err != nil {
		return nil, Missing(err, ErrNoAccount, "load account")
	}
	rows, err := s.Store.Reader().APIKey.Query().Where(entapikey.AccountID(account)).
		Order(ent.Desc(entapikey.FieldCreatedAt), ent.Asc(entapikey.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return each.Of(rows, func(row *ent.APIKey) KeyInfo { return KeyInfoOf(row, s.Now()) }), nil
}

// RevokeKey ends a key at once, an imported one as well. Revoking it again changes nothing.
func (s *Core) RevokeKey(ctx context.Context, id string) (KeyInfo, error) {
	var info KeyInfo
	err := s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (_ Audited, err error) {
		now := s.Now()
		before, err := s.FindKey(ctx, tx, id, now)
		if err != nil {
			return Audited{}, err
		}
		if err := s.revokeKey(ctx, tx, id, now); err != nil {
			return Audited{}, fmt.Errorf("revoke key: %w", err)
		}
		info, err = s.FindKey(ctx, tx, id, now)
		return AuditedKey(&before, &info), err
	})
	return info, err
}

// AuditedKey is a key that is made, or that takes the place of the one before, or changes its state.
func AuditedKey(before, after *KeyInfo) Audited {
	a := Audited{Account: int64(after.AccountID), Target: after.ID, After: after}
	if before != nil {
		a.Target, a.Before, a.Key = before.ID, before, before.Prefix
	}
	return a
}

func (s *Core) revokeKey(ctx context.Context, tx *ent.Client, id string, now wire.Time) error {
	if keys := s.KeySource(id); keys != nil {
		return keys.Revoke(ctx, tx, id, now)
	}
	return tx.APIKey.Update().Where(entapikey.ID(id), entapikey.RevokedAtIsNil()).SetRevokedAt(int64(now)).Exec(ctx)
}

// FindKey loads what may be shown of a key, an imported one as well.
func (s *Core) FindKey(ctx context.Context, client *ent.Client, id string, now wire.Time) (info KeyInfo, err error) {
	if keys := s.KeySource(id); keys != nil {
		if info, err = keys.Find(ctx, client, id); err != nil {
			return KeyInfo{}, KeyNotLoaded(err)
		}
		return info, nil
	}
	row, err := client.APIKey.Get(ctx, id)
	if err != nil {
		return KeyInfo{}, KeyNotLoaded(err)
	}
	return KeyInfoOf(row, now), nil
}

// KeyNotLoaded is the error for commands that manage keys: ErrNoKey if there is no such key.
func KeyNotLoaded(err error) error { return Missing(err, ErrNoKey, "load key") }

// LockAccount serialises changes that count over both modes of an account, such as its live keys.
func LockAccount(ctx context.Context, tx *ent.Client, account int64, now wire.Time) error {
	err := tx.Account.UpdateOneID(account).SetUpdatedAt(int64(now)).Exec(ctx)
	return Missing(err, ErrNoAccount, "lock account %d", account)
}

// NotEmpty is a text that is null when it is empty.
func NotEmpty(s string) wire.Opt[string] { return wire.Opt[string]{V: s, Set: s != ""} }
