package v1

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
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

// Or is the value, or the other one when it is missing.
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

// Time is an instant in microseconds since 1970 UTC. On the wire it is RFC 3339 in UTC (contract, section 1).
type Time int64

// TimeOf converts a time, dropping what is below a microsecond.
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

// AppendText writes RFC 3339 with as many decimals as are needed. It does the calendar with integers (the algorithm of
// days since the civil epoch), because a page prints some hundred dates.
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
	b = appendDigits(b, year, 4)
	b = appendDigits(append(b, '-'), month, 2)
	b = appendDigits(append(b, '-'), day, 2)
	b = appendDigits(append(b, 'T'), second/3600, 2)
	b = appendDigits(append(b, ':'), second/60%60, 2)
	b = appendDigits(append(b, ':'), second%60, 2)
	if micros != 0 {
		b = appendDigits(append(b, '.'), micros, 6)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return append(b, 'Z'), nil
}

func appendDigits(b []byte, n int64, width int) []byte {
	for range width {
		b = append(b, '0')
	}
	for i := len(b) - 1; n > 0 && i >= len(b)-width; i, n = i-1, n/10 {
		b[i] = byte('0' + n%10)
	}
	return b
}

// String is the wire form.
func (t Time) String() string {
	b, _ := t.AppendText(nil)
	return string(b)
}

// UnmarshalText reads RFC 3339 with any offset, years 1970 to 9999 in UTC. What is below a microsecond is dropped.
func (t *Time) UnmarshalText(b []byte) error {
	parsed, err := time.Parse(time.RFC3339, string(b))
	year := parsed.UTC().Year()
	// time.Parse also takes 4:30 for 04:30 and a comma for a point.
	if err != nil || b[13] != ':' || b[19] == ',' || year < 1970 || year > 9999 {
		return valueError{InvalidValue, "must be an RFC 3339 date and time such as 2026-11-21T14:30:00Z"}
	}
	*t = TimeOf(parsed)
	return nil
}

// valueError is why a text is not a value of its type, with the code it deserves.
type valueError struct {
	code    Code
	message string
}

func (e valueError) Error() string { return e.message }

// ID is one of the marketplace's decimal numbers. On the wire it is a string.
type ID int64

// AppendText writes the decimal number.
func (id ID) AppendText(b []byte) ([]byte, error) { return strconv.AppendInt(b, int64(id), 10), nil }

// String is the wire form.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// UnmarshalText reads a decimal number in its shortest form.
func (id *ID) UnmarshalText(b []byte) error {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != string(b) {
		return valueError{InvalidValue, "must be an id: a decimal number as a string"}
	}
	*id = ID(n)
	return nil
}

// MaybeID is an id from a nullable column.
func MaybeID(p *int64) Opt[ID] {
	if p == nil {
		return Opt[ID]{}
	}
	return Some(ID(*p))
}

// Ids that are not the marketplace's numbers wear a prefix that says what they name. The rest is opaque to callers.
type (
	SubmissionID int64
	BatchID      int64
	TrackingID   int64
	WebhookID    int64
	EventID      int64
	DeliveryID   int64
)

func appendPrefixed(b []byte, prefix string, n int64) ([]byte, error) {
	return strconv.AppendInt(append(b, prefix...), n, 36), nil
}

func parsePrefixed(b []byte, prefix string, into *int64) error {
	rest, ok := strings.CutPrefix(string(b), prefix)
	n, err := strconv.ParseInt(rest, 36, 64)
	if !ok || err != nil || n < 0 || strconv.FormatInt(n, 36) != rest {
		return valueError{InvalidValue, "must be an id beginning with " + prefix}
	}
	*into = n
	return nil
}

func prefixedString(prefix string, n int64) string { return prefix + strconv.FormatInt(n, 36) }

func (id SubmissionID) AppendText(b []byte) ([]byte, error) {
	return appendPrefixed(b, "sub_", int64(id))
}

func (id BatchID) AppendText(b []byte) ([]byte, error) { return appendPrefixed(b, "bat_", int64(id)) }

func (id TrackingID) AppendText(b []byte) ([]byte, error) {
	return appendPrefixed(b, "trk_", int64(id))
}

func (id WebhookID) AppendText(b []byte) ([]byte, error) { return appendPrefixed(b, "wh_", int64(id)) }

func (id EventID) AppendText(b []byte) ([]byte, error) { return appendPrefixed(b, "evt_", int64(id)) }

func (id DeliveryID) AppendText(b []byte) ([]byte, error) {
	return appendPrefixed(b, "dlv_", int64(id))
}

func (id *SubmissionID) UnmarshalText(b []byte) error { return parsePrefixed(b, "sub_", (*int64)(id)) }

func (id *BatchID) UnmarshalText(b []byte) error { return parsePrefixed(b, "bat_", (*int64)(id)) }

func (id *TrackingID) UnmarshalText(b []byte) error { return parsePrefixed(b, "trk_", (*int64)(id)) }

func (id *WebhookID) UnmarshalText(b []byte) error { return parsePrefixed(b, "wh_", (*int64)(id)) }

func (id *EventID) UnmarshalText(b []byte) error { return parsePrefixed(b, "evt_", (*int64)(id)) }

func (id *DeliveryID) UnmarshalText(b []byte) error { return parsePrefixed(b, "dlv_", (*int64)(id)) }

