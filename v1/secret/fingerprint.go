package secret

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/ent/secretfingerprint"
	"sellerd/ent/webhook"
	"sellerd/internal/base/wrap"
)

// A database belongs to one service secret: the one that it was first served with. A server with another secret would
// reject the cursors of the others and could not sign their webhooks. So the database keeps a fingerprint, and such a
// server does not start. The fingerprint is made under a key of its own, which is derived from the secret; it does not help
// to guess a secret of 32 random bytes.

// fingerprintID is the id of the only row, so that only one of two servers that start together can insert it.
const fingerprintID = "service"

// chunk is how many rows are read at a time.
const chunk = 1000

// MayBeMade says whether a database is new: it belongs to no secret, and no account is in it. Only then may a server
// make a secret by itself; for any other database a secret exists somewhere.
func MayBeMade(ctx context.Context, store Store) (bool, error) {
	claimed, err := store.Reader().SecretFingerprint.Query().Exist(ctx)
	if err != nil {
		return false, fmt.Errorf("look for the secret's fingerprint: %w", err)
	}
	used, err := store.Reader().Account.Query().Exist(ctx)
	return !claimed && !used, wrap.Err(err, "look for accounts")
}

// fingerprint identifies the service's secret without revealing it.
func (s *Keeper) fingerprint() ([]byte, error) {
	if s.config.Bytes == nil {
		return nil, ErrNone
	}
	key, err := hkdf.Key(sha256.New, s.config.Bytes, nil, "sellerd secret fingerprint v1", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("the service secret of this database"))
	return mac.Sum(nil), nil
}

// Claim makes sure that the database belongs to the service's secret; a server calls it before it serves. A database
// without a fingerprint, because it is new or of a release before 1.2.1, gets the fingerprint, unless it has webhooks and
// the secret opens none of them. It fails with ErrOther or ErrUnproven.
func (s *Keeper) Claim(ctx context.Context) error {
	own, err := s.fingerprint()
	if err != nil {
		return err
	}
	return s.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		recorded, err := recordedFingerprint(ctx, tx)
		if err != nil {
			return err
		}
		if recorded == nil {
			if err := s.proveSecret(ctx, tx); err != nil {
				return err
			}
			// If two servers start together, the second waits here for the first, and then finds its row. By hand, because
			// builders have no ON CONFLICT.
			_, err := tx.ExecContext(ctx, `INSERT INTO secret_fingerprints (id, fingerprint, recorded_at) VALUES ($1, $2, $3)
 ON CONFLICT (id) DO NOTHING`, fingerprintID, own, int64(s.now()))
			if err != nil {
				return fmt.Errorf("record the secret's fingerprint: %w", err)
			}
			if recorded, err = recordedFingerprint(ctx, tx); err != nil {
				return err
			}
		}
		if !hmac.Equal(recorded, own) {
			return ErrOther
		}
		return nil
	})
}

// CheckOnce fails with ErrOther if the database's secret was replaced since the server started: a server that was not
// stopped would still use the old secret. It never counts as work.
func (s *Keeper) CheckOnce(ctx context.Context) (int, error) {
	if s.config.Bytes == nil {
		return 0, nil
	}
	own, err := s.fingerprint()
	if err != nil {
		return 0, err
	}
	recorded, err := recordedFingerprint(ctx, s.config.Store.Reader())
	if err == nil && recorded != nil && !hmac.Equal(recorded, own) {
		err = fmt.Errorf("%w: stop this server, and start it with that secret", ErrOther)
	}
	return 0, err
}

// recordedFingerprint is the fingerprint in the database, nil if there is none.
func recordedFingerprint(ctx context.Context, tx *ent.Client) ([]byte, error) {
	row, err := tx.SecretFingerprint.Query().Where(secretfingerprint.ID(fingerprintID)).Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("load the secret's fingerprint: %w", err)
	}
	return row.Fingerprint, nil
}

// proveSecret looks for a webhook that the secret opens. One is enough: others may come from a time with another secret. A
// database without webhooks cannot prove a secret.
func (s *Keeper) proveSecret(ctx context.Context, tx *ent.Client) error {
	there, opens, err := s.opensAny(ctx, tx)
	if err == nil && there && !opens {
		return ErrUnproven
	}
	return err
}

// opensAny says whether there are webhooks, and whether the secret opens one.
func (s *Keeper) opensAny(ctx context.Context, tx *ent.Client) (there, opens bool, err error) {
	err = eachSealedWebhook(ctx, tx, func(page []*ent.Webhook) (goOn bool) {
		there = true
		opens = slices.ContainsFunc(page, s.opens)
		return !opens
	})
	return there, opens, err
}

// opens says whether the service's secret opens a webhook's.
func (s *Keeper) opens(row *ent.Webhook) bool {
	_, err := s.OpenForWebhook(row.ID, row.Secret)
	return err == nil
}

// eachSealedWebhook reads the webhooks page by page, newest first, until do returns false.
func eachSealedWebhook(ctx context.Context, tx *ent.Client, do func(page []*ent.Webhook) (goOn bool)) error {
	query := tx.Webhook.Query()
	for {
		page, err := query.Order(ent.Desc(webhook.FieldID)).Limit(chunk).
			Select(webhook.FieldID, webhook.FieldOwner, webhook.FieldSecret).All(ctx)
		if err != nil {
			return fmt.Errorf("look through the webhooks: %w", err)
		}
		if len(page) == 0 || !do(page) {
			return nil
		}
		query = tx.Webhook.Query().Where(webhook.IDLT(page[len(page)-1].ID))
	}
}
