package wire

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"sellerd/v1/refusal"
)

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

var errAmount = ValueError{refusal.InvalidValue, `must be a decimal string with at most two decimals, such as "12.50"`}

// UnmarshalText reads a decimal with at most two decimals, 0.01 to 999999.99.
func (a *Amount) UnmarshalText(b []byte) (err error) {
	*a, err = readAmount(b, MinAmount, MaxAmount)
	return err
}

// readAmount reads a decimal with at most two decimals, within bounds. It does not use floating point.
func readAmount(b []byte, least, most Amount) (Amount, error) {
	whole, cents, dotted := strings.Cut(string(b), ".")
	if whole == "" || dotted && (cents == "" || len(cents) > 2) || !isDigits(whole) || !isDigits(cents) {
		return 0, errAmount
	}
	whole = strings.TrimLeft(whole, "0")
	n := int64(math.MaxInt64) // a number with more digits is above every bound
	if len(whole) <= 15 {
		var err error
		if n, err = strconv.ParseInt(whole+(cents + "00")[:2], 10, 64); err != nil {
			return 0, errAmount
		}
	}
	if Amount(n) < least || Amount(n) > most {
		return 0, ValueError{refusal.OutOfRange, "must be between " + least.String() + " and " + most.String()}
	}
	return Amount(n), nil
}

// CostAmount is an amount that may be 0.00.
type CostAmount Amount

// AppendText writes the amount with two decimals.
func (a CostAmount) AppendText(b []byte) ([]byte, error) { return Amount(a).AppendText(b) }

// UnmarshalText reads a decimal with at most two decimals, 0.00 to 999999.99.
func (a *CostAmount) UnmarshalText(b []byte) error {
	n, err := readAmount(b, 0, MaxAmount)
	*a = CostAmount(n)
	return err
}

// TotalAmount is a sum of amounts, which may exceed MaxAmount.
type TotalAmount Amount

// MaxTotal is the largest accepted sum, in minor units: larger than any bill.
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

// Currencies are the supported currencies.
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
	return ValueError{refusal.UnsupportedCurrency, "must be EUR, USD, GBP, CAD, CHF or AUD"}
}

// Money is an amount in a currency.
type Money struct {
	Amount   Amount   `json:"amount" validate:"required" doc:"decimal string, 0.01 to 999999.99" example:"12.50"`
	Currency Currency `json:"currency" validate:"required" doc:"ISO 4217 code" example:"EUR"`
}

// String is for logs and tests.
func (m Money) String() string { return fmt.Sprintf("%s %s", m.Amount, string(m.Currency)) }

// MaybeMoney is an amount from a nullable column.
func MaybeMoney(minor *int64, currency string) Opt[Money] {
	if minor == nil {
		return Opt[Money]{}
	}
	return Some(Money{Amount(*minor), Currency(currency)})
}

// MinorUnits is the amount for a nullable column.
func MinorUnits(m Opt[Money]) *int64 {
	if !m.Set {
		return nil
	}
	return new(int64(m.V.Amount))
}
