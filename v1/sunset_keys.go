package v1

import (
	"context"
	"errors"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/ent/legacykey"
	"sellerd/v1/keycheck"
	"sellerd/v1/sunset"
	"sellerd/v1/wire"
)

// This file imports the keys of the old interface for operators, authenticates them, and shows them among the others. Only /rest
// accepts them. Package sunset keeps them.

// legacyAuthQuery reads the row of an imported key, by the first and last hash of its id.
const legacyAuthQuery = `SELECT k.` + legacykey.FieldSecretSha256 + `, k.` + legacykey.FieldTest + `, CAST(NULL AS bigint), k.` +
	legacykey.FieldRevokedAt + `, k.` + legacykey.FieldLastUsedAt + `, ` + keycheck.OfAccount + `, NULL, ''
 FROM ` + legacykey.Table + ` k JOIN ` + account.Table + ` a ON a.` + account.FieldID + ` = k.` + legacykey.FieldAccountID + `
 WHERE k.` + legacykey.FieldSecretSha256 + ` >= $1 AND k.` + legacykey.FieldSecretSha256 + ` <= $2`

// AuthenticateLegacy is Authenticate for the legacy interface, which accepts imported keys beside those of /v1.
func (s *Rest) AuthenticateLegacy(ctx context.Context, c *Call, key string) (Caller, error) {
	if !sunset.IsKey(key) {
		return s.authenticateCall(ctx, c, key)
	}
	hash := sunset.HashKey(key)
	return s.authenticateHashes(ctx, hash[:], hash[:])
}

// AuthenticateKeyID is Authenticate for the key behind a session of the legacy interface, of which only the public id is
// known. The caller has checked the session. The key and its account are checked as they are now.
func (s *Rest) AuthenticateKeyID(ctx context.Context, c *Call, keyID string) (Caller, error) {
	if sunset.IsKeyID(keyID) {
		first, last := sunset.KeyHashes(keyID)
		return s.authenticateHashes(ctx, first, last)
	}
	return s.authenticateRow(ctx, c, keyID, func(*keycheck.Row) bool { return true })
}

func (s *Rest) authenticateHashes(ctx context.Context, first, last []byte) (Caller, error) {
	row := keyRows.Get().(*keycheck.Row)
	defer keyRows.Put(row)
	found, err := row.ReadBy(ctx, s.store, legacyAuthQuery, first, last)
	if err != nil {
		return Caller{}, fmt.Errorf("authenticate: %w", err)
	}
	if !found {
		return Caller{}, errInvalidKey
	}
	id := sunset.KeyID(row.Secret[:])
	TraceFrom(ctx).Key = id
	return s.useKey(row, id)
}

func findLegacyKey(ctx context.Context, client *ent.Client, id string) (KeyInfo, error) {
	row, err := sunset.FindKey(ctx, client, id)
	if err != nil {
		return KeyInfo{}, keyNotLoaded(err)
	}
	return legacyKeyInfo(row), nil
}

func legacyKeyInfo(k *ent.LegacyKey) KeyInfo {
	info := KeyInfo{
		ID: sunset.KeyID(k.SecretSha256), AccountID: ID(k.AccountID), Mode: modeName(k.Test), Name: Some(sunset.KeyName),
		Prefix: sunset.KeyPrefix, LastFour: k.LastFour, Status: "active",
		CreatedAt: Time(k.CreatedAt), RevokedAt: MaybeTime(k.RevokedAt), LastUsedAt: MaybeTime(k.LastUsedAt),
	}
	if info.RevokedAt.Set {
		info.Status = "revoked"
	}
	return info
}

// SealToken makes a token of a text, such as a session of the legacy interface. The token needs no escaping in a URL, and
// every token is different.
func (s *Rest) SealToken(text []byte) string {
	return sunset.SealToken(s.tokens, s.config.Random, text)
}

// OpenToken is the text of a token, unless it was not made by SealToken under the same secret.
func (s *Rest) OpenToken(token string) ([]byte, bool) { return sunset.OpenToken(s.tokens, token) }

// OperatorImportLegacyKey is the operator's endpoint for keys of the old interface.
var OperatorImportLegacyKey = op("OperatorImportLegacyKey", "POST", "/operator/accounts/{id}/legacy-keys", 201, (*Rest).operatorImportLegacyKey, mayAnswer(200, FirstRelease),
	doc("Makes a key of the old interface valid for the account's live mode. A key that the account has already is answered with 200."),
	refuses(InvalidValue))

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
func (s *Rest) operatorImportLegacyKey(ctx context.Context, c *Call, in *ImportLegacyKeyInput) (*ImportedLegacyKey, error) {
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
