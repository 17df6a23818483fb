package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"sellerd/ent"
	entapikey "sellerd/ent/apikey"
	"sellerd/v1/apikey"
	"sellerd/v1/core"
	"sellerd/v1/permission"
	"sellerd/v1/wire"
)

// This file makes keys, and replaces them by new ones.

// MaxLiveKeys is how many keys of one account and mode may be valid at once.
const MaxLiveKeys = 10

// The errors of new keys. They are for operators and not codes of /v1.
var (
	ErrTooManyKeys = fmt.Errorf("the account has %d valid keys in this mode, which is the most it may have: revoke one first", MaxLiveKeys)
	ErrMode        = errors.New(`the mode must be "live" or "test"`)
	ErrKeyName     = errors.New("a key's name has at most 64 characters")
	ErrExpiry      = errors.New("a key must expire in the future")
	ErrPermissions = errors.New("a key needs at least one permission")
	ErrOverlap     = errors.New("the overlap must be between 0 and 90 days")
	ErrKeyEnded    = errors.New("only an active key can be rotated: create a new one")
)

// SuccessorUsedError says that a key was rotated before, and that its successor was used.
type SuccessorUsedError struct{ SuccessorID string }

// Error implements error.
func (e *SuccessorUsedError) Error() string {
	return "the key was rotated already, and its successor " + e.SuccessorID + " was used: rotate that one, or create a key if it was revoked"
}

// NewKey is the input of CreateKey.
type NewKey struct {
	Account   int64
	Mode      string // live or test
	Name      string // ≤64 characters
	ExpiresAt wire.Opt[wire.Time]

	Permissions wire.Opt[permission.Set] // at least one; default: all
}

// CreateKey makes a key and returns it; only this result holds the secret; it is not stored.
func (s *Accounts) CreateKey(ctx context.Context, in NewKey) (string, core.KeyInfo, error) {
	if in.Mode != "live" && in.Mode != "test" {
		return "", core.KeyInfo{}, ErrMode
	}
	if utf8.RuneCountInString(in.Name) > 64 {
		return "", core.KeyInfo{}, ErrKeyName
	}
	if in.ExpiresAt.Set && in.ExpiresAt.V <= s.Now() {
		return "", core.KeyInfo{}, ErrExpiry
	}
	if in.Permissions.Set && in.Permissions.V&permission.All == 0 {
		return "", core.KeyInfo{}, ErrPermissions
	}
	fresh, err := s.makeKey(in.Mode)
	if err != nil {
		return "", core.KeyInfo{}, err
	}
	var info core.KeyInfo
	err = s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (_ core.Audited, err error) {
		now := s.Now()
		if err := core.LockAccount(ctx, tx, in.Account, now); err != nil {
			return core.Audited{}, err
		}
		if err := OpenAccount(ctx, tx, in.Account); err != nil {
			return core.Audited{}, err
		}
		info, err = fresh.store(ctx, tx, in, nil, true, now)
		return core.AuditedKey(nil, &info), err
	})
	return fresh.Text, info, err
}

// freshKey is a new key that is not stored yet.
type freshKey struct{ apikey.New }

func (s *Accounts) makeKey(mode string) (freshKey, error) {
	fresh, err := apikey.Make(s.Config.Random, mode)
	for err == nil && s.KeySource(fresh.ID) != nil { // happens to one key in twelve million
		fresh, err = apikey.Make(s.Config.Random, mode)
	}
	return freshKey{fresh}, err
}

// store adds the key to those of its account, which must be locked. It may take the place of an old key, which counts against the number
// that an account may have, or does not.
func (k freshKey) store(ctx context.Context, tx *ent.Client, in NewKey, old *string, oldCounts bool, now wire.Time) (core.KeyInfo, error) {
	valid := tx.APIKey.Query().Where(entapikey.AccountID(in.Account), entapikey.Test(in.Mode == "test"), entapikey.RevokedAtIsNil(),
		entapikey.Or(entapikey.ExpiresAtIsNil(), entapikey.ExpiresAtGT(int64(now))))
	if !oldCounts {
		valid.Where(entapikey.IDNEQ(*old))
	}
	live, err := valid.Count(ctx)
	if err != nil {
		return core.KeyInfo{}, fmt.Errorf("count keys: %w", err)
	}
	if live >= MaxLiveKeys {
		return core.KeyInfo{}, ErrTooManyKeys
	}
	var permissions *string
	if in.Permissions.Set {
		permissions = new(in.Permissions.V.String())
	}
	create := tx.APIKey.Create().SetID(k.ID).SetAccountID(in.Account).SetTest(in.Mode == "test").SetName(in.Name).
		SetSecretSha256(k.Hash[:]).SetLastFour(k.Text[len(k.Text)-4:]).SetCreatedAt(int64(now)).SetNillableExpiresAt(wire.Int64Ptr(in.ExpiresAt)).
		SetNillablePermissions(permissions).SetNillablePredecessorID(old)
	if in.ExpiresAt.Set {
		create.SetLifetime(int64(in.ExpiresAt.V - now))
	}
	row, err := create.Save(ctx)
	if err != nil {
		return core.KeyInfo{}, fmt.Errorf("create key: %w", err)
	}
	return core.KeyInfoOf(row, now), nil
}

