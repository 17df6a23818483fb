package sunset

import (
	"encoding/base64"
	"fmt"
	"io"
)

// A session of the legacy interface is a token that contains the session itself, sealed (AES-256-GCM) with a key derived
// from the service's secret. So it needs no table, survives a restart and reveals nothing to its holder. The legacy
// interface defines the content.

// SealToken makes a token of a text. The token needs no escaping in a URL, and every token is different.
func (s *Rest) SealToken(text []byte) string {
	n := s.tokens.NonceSize()
	sealed := make([]byte, n, n+len(text)+s.tokens.Overhead())
	if _, err := io.ReadFull(s.Config.Random, sealed); err != nil {
		panic(fmt.Errorf("random: %w", err)) // a repeated nonce would break the seal of every token
	}
	return base64.RawURLEncoding.EncodeToString(s.tokens.Seal(sealed, sealed, text, nil))
}

// OpenToken is the text of a token, unless it was not made by SealToken under the same secret.
func (s *Rest) OpenToken(token string) ([]byte, bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	n := s.tokens.NonceSize()
	if err != nil || len(sealed) < n || base64.RawURLEncoding.EncodedLen(len(sealed)) != len(token) { // the decoder ignores line ends
		return nil, false
	}
	text, err := s.tokens.Open(nil, sealed[:n], sealed[n:], nil)
	return text, err == nil
}
