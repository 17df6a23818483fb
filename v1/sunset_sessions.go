package v1

import (
	"encoding/base64"
	"fmt"
	"io"
)

// A session of the legacy interface is a token that says itself whose it is: sealed (AES-256-GCM) under a key made from
// the service's secret, so that it needs no table, survives a restart and tells its holder nothing. What it says is the
// legacy interface's business.

// SealToken makes a token of a text. It needs no escaping in a URL, and no two are alike.
func (s *Service) SealToken(text []byte) string {
	n := s.tokens.NonceSize()
	sealed := make([]byte, n, n+len(text)+s.tokens.Overhead())
	if _, err := io.ReadFull(s.Random, sealed); err != nil {
		panic(fmt.Errorf("random: %w", err)) // a nonce that comes twice would open every token
	}
	return base64.RawURLEncoding.EncodeToString(s.tokens.Seal(sealed, sealed, text, nil))
}

// OpenToken is the text of a token, unless it was not made by SealToken under the same secret.
func (s *Service) OpenToken(token string) ([]byte, bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	n := s.tokens.NonceSize()
	if err != nil || len(sealed) < n || base64.RawURLEncoding.EncodedLen(len(sealed)) != len(token) { // the decoder passes over line ends
		return nil, false
	}
	text, err := s.tokens.Open(nil, sealed[:n], sealed[n:], nil)
	return text, err == nil
}
