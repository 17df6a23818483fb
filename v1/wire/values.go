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

// Optional marks the type for the codec: a value that is not set is absent.
func (Opt[T]) Optional() {}

// Time is an instant in microseconds since 1970 UTC. On the wire it is RFC 3339 in UTC (docs/requests.md, Values).
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

// Sub is the time between two instants.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Microsecond }

// AppendText writes RFC 3339 with as many decimals as are needed. It computes the calendar with integers (the algorithm of
// days since the civil epoch), which is faster: a page has some hundred dates.
func (t Time) AppendText(b []byte) ([]byte, error) {
	seconds, micros := int64(t)/1e6, int64(t)%1e6
	if micros < 0 {
		seconds, micros = seconds-1, micros+1e6
	}
	days, second := seconds/86400, seconds%86400
	if second < 0 {
		days, second = days-1, second+86400
	}
	z := days + 719468
	era := z / 146097
	if z < 0 {
		era = (z - 146096) / 146097
	}
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day := doy - (153*mp+2)/5 + 1
	month := mp + 3
	year := yoe + era*400
	if month > 12 {
		month, year = month-12, year+1
	}
	year = max(year, 0)
	at := len(b)
	b = append(b, "0000-00-00T00:00:00"...)
	text := b[at:]
	putDigits(text[0:], year/100%100)
	putDigits(text[2:], year%100)
	putDigits(text[5:], month)
	putDigits(text[8:], day)
	putDigits(text[11:], second/3600)
	putDigits(text[14:], second/60%60)
	putDigits(text[17:], second%60)
	if micros != 0 {
		at = len(b) + 1
		b = append(b, ".000000"...)
		putDigits(b[at:], micros/10_000)
		putDigits(b[at+2:], micros/100%100)
		putDigits(b[at+4:], micros%100)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return append(b, 'Z'), nil
}

// putDigits writes a number below 100 as two digits.
func putDigits(b []byte, n int64) { b[0], b[1] = byte('0'+n/10), byte('0'+n%10) }

// String is the wire form.
func (t Time) String() string {
	b, _ := t.AppendText(nil)
	return string(b)
}

// UnmarshalText reads RFC 3339 with any offset, years 1970 to 9999 in UTC. The time is truncated to microseconds.
func (t *Time) UnmarshalText(b []byte) error {
	parsed, ok := parseTime(b)
	if !ok || parsed.UTC().Year() < 1970 {
		return ValueError{refusal.InvalidValue, timeForm}
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
	if err != nil || text[13] != ':' || text[19] == ',' || parsed.Year() < 1 || parsed.UTC().Year() > 9999 {
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
	var v ValueError
	if errors.As(err, &v) {
		return v.Code, v.Message
	}
	return refusal.InvalidValue, err.Error()
}
