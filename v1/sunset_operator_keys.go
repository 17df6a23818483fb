package v1

import (
	"context"
	"errors"

	"sellerd/ent"
	"sellerd/v1/sunset"
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
	if !sunset.IsKey(in.Legacy.Key.V) {
		c.Problems.Add(InvalidValue, "key", "must be 64 letters and digits")
	}
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	if err := s.ids.Prepare(ctx); err != nil {
		return nil, err
	}
	var out *ImportedLegacyKey
	err := s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		now := s.now()
		if err := s.announceKey(ctx, tx, c); err != nil {
			return err
		}
		if err := lockAccount(ctx, tx, int64(in.ID), now); err != nil {
			return err
		}
		row, fresh, err := sunset.ImportKey(ctx, tx, sunset.NewKey{ID: s.ids.Ordered(), Account: int64(in.ID), Key: in.Legacy.Key.V}, now)
		if err != nil {
			return err
		}
		c.Meta.Status = 200
		if fresh {
			c.Meta.Status = 201
		}
		out = &ImportedLegacyKey{sunset.KeyID(row.SecretSha256), in.ID, Time(row.CreatedAt)}
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
