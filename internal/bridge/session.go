package bridge

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sellerd/legacy"
	"sellerd/v1"
)

// This file seals sessions. A token contains the key and the end of the session, sealed (AES-256-GCM) with a key derived
// from the bridge's secret. So it needs no table, survives a restart, and reveals nothing to its holder.

// sessions makes and reads tokens.
type sessions struct {
	sealer cipher.AEAD
	to     string // the service's address: the token of one service shows its key to no other
	clock  v1.Clock
}

func newSessions(secret []byte, to string, clock v1.Clock) (*sessions, error) {
	if len(secret) != secretLength {
		return nil, fmt.Errorf("bridge: the secret must have %d bytes", secretLength)
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "sellerd-bridge sessions 1", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	return &sessions{sealer, to, clock}, err
}

// seal makes a token of a key and its id.
func (s *sessions) seal(id, key string) string {
	until := s.clock.Now().Add(legacy.SessionLife)
	text := strconv.FormatInt(until.UnixMicro(), 36) + " " + id + " " + key
	return base64.RawURLEncoding.EncodeToString(s.sealer.Seal(nil, nil, []byte(text), []byte(s.to)))
}

// open returns the key of a token and its id, unless the token has ended or was not made with this secret for this service.
func (s *sessions) open(token string) (id, key string, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || base64.RawURLEncoding.EncodedLen(len(sealed)) != len(token) { // the decoder ignores line ends
		return "", "", false
	}
	text, err := s.sealer.Open(nil, nil, sealed, []byte(s.to))
	if err != nil {
		return "", "", false
	}
	end, rest, _ := strings.Cut(string(text), " ")
	id, key, ok = strings.Cut(rest, " ")
	until, err := strconv.ParseInt(end, 36, 64)
	if !ok || err != nil || !s.clock.Now().Before(time.UnixMicro(until)) {
		return "", "", false
	}
	return id, key, true
}
