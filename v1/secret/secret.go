// Package secret holds the service's secret: 32 random bytes that authenticate cursors and seal what the database must not
// show. Three things are here:
//
//   - what is sealed under it: the secrets of webhooks, and stored answers that contain one (this file);
//   - the fingerprint by which a database knows the secret that it belongs to (fingerprint.go);
//   - the replacement of a secret, with the list of what it makes useless (replace.go).
package secret

import (
	"context"
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
	"sellerd/v1/wire"
)

// Length is how many bytes the service's secret has.
const Length = 32

var (
	// ErrNone means that an operation needs a secret and the service has none.
	ErrNone = errors.New("the service runs without its secret")
	// ErrOther means that the database belongs to another secret.
	ErrOther = errors.New("the database belongs to another secret")
	// ErrUnproven means that the database has no fingerprint and that this secret opens none of its webhooks.
	ErrUnproven = errors.New("the secret opens none of the webhooks in the database")
	// ErrSame means that the new secret is the one that the database belongs to already.
	ErrSame = errors.New("the database belongs to this secret already")
)

// Store is the database of a Keeper.
type Store interface {
	// Reader reads outside transactions.
	Reader() *ent.Client
	// Write runs fn in one transaction, more than once if need be, and returns after the commit is durable.
	Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error
}

// Config is what a Keeper is made of.
type Config struct {
	// Bytes are the secret itself, Length of them. Without them every operation fails with ErrNone.
	Bytes []byte
	// Store is the database that belongs to the secret. Mandatory.
	Store Store
	// Clock gives the instant at which a fingerprint is recorded. Mandatory.
	Clock interface{ Now() time.Time }
	// Random makes nonces and the secrets of webhooks. Mandatory.
	Random io.Reader
	// AccountOf names the account and the mode (live or test) of a webhook's owner. Mandatory.
	AccountOf func(owner int64) (account wire.ID, mode string)
}

// Keeper keeps the service's secret, and seals and opens with it. It is safe for concurrent use.
type Keeper struct {
	config Config
	sealer cipher.AEAD // nil without a secret
}

// New checks the configuration and derives the key of what is sealed.
func New(c Config) (*Keeper, error) {
	for _, part := range []struct {
		name    string
		missing bool
	}{
		{"Store", c.Store == nil},
		{"Clock", c.Clock == nil},
		{"Random", c.Random == nil},
		{"AccountOf", c.AccountOf == nil},
	} {
		if part.missing {
			return nil, errors.New("secret: the configuration lacks " + part.name)
		}
	}
	s := &Keeper{config: c}
	if c.Bytes == nil {
		return s, nil
	}
	if len(c.Bytes) != Length {
		return nil, fmt.Errorf("the secret must have %d bytes, not %d", Length, len(c.Bytes))
	}
	var err error
	s.sealer, err = s.Cipher("sellerd webhook secrets v1")
	return s, err
}

// now is the present instant.
func (s *Keeper) now() wire.Time { return wire.TimeOf(s.config.Clock.Now()) }

// Webhook secrets are needed in the clear to sign, so they are stored sealed (AES-256-GCM), under a key made from the
// service's secret. Each is bound to its webhook: moved to another row, it does not open. An answer that holds one is
// sealed as well, when it is kept for an Idempotency-Key, and bound to that.

const (
	webhookBytes  = 36
	webhookPrefix = "whsec_"
)

// Cipher makes the cipher (AES-256-GCM) of a purpose, under a key of its own. It fails with ErrNone without a secret.
func (s *Keeper) Cipher(purpose string) (cipher.AEAD, error) {
	if s.config.Bytes == nil {
		return nil, ErrNone
	}
	key, err := hkdf.Key(sha256.New, s.config.Bytes, nil, purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// NewForWebhook makes a secret as Standard Webhooks writes it.
func (s *Keeper) NewForWebhook() (string, error) {
	b := make([]byte, webhookBytes)
	if _, err := io.ReadFull(s.config.Random, b); err != nil {
		return "", fmt.Errorf("random: %w", err)
	}
	return webhookPrefix + base64.StdEncoding.EncodeToString(b), nil
}

// Hint shows enough of a webhook's secret to distinguish it from others.
func Hint(secret string) string { return webhookPrefix + "…" + secret[len(secret)-4:] }

// seal encrypts a text and binds it to the place where it is stored.
func (s *Keeper) seal(text, place []byte) ([]byte, error) {
	if s.sealer == nil {
		return nil, ErrNone
	}
	nonce := make([]byte, s.sealer.NonceSize(), s.sealer.NonceSize()+len(text)+s.sealer.Overhead())
	if _, err := io.ReadFull(s.config.Random, nonce); err != nil {
		return nil, fmt.Errorf("random: %w", err)
	}
	return s.sealer.Seal(nonce, nonce, text, place), nil
}

// errSealed means that what is sealed was sealed under another service secret, or for another place.
var errSealed = errors.New("does not open: was it sealed under another service secret?")

func (s *Keeper) unseal(sealed, place []byte) ([]byte, error) {
	if s.sealer == nil {
		return nil, ErrNone
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
func placeOfWebhook(webhook int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(webhook)) }
func placeOfAnswer(id string) []byte      { return []byte("idempotency key " + id) }

// SealForWebhook seals a webhook's secret, so that it opens for this webhook only. It fails with ErrNone without a secret.
func (s *Keeper) SealForWebhook(webhook int64, secret string) ([]byte, error) {
	return s.seal([]byte(secret), placeOfWebhook(webhook))
}

// OpenForWebhook opens what SealForWebhook sealed for the webhook under the same secret.
func (s *Keeper) OpenForWebhook(webhook int64, sealed []byte) (string, error) {
	secret, err := s.unseal(sealed, placeOfWebhook(webhook))
	if err != nil {
		return "", fmt.Errorf("the secret of webhook %d %w", webhook, err)
	}
	return string(secret), nil
}

// SealAnswer seals the data of an answer as the text that is stored for an Idempotency-Key, given the id of its row. It
// fails with ErrNone without a secret.
func (s *Keeper) SealAnswer(id string, data []byte) (string, error) {
	sealed, err := s.seal(data, placeOfAnswer(id))
	return base64.StdEncoding.EncodeToString(sealed), err
}

// OpenAnswer opens what SealAnswer sealed for the row under the same secret.
func (s *Keeper) OpenAnswer(id, stored string) ([]byte, error) {
	sealed, err := base64.StdEncoding.DecodeString(stored)
	if err != nil {
		return nil, fmt.Errorf("read stored answer: %w", err)
	}
	data, err := s.unseal(sealed, placeOfAnswer(id))
	if err != nil {
		return nil, fmt.Errorf("the stored answer %w", err)
	}
	return data, nil
}
