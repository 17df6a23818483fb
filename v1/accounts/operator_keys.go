package accounts

import (
	"context"
	"errors"
	"fmt"

	"sellerd/v1/apikey"
	"sellerd/v1/core"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file creates and revokes keys, for the operator.

// CreateKeyInput is a new key for an account.
type CreateKeyInput struct {
	ID  wire.ID  `path:"id" missing:"route_not_found"`
	Key KeyInput `body:"json"`
}

// KeyInput describes a new key.
type KeyInput struct {
	Mode      wire.Opt[string]    `json:"mode" validate:"required,oneof=live test"`
	Name      wire.Opt[string]    `json:"name" validate:"omitnil,max=64,oneline" doc:"what the key is for"`
	ExpiresAt wire.Opt[wire.Time] `json:"expires_at" validate:"omitnil" doc:"default: never"`

	Permissions wire.Opt[[]string] `json:"permissions" validate:"omitnil,min=1" catalogue:"permissions" doc:"default: all"`
}

// CreatedKey is a new key: only this answer shows it.
type CreatedKey struct {
	core.KeyInfo
	Key string `json:"key"`
}

// operatorCreateKey makes a key. It takes no Idempotency-Key, because the stored answer would hold the secret.
func (s *Accounts) operatorCreateKey(ctx context.Context, c *core.Call, in *CreateKeyInput) (*CreatedKey, error) {
	core.TraceFrom(ctx).Account = int64(in.ID)
	if c.Idempotency != nil {
		return nil, refusal.Newf(refusal.InvalidIdempotencyKey, "Idempotency-Key",
			"This operation takes no key, because an answer with a secret is not stored.")
	}
	wire.CheckRules(&in.Key, "", &c.Problems)
	if in.Key.ExpiresAt.Set && in.Key.ExpiresAt.V <= s.Now() {
		c.Problems.Add(refusal.DateInPast, "expires_at", "must lie in the future")
	}
	permissions := checkPermissions(in.Key.Permissions, &c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	key, info, err := s.CreateKey(ctx, NewKey{
		Account: int64(in.ID), Mode: in.Key.Mode.V, Name: in.Key.Name.V, ExpiresAt: in.Key.ExpiresAt, Permissions: permissions,
	})
	if errors.Is(err, ErrTooManyKeys) {
		return nil, refusal.Newf(refusal.OutOfRange, "mode", "%s", err).With(map[string]any{"live_keys": MaxLiveKeys})
	}
	if err != nil {
		return nil, AsRefused(err)
	}
	c.Meta.Location = "/operator/keys/" + info.ID
	return &CreatedKey{info, key}, nil
}

// checkPermissions reads a list of permissions. What is wrong with its entries goes to the problems.
func checkPermissions(list wire.Opt[[]string], problems *refusal.Problems) wire.Opt[permission.Set] {
	read := wire.Opt[permission.Set]{Set: list.Set}
	for i, name := range list.V {
		one, known := permission.Find(name)
		switch field := fmt.Sprintf("permissions[%d]", i); {
		case !known:
			problems.Add(refusal.InvalidValue, field, "There is no permission %s.", wire.Printable(name))
		case read.V&one != 0:
			problems.Add(refusal.InvalidValue, field, "The permission %s is there twice.", name)
		}
		read.V |= one
	}
	return read
}

// KeyRef names a key in a path.
type KeyRef struct {
	ID apikey.KeyID `path:"id" missing:"route_not_found"`
}

// DeletedKey is the answer to a revocation.
type DeletedKey struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

// errNoSuchKey is the operator API's error for a key that does not exist: there is no code of its own.
var errNoSuchKey = refusal.Newf(refusal.RouteNotFound, "", "There is no such key.")

// errKeyTag is the refusal of a condition on a key.
var errKeyTag = refusal.Newf(refusal.PreconditionFailed, "If-Match", "A key has no entity tag.")

// operatorRevokeKey revokes a key at once. Its row stays as a record.
func (s *Accounts) operatorRevokeKey(ctx context.Context, c *core.Call, in *KeyRef) (*DeletedKey, error) {
	if c.IfMatch != "" && c.IfMatch != "*" {
		return nil, errKeyTag
	}
	info, err := s.RevokeKey(ctx, string(in.ID))
	if err != nil {
		return nil, AsRefused(err)
	}
	core.TraceFrom(ctx).Account = int64(info.AccountID)
	return &DeletedKey{info.ID, true}, nil
}
