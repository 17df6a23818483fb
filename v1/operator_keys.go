package v1

import (
	"context"
	"errors"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/legacykey"
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
		return nil, refusal.Newf(InvalidIdempotencyKey, "Idempotency-Key", "No answer with a secret is kept, so this operation takes no key to repeat it by.")
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

// ImportLegacyKeyInput is an account's key of the old interface.
type ImportLegacyKeyInput struct {
	ID     ID             `path:"id" missing:"route_not_found"`
	Legacy LegacyKeyInput `body:"json"`
}

// LegacyKeyInput is a key as the old interface issued it.
type LegacyKeyInput struct {
	Key Opt[string] `json:"key" validate:"required" doc:"64 letters and digits"`
}

// ImportedLegacyKey is the record of an imported key of the old interface. It does not show the key.
type ImportedLegacyKey struct {
	ID        string `json:"id" doc:"fingerprint of the key"`
	AccountID ID     `json:"account_id"`
	CreatedAt Time   `json:"created_at"`
}

// operatorImportLegacyKey makes a key of the old interface valid for the account's live mode. For a key that the account
// has already, the answer is the existing record, with 200.
func (s *Service) operatorImportLegacyKey(ctx context.Context, c *Call, in *ImportLegacyKeyInput) (*ImportedLegacyKey, error) {
	TraceFrom(ctx).Account = int64(in.ID)
	wire.CheckRules(&in.Legacy, "", &c.Problems)
	if !legacyKeyForm.MatchString(in.Legacy.Key.V) {
		c.Problems.Add(InvalidValue, "key", "must be 64 letters and digits")
	}
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	if err := s.ids.prepare(ctx); err != nil {
		return nil, err
	}
	var (
		key  = in.Legacy.Key.V
		hash = legacyKeyHash(key)
		out  *ImportedLegacyKey
	)
	err := s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		now := s.now()
		if err := s.announceKey(ctx, tx, c); err != nil {
			return err
		}
		if err := lockAccount(ctx, tx, int64(in.ID), now); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `INSERT INTO legacy_keys (id, account_id, test, secret_sha256, last_four, created_at)
 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (secret_sha256) DO NOTHING`, s.ids.ordered(), int64(in.ID), false, hash[:], key[len(key)-4:], int64(now))
		if err != nil {
			return fmt.Errorf("store legacy key: %w", err)
		}
		made, err := result.RowsAffected()
		if err != nil {
			return fmt.Errorf("store legacy key: %w", err)
		}
		row, err := tx.LegacyKey.Query().Where(legacykey.SecretSha256(hash[:])).Only(ctx)
		if err != nil {
			return fmt.Errorf("load legacy key: %w", err)
		}
		same, err := tx.LegacyKey.Query().Where(legacyKeyNamed(legacyKeyID(hash[:]))).Count(ctx)
		if err != nil {
			return fmt.Errorf("count legacy keys: %w", err)
		}
		switch {
		case same > 1: // its id would match two keys
			return refusal.Newf(InvalidValue, "key", "has the fingerprint of another key")
		case row.AccountID != int64(in.ID):
			return refusal.Newf(InvalidValue, "key", "belongs to another account")
		case row.RevokedAt != nil:
			return refusal.Newf(InvalidValue, "key", "was revoked")
		case made == 0:
			c.Meta.Status = 200
		default:
			c.Meta.Status = 201
		}
		out = &ImportedLegacyKey{legacyKeyID(hash[:]), in.ID, Time(row.CreatedAt)}
		return s.remember(ctx, &Change{Client: tx, Now: now}, c, out)
	})
	if errors.Is(err, ErrNoAccount) {
		return nil, errNoSuchAccount
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}
