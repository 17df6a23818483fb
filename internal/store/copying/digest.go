package copying

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// digest says what rows are in a table: their number, and the sum of the SHA-256 of each, modulo 2²⁵⁶. A sum does not depend
// on the order, in which databases differ. It finds mistakes, not forgeries.
type digest struct {
	rows int64
	sum  [4]uint64 // the least significant first
}

// add adds a row as encode wrote it.
func (d *digest) add(encoded []byte) {
	hash, carry := sha256.Sum256(encoded), uint64(0)
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], binary.LittleEndian.Uint64(hash[8*i:]), carry)
	}
	d.rows++
}

// text is the sum in hexadecimal digits.
func (d digest) text() string {
	var sum [32]byte
	for i, part := range d.sum {
		binary.LittleEndian.PutUint64(sum[8*i:], part)
	}
	return hex.EncodeToString(sum[:])
}

// readDigest is the reverse of text.
func readDigest(rows int64, text string) (digest, error) {
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != 32 {
		return digest{}, fmt.Errorf("%q is no sum", text)
	}
	d := digest{rows: rows}
	for i := range d.sum {
		d.sum[i] = binary.LittleEndian.Uint64(sum[8*i:])
	}
	return d, nil
}

// The first byte of each encoded value. They never change, because an unfinished copy has digests of them.
const (
	tagNull = iota
	tagInteger
	tagFalse
	tagTrue
	tagText
	tagBlob
	tagReal
)

// encode appends the values of a row, which are of the kinds of the table's columns, so that different rows have different
// texts, whichever database they come from.
func encode(b []byte, row []any) []byte {
	for _, value := range row {
		switch v := value.(type) {
		case nil:
			b = append(b, tagNull)
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, tagInteger), uint64(v))
		case bool:
			if v {
				b = append(b, tagTrue)
			} else {
				b = append(b, tagFalse)
			}
		case string:
			b = append(binary.AppendUvarint(append(b, tagText), uint64(len(v))), v...)
		case []byte:
			b = append(binary.AppendUvarint(append(b, tagBlob), uint64(len(v))), v...)
		case float64:
			if v == 0 {
				v = 0 // there are two zeros, and they are equal
			}
			b = binary.BigEndian.AppendUint64(append(b, tagReal), math.Float64bits(v))
		}
	}
	return b
}

// normal is a value as both databases can keep it. SQLite keeps any value in any column; what does not fit is an error.
func (k kind) normal(value any) (any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case int64:
		switch k {
		case integer:
			return v, nil
		case boolean:
			if v == 0 || v == 1 {
				return v == 1, nil
			}
		case real:
			return float64(v), nil
		}
	case bool:
		if k == boolean {
			return v, nil
		}
	case string:
		switch {
		case k != text:
		case strings.IndexByte(v, 0) >= 0:
			return nil, fmt.Errorf("holds a NUL character, which PostgreSQL cannot store")
		case !utf8.ValidString(v):
			return nil, fmt.Errorf("holds text that is not UTF-8, which PostgreSQL cannot store")
		default:
			return v, nil
		}
	case []byte:
		if k == blob {
			return v, nil
		}
	case float64:
		if k == real {
			return v, nil
		}
	}
	return nil, fmt.Errorf("does not hold %s", k)
}

// normalize is normal for the values of a row, in place. The error names the row by its number if it has one, and shows
// no text, which may be personal.
func (t *table) normalize(row []any) error {
	for i, c := range t.columns {
		value, err := c.kind.normal(row[i])
		if err != nil {
			where := "a row"
			if id, ok := row[t.key[0]].(int64); ok {
				where = fmt.Sprintf("the row %d", id)
			}
			return fmt.Errorf("in %s of %s the column %s %w", where, t.name, c.name, err)
		}
		row[i] = value
	}
	return nil
}