// RotateKey makes a successor with the same account, mode, name and permissions, and lets the old key expire after the overlap, or when
// it would anyway, all in one transaction. At the limit of live keys the two count as one during the overlap. ErrOverlap means that it is
// not of 0 to 90 days.
func (s *Accounts) RotateKey(ctx context.Context, id string, overlap time.Duration) (key string, successor core.KeyInfo, err error) {
	if overlap < 0 || overlap > 90*24*time.Hour {
		return "", core.KeyInfo{}, ErrOverlap
	}
	known, err := s.Store.Reader().APIKey.Get(ctx, id)
	if err != nil {
		return "", core.KeyInfo{}, core.KeyNotLoaded(err)
	}
	fresh, err := s.makeKey(core.ModeName(known.Test))
	if err != nil {
		return "", core.KeyInfo{}, err
	}
	err = s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (core.Audited, error) {
		now := s.Now()
		if err := core.LockAccount(ctx, tx, known.AccountID, now); err != nil {
			return core.Audited{}, err
		}
		replaced, err := fresh.replace(ctx, tx, rotation{old: id, overlap: overlap}, now)
		successor = replaced.by
		return core.AuditedKey(&replaced.old, &successor), err
	})
	return fresh.Text, successor, err
}

// rotation says which key is replaced, and how.
type rotation struct {
	old       string           // its id
	overlap   time.Duration    // how long it stays valid, at most
	name      wire.Opt[string] // of the successor; that of the old key
	oldCounts bool             // the old key counts, as long as it is valid, against the number that an account may have
}

// replaced is what became of a rotation.
type replaced struct {
	old, by core.KeyInfo // before it, and the successor
	ends    wire.Time    // when the old key ends
}

// replace stores the key as the successor of another, whose account must be locked. The successor lives, from
// now on, as long as the old key was made for. A key has one successor: an earlier one ends if it was never used, and else there is a
// SuccessorUsedError. ErrKeyEnded means that the old key is not valid any more.
func (k freshKey) replace(ctx context.Context, tx *ent.Client, in rotation, now wire.Time) (out replaced, err error) {
	old, err := tx.APIKey.Get(ctx, in.old)
	if err != nil {
		return replaced{}, core.KeyNotLoaded(err)
	}
	if out.old = core.KeyInfoOf(old, now); out.old.Status != "active" {
		return replaced{}, ErrKeyEnded
	}
	if err := endUnused(ctx, tx, old.SuccessorID, now); err != nil {
		return replaced{}, err
	}
	made := NewKey{
		Account: old.AccountID, Mode: core.ModeName(old.Test), Name: in.name.Or(old.Name), Permissions: core.StoredPermissions(old),
	}
	lifetime := lifetimeOf(old)
	if lifetime != nil {
		made.ExpiresAt = wire.Some(min(now+wire.Time(*lifetime), wire.LastTime))
	}
	if out.by, err = k.store(ctx, tx, made, &old.ID, in.oldCounts && in.overlap > 0, now); err != nil {
		return replaced{}, err
	}
	out.ends = now.Add(in.overlap)
	if old.ExpiresAt != nil {
		out.ends = min(out.ends, wire.Time(*old.ExpiresAt))
	}
	ended, err := tx.APIKey.Update().Where(entapikey.ID(old.ID), entapikey.RevokedAtIsNil()).SetSuccessorID(k.ID).SetExpiresAt(int64(out.ends)).
		SetNillableLifetime(lifetime).Save(ctx)
	if err != nil {
		return replaced{}, fmt.Errorf("let key end: %w", err)
	}
	if ended == 0 { // it was revoked meanwhile
		return replaced{}, ErrKeyEnded
	}
	return out, nil
}

// endUnused revokes the successor of a key, if it has one, unless that was used. A first use is stored before it is answered, so one of the
// two comes first.
func endUnused(ctx context.Context, tx *ent.Client, successor *string, now wire.Time) error {
	if successor == nil {
		return nil
	}
	ended, err := tx.APIKey.Update().Where(entapikey.ID(*successor), entapikey.LastUsedAtIsNil(), entapikey.RevokedAtIsNil()).
		SetRevokedAt(int64(now)).Save(ctx)
	if err != nil {
		return fmt.Errorf("end the successor: %w", err)
	}
	if ended > 0 {
		return nil
	}
	used, err := tx.APIKey.Query().Where(entapikey.ID(*successor), entapikey.LastUsedAtNotNil()).Exist(ctx)
	if err != nil {
		return fmt.Errorf("load the successor: %w", err)
	}
	if used {
		return &SuccessorUsedError{*successor}
	}
	return nil
}

// lifetimeOf is how long a key was made for, nil without an end. Programs before 1.6.0 did not store it: then it follows from the end, until
// a rotation moves that.
func lifetimeOf(k *ent.APIKey) *int64 {
	if k.Lifetime != nil || k.ExpiresAt == nil || k.SuccessorID != nil {
		return k.Lifetime
	}
	return new(*k.ExpiresAt - k.CreatedAt)
}
