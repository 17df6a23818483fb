package wire

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"sellerd/v1/refusal"
)

// Opt is a value that may be missing: null or absent in JSON, NULL in the database. It costs no allocation.
type Opt[T any] struct {
	V   T
	Set bool
}

// Some is a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{V: v, Set: true} }

// Maybe is a value that is missing when the pointer is nil, as ent has it.
func Maybe[T any](p *T) Opt[T] {
	if p == nil {
		return Opt[T]{}
	}
	return Some(*p)
}

// MaybeText is a text that is missing when the pointer is nil or the text is empty.
func MaybeText(p *string) Opt[string] {
	if p == nil || *p == "" {
		return Opt[string]{}
	}
	return Some(*p)
}

// Or is the value, or other if it is missing.
func (o Opt[T]) Or(other T) T {
	if o.Set {
		return o.V
	}
	return other
}

// Ptr is the value as ent wants it: nil when missing.
func (o Opt[T]) Ptr() *T {
	if !o.Set {
		return nil
	}
	return &o.V
}

// Int64Ptr is a whole number as ent wants it for a nullable column.
func Int64Ptr[T ~int | ~int64](o Opt[T]) *int64 {
	if !o.Set {
		return nil
	}
	return new(int64(o.V))
}

// Optional marks the type for the codec: a value that is not set is absent.
func (Opt[T]) Optional() {}

// Time is an instant in microseconds since 1970 UTC. On the wire it is RFC 3339 in UTC (docs/seller/requests.md, Values).
type Time int64

// TimeOf converts a time and truncates it to microseconds.
func TimeOf(t time.Time) Time { return Time(t.UnixMicro()) }

// MaybeTime is an instant from a nullable column.
func MaybeTime(p *int64) Opt[Time] {
	if p == nil {
		return Opt[Time]{}
	}
	return Some(Time(*p))
}

// Std is the instant as a time.Time in UTC.
func (t Time) Std() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Add moves the instant.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Microseconds()) }

// Sub is the time between two instants, or the longest Duration (292 years) if they are farther apart.
func (t Time) Sub(u Time) time.Duration { return t.Std().Sub(u.Std()) }

// AppendText writes RFC 3339 with as many decimals as are needed. The standard library has a fast path for this form.
func (t Time) AppendText(b []byte) ([]byte, error) {
	return t.Std().AppendFormat(b, time.RFC3339Nano), nil
}

// String is the wire form.
func (t Time) String() string {
	b, _ := t.AppendText(nil)
	return string(b)
}

// UnmarshalText reads RFC 3339 with any offset, years 1970 to 9999 in UTC. The time is truncated to microseconds.
func (t *Time) UnmarshalText(b []byte) error {
	parsed, ok := parseTime(b)
	if !ok {
		return ValueError{refusal.InvalidValue, timeForm}
	}
	if parsed.UTC().Year() < 1970 {
		return ValueError{refusal.InvalidValue, "must be a time from 1970 to 9999"}
	}
	*t = TimeOf(parsed)
	return nil
}

// UnmarshalQuery is UnmarshalText for the bound of a range, which may lie in any year from 1 on: programs ask for everything so. It
// explains what a + becomes in a query.
func (t *Time) UnmarshalQuery(b []byte) error {
	parsed, ok := parseTime(b)
	switch _, lost := parseTime(bytes.Replace(b, []byte(" "), []byte("+"), 1)); {
	case ok:
		*t = TimeOf(parsed)
		return nil
	case lost:
		return ValueError{refusal.InvalidValue, timeForm + "; in a query, write the + of an offset as %2B, because + means a blank there"}
	default:
		return ValueError{refusal.InvalidValue, timeForm}
	}
}

const timeForm = "must be an RFC 3339 date and time such as 2026-11-21T14:30:00Z"

// LastTime is the last second that RFC 3339 can write: a year has four digits.
var LastTime = TimeOf(time.Date(lastYear, 12, 31, 23, 59, 59, 0, time.UTC))

const lastYear = 9999

// parseTime reads RFC 3339, in which T and Z may be small letters, years 1 to 9999.
func parseTime(b []byte) (time.Time, bool) {
	text := strings.Map(func(r rune) rune {
		switch r {
		case 't', 'z':
			return r - 'a' + 'A'
		default:
			return r
		}
	}, string(b))
	parsed, err := time.Parse(time.RFC3339, text)
	// time.Parse also accepts 4:30 for 04:30, a comma for a point, and offsets to 24:60.
	if err != nil || text[13] != ':' || text[19] == ',' || parsed.Year() < 1 || parsed.UTC().Year() > lastYear {
		return parsed, false
	}
	if end := len(text); text[end-1] != 'Z' && (text[end-5:end-3] > "23" || text[end-2:] > "59") {
		return parsed, false
	}
	return parsed, true
}

// ValueError says why a text is not a value of its type, with the error code.
type ValueError struct {
	Code    refusal.Code
	Message string
}

func (e ValueError) Error() string { return e.Message }

// codeOf is the error code of a text that is not a value of its type.
func codeOf(err error) (refusal.Code, string) {
	if v, ok := errors.AsType[ValueError](err); ok {
		return v.Code, v.Message
	}
	return refusal.InvalidValue, err.Error()
}
