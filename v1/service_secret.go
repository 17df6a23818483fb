package v1

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/ent/idempotencykey"
	"sellerd/ent/secretfingerprint"
	"sellerd/ent/webhook"
	"sellerd/v1/rows"
)

// A database belongs to one service secret: the one that it was first served with. A server with another secret would
// reject the cursors of the others and could not sign their webhooks. So the database keeps a fingerprint, and such a
// server does not start. The fingerprint is made under a key of its own, which is derived from the secret; it does not help
// to guess a secret of 32 random bytes.

// SecretLength is how many bytes the service's secret has.
const SecretLength = 32

var (
	// ErrNoSecret means that an operation needs a secret and the service has none.
	ErrNoSecret = errors.New("the service runs without its secret")
	// ErrOtherSecret means that the database belongs to another secret.
	ErrOtherSecret = errors.New("the database belongs to another secret")
	// ErrUnprovenSecret means that the database has no fingerprint and that this secret opens none of its webhooks.
	ErrUnprovenSecret = errors.New("the secret opens none of the webhooks in the database")
	// ErrSameSecret means that the new secret is the one that the database belongs to already.
	ErrSameSecret = errors.New("the database belongs to this secret already")
)

// fingerprintID is the id of the only row, so that only one of two servers that start together can insert it.
const fingerprintID = "service"

// secretChunk is how many rows are read at a time.
const secretChunk = 1000

// SecretMayBeMade says whether a database is new: it belongs to no secret, and no account is in it. Only then may a server
// make a secret by itself; for any other database a secret exists somewhere.
func SecretMayBeMade(ctx context.Context, store Store) (bool, error) {
	claimed, err := store.Reader().SecretFingerprint.Query().Exist(ctx)
	if err != nil {
		return false, fmt.Errorf("look for the secret's fingerprint: %w", err)
	}
	used, err := store.Reader().Account.Query().Exist(ctx)
	if err != nil {
		return false, fmt.Errorf("look for accounts: %w", err)
	}
	return !claimed && !used, nil
}

// deriveKeys derives the keys from the secret: that of cursors, and the ciphers of webhook secrets and of sessions.
func (s *Service) deriveKeys() (err error) {
	s.cursors = rows.NewKey(s.config.Secret)
	s.sealer, err = newSealer(s.config.Secret, "sellerd webhook secrets v1")
	if err != nil {
		return err
	}
	s.tokens, err = newSealer(s.config.Secret, "sellerd legacy session tokens v1") // sunset
	return err
}

// secretFingerprint identifies the service's secret without revealing it.
func (s *Service) secretFingerprint() ([]byte, error) {
	if s.config.Secret == nil {
		return nil, ErrNoSecret
	}
	key, err := hkdf.Key(sha256.New, s.config.Secret, nil, "sellerd secret fingerprint v1", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("the service secret of this database"))
	return mac.Sum(nil), nil
}

// ClaimSecret makes sure that the database belongs to the service's secret; a server calls it before it serves. A database
// without a fingerprint, because it is new or of a release before 1.2.1, gets the fingerprint, unless it has webhooks and
// the secret opens none of them. It fails with ErrOtherSecret or ErrUnprovenSecret.
func (s *Service) ClaimSecret(ctx context.Context) error {
	own, err := s.secretFingerprint()
	if err != nil {
		return err
	}
	return s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
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
			return ErrOtherSecret
		}
		return nil
	})
}

