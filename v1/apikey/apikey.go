// Package apikey is about the text of API keys and of the tokens of operators: it makes new ones, and reads those that callers send.
//
// A key reads dk_live_<id>_<secret><checksum>, or dk_test_…, and a token dk_operator_…, all in base 62. The id (12 characters) names the key and finds
// its row. The secret (32 characters, about 190 bits) is stored as SHA-256 only. The checksum (6 characters, CRC-32 of the
// text before it) allows malformed keys to be rejected without a query.
package apikey

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"regexp"
	"slices"
	"strings"

	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

const (
	prefix         = "dk_"
	idLength       = 12
	secretLength   = 32
	checksumLength = 6
)

// KeyID is the public part of a key, by which it is named.
type KeyID string

// AppendText writes the id.
func (id KeyID) AppendText(b []byte) ([]byte, error) { return append(b, id...), nil }

// UnmarshalText reads 12 letters and digits.
func (id *KeyID) UnmarshalText(b []byte) error {
	if len(b) != idLength || strings.Trim(string(b), base62) != "" {
		return wire.ValueError{Code: refusal.InvalidValue, Message: "must be a key's id: its third part"}
	}
	*id = KeyID(b)
	return nil
}

// Prefix is the part of a key that can be shown. The mode is live or test.
func Prefix(id, mode string) string { return prefix + mode + "_" + id }

// inText finds what is shown of a key, and the underline before its secret.
var inText = regexp.MustCompile(`dk_(?:live|test)_[0-9A-Za-z]{12}_`)

// InText says whether a text has a key in it, whole or cut.
func InText(text string) bool { return inText.MatchString(text) }

// New is a new key. Only Text holds the secret.
type New struct {
	ID, Text string
	Hash     [sha256.Size]byte // of the text without the checksum
}

// Operator stands in a token where a key has its mode.
const Operator = "operator"

// Make makes a key for a mode, live or test, or a token for an Operator.
func Make(random io.Reader, mode string) (New, error) {
	id, err1 := randomBase62(random, idLength)
	secret, err2 := randomBase62(random, secretLength)
	if err := cmp.Or(err1, err2); err != nil {
		return New{}, err
	}
	return Assemble(id, mode, secret), nil
}

// Assemble makes a key of its parts: an id of 12 and a secret of 32 letters and digits.
func Assemble(id, mode, secret string) New {
	body := Prefix(id, mode) + "_" + secret
	sum := checksum(body)
	return New{id, body + string(sum[:]), sha256.Sum256([]byte(body))}
}

// Parsed is a key whose form and checksum are right. It may still be unknown.
type Parsed struct {
	ID   string
	Test bool
	Hash [sha256.Size]byte // of the text without the checksum
}

// Parse reads a key. It is false for a text that cannot be a key.
func Parse(key string) (Parsed, bool) { return parse(key, "live", "test") }

// ParseToken reads the token of an operator. It is false for a text that cannot be one.
func ParseToken(token string) (Parsed, bool) { return parse(token, Operator) }

func parse(key string, modes ...string) (Parsed, bool) {
	rest, ok := strings.CutPrefix(key, prefix)
	mode, rest, ok2 := strings.Cut(rest, "_")
	id, secret, ok3 := strings.Cut(rest, "_")
	if !ok || !ok2 || !ok3 || !slices.Contains(modes, mode) || len(id) != idLength || strings.Trim(id, base62) != "" ||
		len(secret) != secretLength+checksumLength {
		return Parsed{}, false
	}
	body := key[:len(key)-checksumLength]
	if sum := checksum(body); string(sum[:]) != key[len(body):] {
		return Parsed{}, false
	}
	return Parsed{ID: id, Test: mode == "test", Hash: sha256.Sum256([]byte(body))}, true
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func randomBase62(random io.Reader, n int) (string, error) {
	out := make([]byte, 0, n)
	buffer := make([]byte, n+n/8)
	for len(out) < n {
		if _, err := io.ReadFull(random, buffer); err != nil {
			return "", fmt.Errorf("random: %w", err)
		}
		for _, b := range buffer {
			if b < 248 && len(out) < n { // 248 is the largest multiple of 62 in a byte: no digit is likelier
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out), nil
}

func checksum(s string) (out [checksumLength]byte) {
	n := crc32.ChecksumIEEE([]byte(s))
	for i := len(out) - 1; i >= 0; i-- {
		out[i], n = base62[n%62], n/62
	}
	return out
}