func (id SubmissionID) String() string { return prefixedString("sub_", int64(id)) }
func (id BatchID) String() string      { return prefixedString("bat_", int64(id)) }
func (id TrackingID) String() string   { return prefixedString("trk_", int64(id)) }
func (id WebhookID) String() string    { return prefixedString("wh_", int64(id)) }
func (id EventID) String() string      { return prefixedString("evt_", int64(id)) }
func (id DeliveryID) String() string   { return prefixedString("dlv_", int64(id)) }

// Amount is money in minor units (cents). On the wire it is a decimal string with two digits.
type Amount int64

// The smallest and the largest amount accepted, in minor units.
const (
	MinAmount Amount = 1
	MaxAmount Amount = 99_999_999
)

// AppendText writes the amount with two decimals.
func (a Amount) AppendText(b []byte) ([]byte, error) {
	n := int64(a)
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendInt(b, n/100, 10)
	return append(b, '.', byte('0'+n/10%10), byte('0'+n%10)), nil
}

// String is the wire form.
func (a Amount) String() string {
	b, _ := a.AppendText(nil)
	return string(b)
}

var errAmount = valueError{InvalidValue, `must be a decimal string with at most two decimals, such as "12.50"`}

// UnmarshalText reads a decimal with at most two decimals, 0.01 to 999999.99.
func (a *Amount) UnmarshalText(b []byte) (err error) {
	*a, err = readAmount(b, MinAmount, MaxAmount)
	return err
}

// readAmount reads a decimal with at most two decimals, within bounds. It never goes through a float.
func readAmount(b []byte, least, most Amount) (Amount, error) {
	whole, cents, dotted := strings.Cut(string(b), ".")
	if whole == "" || dotted && (cents == "" || len(cents) > 2) || !isDigits(whole) || !isDigits(cents) {
		return 0, errAmount
	}
	whole = strings.TrimLeft(whole, "0")
	n := int64(math.MaxInt64) // more digits than fit are beyond any bound
	if len(whole) <= 15 {
		var err error
		if n, err = strconv.ParseInt(whole+(cents + "00")[:2], 10, 64); err != nil {
			return 0, errAmount
		}
	}
	if Amount(n) < least || Amount(n) > most {
		return 0, valueError{OutOfRange, "must be between " + least.String() + " and " + most.String()}
	}
	return Amount(n), nil
}

// CostAmount is an amount that may be nothing.
type CostAmount Amount

// AppendText writes the amount with two decimals.
func (a CostAmount) AppendText(b []byte) ([]byte, error) { return Amount(a).AppendText(b) }

// UnmarshalText reads a decimal with at most two decimals, 0.00 to 999999.99.
func (a *CostAmount) UnmarshalText(b []byte) error {
	n, err := readAmount(b, 0, MaxAmount)
	*a = CostAmount(n)
	return err
}

// TotalAmount is a sum of amounts, which may exceed what one can be.
type TotalAmount Amount

// MaxTotal is the largest sum accepted, in minor units: more than any bill comes to.
const MaxTotal Amount = 1e15

// AppendText writes the amount with two decimals.
func (a TotalAmount) AppendText(b []byte) ([]byte, error) { return Amount(a).AppendText(b) }

// UnmarshalText reads a decimal with at most two decimals, 0.01 to MaxTotal.
func (a *TotalAmount) UnmarshalText(b []byte) error {
	n, err := readAmount(b, MinAmount, MaxTotal)
	*a = TotalAmount(n)
	return err
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// Currency is an ISO 4217 code the marketplace trades in.
type Currency string

// Currencies are those supported, in the contract's order.
var Currencies = []Currency{"EUR", "USD", "GBP", "CAD", "CHF", "AUD"}

// AppendText writes the code.
func (c Currency) AppendText(b []byte) ([]byte, error) { return append(b, c...), nil }

// UnmarshalText accepts supported codes in capitals.
func (c *Currency) UnmarshalText(b []byte) error {
	for _, known := range Currencies {
		if string(known) == string(b) {
			*c = known
			return nil
		}
	}
	return valueError{UnsupportedCurrency, "must be EUR, USD, GBP, CAD, CHF or AUD"}
}

// Money is an amount in a currency.
type Money struct {
	Amount   Amount   `json:"amount" validate:"required" doc:"decimal string, 0.01 to 999999.99" example:"12.50"`
	Currency Currency `json:"currency" validate:"required" doc:"ISO 4217 code" example:"EUR"`
}

// String is for logs and tests.
func (m Money) String() string { return fmt.Sprintf("%s %s", m.Amount, string(m.Currency)) }

// maybeMoney is an amount from a nullable column.
func maybeMoney(minor *int64, currency string) Opt[Money] {
	if minor == nil {
		return Opt[Money]{}
	}
	return Some(Money{Amount(*minor), Currency(currency)})
}

// minorUnits is the amount for a nullable column.
func minorUnits(m Opt[Money]) *int64 {
	if !m.Set {
		return nil
	}
	n := int64(m.V.Amount)
	return &n
}

// codeOf is the code of a text that did not fit its type.
func codeOf(err error) (Code, string) {
	var v valueError
	if errors.As(err, &v) {
		return v.code, v.message
	}
	return InvalidValue, err.Error()
}