// CheckSecretOnce fails with ErrOtherSecret if the database's secret was replaced since the server started: a server that
// was not stopped would still use the old secret. It never counts as work.
func (s *Service) CheckSecretOnce(ctx context.Context) (int, error) {
	if s.config.Secret == nil {
		return 0, nil
	}
	own, err := s.secretFingerprint()
	if err != nil {
		return 0, err
	}
	recorded, err := recordedFingerprint(ctx, s.store.Reader())
	if err == nil && recorded != nil && !hmac.Equal(recorded, own) {
		err = fmt.Errorf("%w: stop this server, and start it with that secret", ErrOtherSecret)
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
func (s *Service) proveSecret(ctx context.Context, tx *ent.Client) error {
	there, opens, err := s.opensAny(ctx, tx)
	if err == nil && there && !opens {
		return ErrUnprovenSecret
	}
	return err
}

// opensAny says whether there are webhooks, and whether the secret opens one.
func (s *Service) opensAny(ctx context.Context, tx *ent.Client) (there, opens bool, err error) {
	err = eachSealedWebhook(ctx, tx, func(page []*ent.Webhook) (goOn bool) {
		there = true
		opens = slices.ContainsFunc(page, s.opens)
		return !opens
	})
	return there, opens, err
}

// opens says whether the service's secret opens a webhook's.
func (s *Service) opens(row *ent.Webhook) bool {
	_, err := s.unsealSecret(row.ID, row.Secret)
	return err == nil
}

// eachSealedWebhook reads the webhooks page by page, newest first, until do returns false.
func eachSealedWebhook(ctx context.Context, tx *ent.Client, do func(page []*ent.Webhook) (goOn bool)) error {
	query := tx.Webhook.Query()
	for {
		page, err := query.Order(ent.Desc(webhook.FieldID)).Limit(secretChunk).
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

// UnreadableWebhook is a webhook that waits for its owner to rotate its secret.
type UnreadableWebhook struct {
	ID        WebhookID `json:"id"`
	AccountID ID        `json:"account_id"`
	Mode      string    `json:"mode"`
}

// ReplacedSecret lists what a replacement of the secret makes useless, besides all cursors and sessions.
type ReplacedSecret struct {
	Compared bool                `json:"compared" doc:"false if the database holds neither a fingerprint nor a webhook, so that the secret may be the one that it replaces"`
	Webhooks []UnreadableWebhook `json:"webhooks" doc:"that cannot be signed until their secrets are rotated, oldest first"`
	Answers  int                 `json:"answers" doc:"stored for an Idempotency-Key, and deleted because they do not open"`
}

// ReplaceSecret makes the database belong to the service's secret instead of the earlier one. Stored answers that no longer
// open are deleted, so that their requests, sent again, are carried out again instead of failing. No server with the other
// secret may run meanwhile. It fails with ErrSameSecret if there is nothing to replace: of a database without a
// fingerprint, if the secret opens one of the webhooks in it.
func (s *Service) ReplaceSecret(ctx context.Context) (*ReplacedSecret, error) {
	own, err := s.secretFingerprint()
	if err != nil {
		return nil, err
	}
	var out *ReplacedSecret
	err = s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		out = &ReplacedSecret{Webhooks: []UnreadableWebhook{}}
		recorded, err := recordedFingerprint(ctx, tx)
		if err != nil {
			return err
		}
		same := hmac.Equal(recorded, own)
		out.Compared = recorded != nil
		if recorded == nil {
			if out.Compared, same, err = s.opensAny(ctx, tx); err != nil {
				return err
			}
		}
		if same {
			return ErrSameSecret
		}
		// By hand, because builders have no ON CONFLICT.
		_, err = tx.ExecContext(ctx, `INSERT INTO secret_fingerprints (id, fingerprint, recorded_at) VALUES ($1, $2, $3)
 ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, recorded_at = excluded.recorded_at`, fingerprintID, own, int64(s.now()))
		if err != nil {
			return fmt.Errorf("record the secret's fingerprint: %w", err)
		}
		err = eachSealedWebhook(ctx, tx, func(page []*ent.Webhook) bool {
			for _, row := range page {
				if owner := Owner(row.Owner); !s.opens(row) {
					out.Webhooks = append(out.Webhooks, UnreadableWebhook{WebhookID(row.ID), ID(owner.Account()), owner.Mode()})
				}
			}
			return true
		})
		slices.Reverse(out.Webhooks)
		if err != nil {
			return err
		}
		out.Answers, err = s.deleteUnreadableAnswers(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// deleteUnreadableAnswers deletes the stored answers that are sealed and do not open.
func (s *Service) deleteUnreadableAnswers(ctx context.Context, tx *ent.Client) (deleted int, err error) {
	for last := ""; ; {
		page, err := tx.IdempotencyKey.Query().Where(idempotencykey.IDGT(last)).Order(ent.Asc(idempotencykey.FieldID)).Limit(secretChunk).
			Select(idempotencykey.FieldID, idempotencykey.FieldBody).All(ctx)
		if err != nil {
			return deleted, fmt.Errorf("list stored answers: %w", err)
		}
		if len(page) == 0 {
			return deleted, nil
		}
		last = page[len(page)-1].ID
		var unreadable []string
		for _, row := range page {
			if s.isUnreadable(row) {
				unreadable = append(unreadable, row.ID)
			}
		}
		if len(unreadable) == 0 {
			continue
		}
		n, err := tx.IdempotencyKey.Delete().Where(idempotencykey.IDIn(unreadable...)).Exec(ctx)
		if err != nil {
			return deleted, fmt.Errorf("delete stored answers: %w", err)
		}
		deleted += n
	}
}

// isUnreadable says whether an answer is sealed and does not open. Answers that are not sealed are JSON objects, which are
// not base64.
func (s *Service) isUnreadable(row *ent.IdempotencyKey) bool {
	sealed, err := base64.StdEncoding.DecodeString(row.Body)
	if err != nil || len(sealed) < s.sealer.NonceSize()+s.sealer.Overhead() {
		return false
	}
	_, err = s.unseal(sealed, placeOfAnswer(row.ID))
	return err != nil
}
