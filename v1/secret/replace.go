package secret

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/ent/idempotencykey"
	"sellerd/v1/wire"
)

// UnreadableWebhook is a webhook that waits for its owner to rotate its secret.
type UnreadableWebhook struct {
	ID        wire.WebhookID `json:"id"`
	AccountID wire.ID        `json:"account_id"`
	Mode      string         `json:"mode"`
}

// Replaced lists what a replacement of the secret makes useless, besides all cursors and sessions.
type Replaced struct {
	Compared bool                `json:"compared" doc:"false if the database holds neither a fingerprint nor a webhook, so that the secret may be the one that it replaces"`
	Webhooks []UnreadableWebhook `json:"webhooks" doc:"that cannot be signed until their secrets are rotated, oldest first"`
	Answers  int                 `json:"answers" doc:"stored for an Idempotency-Key, and deleted because they do not open"`
}

// Replace makes the database belong to the service's secret instead of the earlier one. Stored answers that no longer
// open are deleted, so that their requests, sent again, are carried out again instead of failing. No server with the other
// secret may run meanwhile. It fails with ErrSame if there is nothing to replace: of a database without a
// fingerprint, if the secret opens one of the webhooks in it. note stores in the same transaction what was replaced.
func (s *Keeper) Replace(ctx context.Context, note func(context.Context, *ent.Client, *Replaced) error) (*Replaced, error) {
	own, err := s.fingerprint()
	if err != nil {
		return nil, err
	}
	var out *Replaced
	err = s.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		out = &Replaced{Webhooks: []UnreadableWebhook{}}
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
			return ErrSame
		}
		// By hand, because builders have no ON CONFLICT.
		_, err = tx.ExecContext(ctx, `INSERT INTO secret_fingerprints (id, fingerprint, recorded_at) VALUES ($1, $2, $3)
 ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, recorded_at = excluded.recorded_at`, fingerprintID, own, int64(s.now()))
		if err != nil {
			return fmt.Errorf("record the secret's fingerprint: %w", err)
		}
		err = eachSealedWebhook(ctx, tx, func(page []*ent.Webhook) bool {
			for _, row := range page {
				if !s.opens(row) {
					account, mode := s.config.AccountOf(row.Owner)
					out.Webhooks = append(out.Webhooks, UnreadableWebhook{wire.WebhookID(row.ID), account, mode})
				}
			}
			return true
		})
		slices.Reverse(out.Webhooks)
		if err != nil {
			return err
		}
		if out.Answers, err = s.deleteUnreadableAnswers(ctx, tx); err != nil {
			return err
		}
		return note(ctx, tx, out)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// deleteUnreadableAnswers deletes the stored answers that are sealed and do not open.
func (s *Keeper) deleteUnreadableAnswers(ctx context.Context, tx *ent.Client) (deleted int, err error) {
	for last := ""; ; {
		page, err := tx.IdempotencyKey.Query().Where(idempotencykey.IDGT(last)).Order(ent.Asc(idempotencykey.FieldID)).Limit(chunk).
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
func (s *Keeper) isUnreadable(row *ent.IdempotencyKey) bool {
	sealed, err := base64.StdEncoding.DecodeString(row.Body)
	if err != nil || len(sealed) < s.sealer.NonceSize()+s.sealer.Overhead() {
		return false
	}
	_, err = s.unseal(sealed, placeOfAnswer(row.ID))
	return err != nil
}
