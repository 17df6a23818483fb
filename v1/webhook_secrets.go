package v1

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"sellerd/ent"
)

// Webhook secrets are needed in the clear to sign, so they are stored sealed (AES-256-GCM), under a key made from the
// service's secret. Each is bound to its webhook: moved to another row, it does not open. An answer that holds one is
// sealed as well, when it is kept for an Idempotency-Key, and bound to that.

const (
	secretBytes  = 36
	secretPrefix = "whsec_"
	// secretOverlap is how long the old secret signs beside the new one after a rotation (docs/webhooks.md, Change the
	// secret).
	secretOverlap = 24 * time.Hour
)

// newSealer makes the cipher for what is stored sealed.
func newSealer(secret []byte, purpose string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// newWebhookSecret makes a secret as Standard Webhooks writes it.
func (s *Service) newWebhookSecret() (string, error) {
	b := make([]byte, secretBytes)
	if _, err := io.ReadFull(s.config.Random, b); err != nil {
		return "", fmt.Errorf("random: %w", err)
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(b), nil
}

// secretHint shows enough of a secret to tell it from others.
func secretHint(secret string) string { return secretPrefix + "…" + secret[len(secret)-4:] }

// seal encrypts a text and binds it to the place where it is stored.
func (s *Service) seal(text, place []byte) ([]byte, error) {
	if s.sealer == nil {
		return nil, ErrNoSecret
	}
	nonce := make([]byte, s.sealer.NonceSize(), s.sealer.NonceSize()+len(text)+s.sealer.Overhead())
	if _, err := io.ReadFull(s.config.Random, nonce); err != nil {
		return nil, fmt.Errorf("random: %w", err)
	}
	return s.sealer.Seal(nonce, nonce, text, place), nil
}

// errSealed means that what is sealed was sealed under another service secret, or for another place.
var errSealed = errors.New("does not open: was it sealed under another service secret?")

func (s *Service) unseal(sealed, place []byte) ([]byte, error) {
	if s.sealer == nil {
		return nil, ErrNoSecret
	}
	n := s.sealer.NonceSize()
	if len(sealed) < n {
		return nil, errSealed
	}
	text, err := s.sealer.Open(nil, sealed[:n], sealed[n:], place)
	if err != nil {
		return nil, errSealed
	}
	return text, nil
}

// The places of what is sealed. Their lengths differ, so that none can be taken for another.
func placeOfSecret(webhook int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(webhook)) }
func placeOfAnswer(id string) []byte     { return []byte("idempotency key " + id) }

func (s *Service) sealSecret(webhook int64, secret string) ([]byte, error) {
	return s.seal([]byte(secret), placeOfSecret(webhook))
}

func (s *Service) unsealSecret(webhook int64, sealed []byte) (string, error) {
	secret, err := s.unseal(sealed, placeOfSecret(webhook))
	if err != nil {
		return "", fmt.Errorf("the secret of webhook %d %w", webhook, err)
	}
	return string(secret), nil
}

// rotateSecret makes a new secret; the present one signs beside it for a day. One before that stops at once: rotating
// twice is the way to be rid of a secret that has leaked. A present one that does not open any more is dropped.
func (tx *Change) rotateSecret(row *ent.Webhook, update *ent.WebhookUpdateOne) (string, error) {
	secret, err := tx.s.newWebhookSecret()
	if err != nil {
		return "", err
	}
	sealed, err := tx.s.sealSecret(row.ID, secret)
	if err != nil {
		return "", err
	}
	update.SetSecret(sealed).SetSecretHint(secretHint(secret))
	if _, err := tx.s.unsealSecret(row.ID, row.Secret); err != nil {
		update.ClearPreviousSecret().ClearPreviousSecretUntil()
	} else {
		update.SetPreviousSecret(row.Secret).SetPreviousSecretUntil(int64(tx.Clock.Add(secretOverlap)))
	}
	return secret, nil
}
