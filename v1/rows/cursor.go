package rows

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"

	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// A cursor is where a walk through a list goes on: the sort key and id of the last row, and a hash of the sort and filters
// it belongs to. It is authenticated, so a valid cursor is one that the service made (docs/seller/lists.md).
type Cursor struct {
	Scope uint64 // hash of operation, owner, sort and filters
	Key   int64
	ID    int64
}

const (
	cursorVersion = 1
	cursorPayload = 1 + 3*8
	cursorMAC     = 12
)

// cursorLength is the length of every cursor.
var cursorLength = base64.RawURLEncoding.EncodedLen(cursorPayload + cursorMAC)

// Key authenticates the cursors of all lists.
type Key [sha256.Size]byte

// NewKey derives the key from the secret that all processes on a database share.
func NewKey(secret []byte) Key {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("sellerd cursor v1"))
	return Key(mac.Sum(nil))
}

// Encode writes a cursor for a caller.
func (k Key) Encode(c Cursor) string {
	b := make([]byte, 0, cursorPayload+sha256.Size)
	b = append(b, cursorVersion)
	b = binary.BigEndian.AppendUint64(b, c.Scope)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Key))
	b = binary.BigEndian.AppendUint64(b, uint64(c.ID))
	mac := hmac.New(sha256.New, k[:])
	mac.Write(b)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(b)[:cursorPayload+cursorMAC])
}

// Decode answers invalid_cursor for anything that is not a cursor of ours, cursor_mismatch for one of another list.
func (k Key) Decode(text string, scope uint64) (Cursor, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(text) != cursorLength || len(b) != cursorPayload+cursorMAC || b[0] != cursorVersion { // the decoder ignores line ends
		return Cursor{}, refusal.Newf(refusal.InvalidCursor, "after", "%s", refusal.DamagedCursor)
	}
	mac := hmac.New(sha256.New, k[:])
	mac.Write(b[:cursorPayload])
	if !hmac.Equal(mac.Sum(nil)[:cursorMAC], b[cursorPayload:]) {
		return Cursor{}, refusal.Newf(refusal.InvalidCursor, "after", "%s", refusal.DamagedCursor)
	}
	c := Cursor{binary.BigEndian.Uint64(b[1:]), int64(binary.BigEndian.Uint64(b[9:])), int64(binary.BigEndian.Uint64(b[17:]))}
	if c.Scope != scope {
		return Cursor{}, refusal.Newf(refusal.CursorMismatch, "after", "The cursor belongs to another sort or other filters.")
	}
	return c, nil
}

// After is the cursor of a request, the zero Cursor without one.
func (k Key) After(text wire.Opt[string], scope uint64) (Cursor, error) {
	if !text.Set {
		return Cursor{}, nil
	}
	return k.Decode(text.V, scope)
}

// Scope hashes what a list's cursor is bound to. Filters must be rendered in a canonical form.
func Scope(operation string, owner int64, parts ...[]byte) uint64 {
	h := fnv.New64a()
	h.Write([]byte(operation))
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(owner)))
	for _, part := range parts {
		h.Write(part)
		h.Write([]byte{0})
	}
	return h.Sum64()
}
