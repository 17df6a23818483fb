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

// OperatorImportLegacyKey is the operator's endpoint for keys of the old interface.
var OperatorImportLegacyKey = op("OperatorImportLegacyKey", "POST", "/operator/accounts/{id}/legacy-keys", 201, (*Service).operatorImportLegacyKey)

// ImportLegacyKeyInput is an account's key of the old interface.
type ImportLegacyKeyInput struct {
	ID     ID             `path:"id" missing:"route_not_found"`
	Legacy LegacyKeyInput `body:"json"`
}

// LegacyKeyInput is a key as the old interface issued it.
type LegacyKeyInput struct {
	Key Opt[string] `json:"key" validate:"required" doc:"64 letters and digits"`
}

// ImportedLegacyKey says that a key of the old interface is known. It does not show the key.
type ImportedLegacyKey struct {
	ID        string `json:"id" doc:"fingerprint of the key"`
	AccountID ID     `json:"account_id"`
	CreatedAt Time   `json:"created_at"`
}

// operatorImportLegacyKey makes a key of the old interface valid for the account's live mode. A key that the account has
// already is answered as it was, with 200.
func (s *Service) operatorImportLegacyKey(ctx context.Context, c *Call, in *ImportLegacyKeyInput) (*ImportedLegacyKey, error) {
	TraceFrom(ctx).Account = int64(in.ID)
	wire.CheckRules(&in.Legacy, "", &c.Problems)
	if !legacyKeyForm.MatchString(in.Legacy.Key.V) {
		c.Problems.Add(InvalidValue, "key", "must be 64 letters and digits")
	}
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	if err := s.ids.Prepare(ctx); err != nil {
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
		// By hand, because builders have no ON CONFLICT.
		result, err := tx.ExecContext(ctx, `INSERT INTO legacy_keys (id, account_id, test, secret_sha256, last_four, created_at)
 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (secret_sha256) DO NOTHING`, s.ids.Ordered(), int64(in.ID), false, hash[:], key[len(key)-4:], int64(now))
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
		case same > 1: // its id would name two keys
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
		return s.remember(ctx, tx, now, c, out)
	})
	if errors.Is(err, ErrNoAccount) {
		return nil, errNoSuchAccount
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}
