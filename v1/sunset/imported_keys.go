package sunset

import (
	"context"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/ent/legacykey"
	"sellerd/v1/accounts"
	"sellerd/v1/core"
	"sellerd/v1/keycheck"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file imports the keys of the old interface for operators, authenticates them, and shows them among the others. Only /rest
// accepts them. keys.go has their rows.

// legacyAuthQuery reads the row of an imported key, by the first and last hash of its id.
const legacyAuthQuery = `SELECT k.` + legacykey.FieldSecretSha256 + `, k.` + legacykey.FieldTest + `, CAST(NULL AS bigint), k.` +
	legacykey.FieldRevokedAt + `, k.` + legacykey.FieldLastUsedAt + `, ` + keycheck.OfAccount + `, NULL, false, ''
 FROM ` + legacykey.Table + ` k JOIN ` + account.Table + ` a ON a.` + account.FieldID + ` = k.` + legacykey.FieldAccountID + `
 WHERE k.` + legacykey.FieldSecretSha256 + ` >= $1 AND k.` + legacykey.FieldSecretSha256 + ` <= $2`

// AuthenticateLegacy is Authenticate for the legacy interface, which accepts imported keys beside those of /v1.
func (s *Rest) AuthenticateLegacy(ctx context.Context, c *core.Call, key string) (core.Caller, error) {
	if !IsKey(key) {
		return s.AuthenticateCall(ctx, c, key)
	}
	hash := HashKey(key)
	return s.authenticateHashes(ctx, hash[:], hash[:])
}

// AuthenticateKeyID is Authenticate for the key behind a session of the legacy interface, of which only the public id is
// known. The caller has checked the session. The key and its account are checked as they are now.
func (s *Rest) AuthenticateKeyID(ctx context.Context, c *core.Call, keyID string) (core.Caller, error) {
	if IsKeyID(keyID) {
		first, last := KeyHashes(keyID)
		return s.authenticateHashes(ctx, first, last)
	}
	return s.AuthenticateID(ctx, c, keyID)
}

func (s *Rest) authenticateHashes(ctx context.Context, first, last []byte) (core.Caller, error) {
	return s.AuthenticateBy(ctx, func(row *keycheck.Row) string { return KeyID(row.Secret[:]) }, legacyAuthQuery, first, last)
}

func legacyKeyInfo(k *ent.LegacyKey) core.KeyInfo {
	info := core.KeyInfo{
		ID: KeyID(k.SecretSha256), AccountID: wire.ID(k.AccountID), Mode: core.ModeName(k.Test), Name: wire.Some(KeyName),
		Prefix: KeyPrefix, LastFour: k.LastFour, Status: "active",
		CreatedAt: wire.Time(k.CreatedAt), RevokedAt: wire.MaybeTime(k.RevokedAt), LastUsedAt: wire.MaybeTime(k.LastUsedAt),
	}
	if info.RevokedAt.Set {
		info.Status = "revoked"
	}
	return info
}

// OperatorImportLegacyKey is the operator's endpoint for keys of the old interface.
var OperatorImportLegacyKey = core.NewOp("OperatorImportLegacyKey", "POST", "/operator/accounts/{id}/legacy-keys", 201, (*Rest).
	operatorImportLegacyKey, core.MayAnswer(200, core.FirstRelease),
	core.Doc("Makes a key of the old interface valid for the account's live mode. A key that the account has already is answered with 200."),
	core.Refuses(refusal.InvalidValue))

// ImportLegacyKeyInput is an account's key of the old interface.
type ImportLegacyKeyInput struct {
	ID     wire.ID        `path:"id" missing:"route_not_found"`
	Legacy LegacyKeyInput `body:"json"`
}

// LegacyKeyInput is a key as the old interface issued it.
type LegacyKeyInput struct {
	Key wire.Opt[string] `json:"key" validate:"required" doc:"64 letters and digits"`
}

// ImportedLegacyKey says that a key of the old interface is known. It does not show the key.
type ImportedLegacyKey struct {
	ID        string    `json:"id" doc:"fingerprint of the key"`
	AccountID wire.ID   `json:"account_id"`
	CreatedAt wire.Time `json:"created_at"`
}

// operatorImportLegacyKey makes a key of the old interface valid for the account's live mode. A key that the account has
// already is answered as it was, with 200.
func (s *Rest) operatorImportLegacyKey(ctx context.Context, c *core.Call, in *ImportLegacyKeyInput) (*ImportedLegacyKey, error) {
	core.TraceFrom(ctx).Account = int64(in.ID)
	wire.CheckRules(&in.Legacy, "", &c.Problems)
	if !IsKey(in.Legacy.Key.V) {
		c.Problems.Add(refusal.InvalidValue, "key", "must be 64 letters and digits")
	}
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	var out *ImportedLegacyKey
	err := s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (core.Audited, error) {
		now := s.Now()
		if err := s.AnnounceKey(ctx, tx, c); err != nil {
			return core.Audited{}, err
		}
		if err := core.LockAccount(ctx, tx, int64(in.ID), now); err != nil {
			return core.Audited{}, err
		}
		if err := accounts.OpenAccount(ctx, tx, int64(in.ID)); err != nil {
			return core.Audited{}, err
		}
		row, fresh, err := ImportKey(ctx, tx, NewKey{ID: s.IDs.Ordered(), Account: int64(in.ID), Key: in.Legacy.Key.V}, now)
		if err != nil {
			return core.Audited{}, err
		}
		c.Meta.Status = 200
		if fresh {
			c.Meta.Status = 201
		}
		out = &ImportedLegacyKey{KeyID(row.SecretSha256), in.ID, wire.Time(row.CreatedAt)}
		return core.Audited{Account: int64(in.ID), Target: out.ID, After: out}, s.Remember(ctx, tx, now, c, out)
	})
	if err != nil {
		return nil, accounts.AsRefused(err)
	}
	return out, nil
}
