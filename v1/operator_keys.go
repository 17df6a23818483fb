package v1

import (
	"context"
	"errors"

	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file creates and revokes keys, for the operator.

// CreateKeyInput is a new key for an account.
type CreateKeyInput struct {
	ID  ID       `path:"id" missing:"route_not_found"`
	Key KeyInput `body:"json"`
}

// KeyInput describes a new key.
type KeyInput struct {
	Mode      Opt[string] `json:"mode" validate:"required,oneof=live test"`
	Name      Opt[string] `json:"name" validate:"omitnil,max=64,oneline" doc:"what the key is for"`
	ExpiresAt Opt[Time]   `json:"expires_at" validate:"omitnil" doc:"default: never"`
}

// CreatedKey is a new key: only this answer shows it.
type CreatedKey struct {
	KeyInfo
	Key string `json:"key"`
}

// operatorCreateKey makes a key. It takes no Idempotency-Key, because the stored answer would hold the secret.
func (s *Service) operatorCreateKey(ctx context.Context, c *Call, in *CreateKeyInput) (*CreatedKey, error) {
	TraceFrom(ctx).Account = int64(in.ID)
	if c.Idempotency != nil {
		return nil, refusal.Newf(InvalidIdempotencyKey, "Idempotency-Key", "This operation takes no key, because an answer with a secret is not stored.")
	}
	wire.CheckRules(&in.Key, "", &c.Problems)
	if in.Key.ExpiresAt.Set && in.Key.ExpiresAt.V <= s.now() {
		c.Problems.Add(DateInPast, "expires_at", "must lie in the future")
	}
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	key, info, err := s.CreateKey(ctx, NewKey{Account: int64(in.ID), Mode: in.Key.Mode.V, Name: in.Key.Name.V, ExpiresAt: in.Key.ExpiresAt})
	switch {
	case errors.Is(err, ErrNoAccount):
		return nil, errNoSuchAccount
	case errors.Is(err, ErrTooManyKeys):
		errs := refusal.Newf(OutOfRange, "mode", "%s", err)
		errs[0].Details = map[string]any{"live_keys": MaxLiveKeys}
		return nil, errs
	case err != nil:
		return nil, err
	}
	c.Meta.Location = "/operator/keys/" + info.ID
	return &CreatedKey{info, key}, nil
}

// KeyRef names a key in a path.
type KeyRef struct {
	ID KeyID `path:"id" missing:"route_not_found"`
}

// DeletedKey is the answer to a revocation.
type DeletedKey struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

// operatorRevokeKey revokes a key at once. Its row stays as a record.
func (s *Service) operatorRevokeKey(ctx context.Context, c *Call, in *KeyRef) (*DeletedKey, error) {
	if c.IfMatch != "" && c.IfMatch != "*" {
		return nil, refusal.Newf(PreconditionFailed, "If-Match", "A key has no entity tag.")
	}
	info, err := s.RevokeKey(ctx, string(in.ID))
	if errors.Is(err, ErrNoKey) {
		return nil, refusal.Newf(RouteNotFound, "", "There is no such key.")
	}
	if err != nil {
		return nil, err
	}
	TraceFrom(ctx).Account = int64(info.AccountID)
	return &DeletedKey{info.ID, true}, nil
}
