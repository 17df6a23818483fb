package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sellerd/ent"
	entapikey "sellerd/ent/apikey"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// This file lets keys look after themselves: a key lists those of its account and mode, replaces itself, and ends itself. It can end no
// other key but a successor of its own that was never used, so a stolen key locks nobody out.

// The endpoints about keys.
var (
	BrowseKeys = core.NewOp("BrowseKeys", "GET", "/v1/account/keys", 200, (*Accounts).browseKeys, core.Needs(permission.AccountRead),
		core.Since("1.6.0"),
		core.Doc("Lists the keys of your account in the mode of the key that asks, the newest first, without their secrets. Keys that have expired are in the list for 30 days, and revoked ones are not."))
	RotateKey = core.NewOp("RotateKey", "POST", "/v1/account/keys/current/rotate", 201, (*Accounts).rotateKey, core.Needs(permission.AccountWrite),
		core.Since("1.6.0"), core.AnswersSecret, core.OnKey,
		core.Doc("Replaces the key that asks by a new one of the same mode and permissions, which only the first answer shows. The old key ends after the overlap, and the new one lives as long as the old one was made for. A successor that was never used is replaced."),
		core.Refuses(refusal.KeyAlreadyRotated, refusal.KeyLimitReached))
	RevokeKey = core.NewOp("RevokeKey", "DELETE", "/v1/account/keys/current", 200, (*Accounts).revokeKey, core.Needs(permission.AccountWrite),
		core.Since("1.6.0"), core.OnKey,
		core.Doc("Revokes the key that asks, at once and for ever."),
		core.Refuses(refusal.PreconditionFailed))
)

// APIKey is one of the account's keys, without its secret.
type APIKey struct {
	ID            string              `json:"id" doc:"the third part of the key"`
	Prefix        string              `json:"prefix"`
	Name          wire.Opt[string]    `json:"name"`
	Mode          string              `json:"mode" enum:"live test"`
	Permissions   wire.Opt[[]string]  `json:"permissions" catalogue:"permissions" doc:"what the key permits; null for all"`
	CreatedAt     wire.Time           `json:"created_at"`
	ExpiresAt     wire.Opt[wire.Time] `json:"expires_at" doc:"null: never"`
	LastUsedAt    wire.Opt[wire.Time] `json:"last_used_at" doc:"exact to a minute"`
	Current       bool                `json:"current" doc:"it is the key that asks"`
	PredecessorID wire.Opt[string]    `json:"predecessor_id" doc:"the key that this one took the place of"`
	SuccessorID   wire.Opt[string]    `json:"successor_id" doc:"the key that took the place of this one"`
}

func apiKeyFrom(k core.KeyInfo, c *core.Call) APIKey {
	return APIKey{
		ID: k.ID, Prefix: k.Prefix, Name: k.Name, Mode: k.Mode, Permissions: k.Permissions, CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt,
		LastUsedAt: k.LastUsedAt, Current: k.ID == c.KeyID, PredecessorID: k.PredecessorID, SuccessorID: k.SuccessorID,
	}
}

// BrowseKeysInput is a page of keys.
type BrowseKeysInput struct {
	Limit wire.Opt[int]    `query:"limit" min:"1" max:"200" default:"50"`
	After wire.Opt[string] `query:"after" doc:"next_cursor of the page before"`
}

// expiredKeysShown is how long a key that has expired stays in the list.
const expiredKeysShown = 30 * 24 * time.Hour

// browseKeys lists the keys of the caller's account and mode. A cursor has the last key's time and, since an id does not fit into it, a
// hash of the id, which tells keys of the same instant apart. No row of a key is ever deleted.
func (s *Accounts) browseKeys(ctx context.Context, c *core.Call, in *BrowseKeysInput) (*rows.Page[APIKey], error) {
	now, client := s.Now(), s.Store.Reader()
	shown := client.APIKey.Query().Where(entapikey.AccountID(c.AccountID), entapikey.Test(c.Test), entapikey.RevokedAtIsNil(),
		entapikey.Or(entapikey.ExpiresAtIsNil(), entapikey.ExpiresAtGT(int64(now.Add(-expiredKeysShown)))))
	scope, limit := rows.Scope("BrowseKeys", int64(c.Owner)), in.Limit.Or(items.DefaultPageSize)
	if in.After.Set {
		last, err := s.Cursors.Decode(in.After.V, scope)
		if err != nil {
			return nil, err
		}
		ids, err := client.APIKey.Query().Where(entapikey.AccountID(c.AccountID), entapikey.Test(c.Test), entapikey.CreatedAt(last.Key)).IDs(ctx)
		if err != nil {
			return nil, fmt.Errorf("find the last key: %w", err)
		}
		behind := entapikey.CreatedAtLT(last.Key)
		for _, id := range ids {
			if hashOfKeyID(id) == last.ID {
				behind = entapikey.Or(behind, entapikey.And(entapikey.CreatedAt(last.Key), entapikey.IDGT(id)))
			}
		}
		shown.Where(behind)
	}
	found, err := shown.Order(ent.Desc(entapikey.FieldCreatedAt), ent.Asc(entapikey.FieldID)).Limit(limit + 1).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("browse keys: %w", err)
	}
	return rows.Found(s.Cursors, scope, found, limit,
		func(k *ent.APIKey) APIKey { return apiKeyFrom(core.KeyInfoOf(k, now), c) },
		func(k *ent.APIKey) rows.Cursor { return rows.Cursor{Key: k.CreatedAt, ID: hashOfKeyID(k.ID)} }), nil
}

func hashOfKeyID(id string) int64 { return int64(rows.Scope(id, 0)) }

// RotateKeyInput asks for a successor.
type RotateKeyInput struct {
	Rotation KeyRotation `body:"optional"`
}

// KeyRotation says how a key is replaced.
type KeyRotation struct {
	OverlapSeconds wire.Opt[int]    `json:"overlap_seconds" validate:"omitnil,min=0,max=604800" default:"86400" doc:"how long the old key stays valid, unless it ends earlier; 0: it ends at once, and if the answer is lost, only the marketplace can help"`
	Name           wire.Opt[string] `json:"name" validate:"omitnil,max=64,oneline" doc:"of the new key; default: that of the old one"`
}

// RotatedKey is the successor of the key that asked.
type RotatedKey struct {
	APIKey
	Key     wire.Opt[string] `json:"key" doc:"the key itself. Only the first answer shows it: null when the request is repeated with its Idempotency-Key"`
	Message wire.Opt[string] `json:"message" doc:"where key is null: what to do if it is lost"`

	PredecessorExpiresAt wire.Time `json:"predecessor_expires_at" doc:"when the key that asked ends"`
}

// lostKey is what the answer to a repeated request says in the place of the key.
const lostKey = "The key is shown once, and is not shown again. If you do not have it, rotate again with another Idempotency-Key: " +
	"that revokes this key, which nobody has used, and makes another one. If somebody has used it, ask the marketplace's operator to revoke it."

// rotateKey replaces the caller's key. The text of the new key is not stored, not even for the Idempotency-Key.
func (s *Accounts) rotateKey(ctx context.Context, c *core.Call, in *RotateKeyInput) (*RotatedKey, error) {
	wire.CheckRules(&in.Rotation, "", &c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	fresh, err := s.makeKey(c.Owner.Mode())
	if err != nil {
		return nil, err
	}
	asked := rotation{
		old: c.KeyID, overlap: time.Duration(in.Rotation.OverlapSeconds.Or(86400)) * time.Second, name: in.Rotation.Name, oldCounts: true,
	}
	var out *RotatedKey
	err = s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (core.Audited, error) {
		now := s.Now()
		if err := s.AnnounceKey(ctx, tx, c); err != nil {
			return core.Audited{}, err
		}
		if err := core.LockAccount(ctx, tx, c.AccountID, now); err != nil {
			return core.Audited{}, err
		}
		made, err := fresh.replace(ctx, tx, asked, now)
		if err != nil {
			return core.Audited{}, err
		}
		out = &RotatedKey{APIKey: apiKeyFrom(made.by, c), Message: wire.Some(lostKey), PredecessorExpiresAt: made.ends}
		return core.AuditedKey(&made.old, &made.by), s.Remember(ctx, tx, now, c, out)
	})
	var used *SuccessorUsedError
	switch {
	case errors.As(err, &used):
		return nil, refusal.With(refusal.KeyAlreadyRotated, map[string]any{"successor_id": used.SuccessorID})
	case errors.Is(err, ErrTooManyKeys):
		return nil, refusal.With(refusal.KeyLimitReached, map[string]any{"limit": MaxLiveKeys})
	case errors.Is(err, ErrKeyEnded): // after it was admitted
		return nil, core.ErrInvalidKey
	case err != nil:
		return nil, err
	}
	core.TraceFrom(ctx).Object = out.ID
	c.Meta.ShowOnce()
	out.Key, out.Message = wire.Some(fresh.Text), wire.Opt[string]{}
	return out, nil
}

// revokeKey ends the caller's key.
func (s *Accounts) revokeKey(ctx context.Context, c *core.Call, _ *core.NoInput) (*trade.Deleted[string], error) {
	if c.IfMatch != "" && c.IfMatch != "*" {
		return nil, errKeyTag
	}
	if _, err := s.Core.RevokeKey(ctx, c.KeyID); err != nil {
		return nil, err
	}
	return &trade.Deleted[string]{ID: c.KeyID, Deleted: true}, nil
}
