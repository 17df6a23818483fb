package limit

import (
	"strconv"

	"sellerd/v1"
)

// This file appends values as JSON.

// appendMoney writes an amount in a currency, or null.
func appendMoney(b []byte, minor number, currency text) []byte {
	if minor.null {
		return append(b, "null"...)
	}
	b, _ = v1.Amount(minor.n).AppendText(append(b, `{"amount":"`...))
	b = append(append(b, `","currency":"`...), currency.b...)
	return append(b, `"}`...)
}

func appendQuotedInt(b []byte, n int64) []byte {
	return append(strconv.AppendInt(append(b, '"'), n, 10), '"')
}

func appendMaybeID(b []byte, n number) []byte {
	if n.null {
		return append(b, "null"...)
	}
	return appendQuotedInt(b, n.n)
}

func appendTime(b []byte, micros int64) []byte {
	b, _ = v1.Time(micros).AppendText(append(b, '"'))
	return append(b, '"')
}

func appendMaybeTime(b []byte, micros number) []byte {
	if micros.null {
		return append(b, "null"...)
	}
	return appendTime(b, micros.n)
}

func appendMaybeNumber(b []byte, n number) []byte {
	if n.null {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, n.n, 10)
}

func appendMaybeText(b []byte, t text) []byte {
	if t.null {
		return append(b, "null"...)
	}
	return appendText(b, t.b)
}

const hex = "0123456789abcdef"

// appendText writes a JSON string: quotes, backslashes and control characters are escaped, everything else stays.
func appendText[T string | []byte](b []byte, s T) []byte {
	b = append(b, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(append(b, s[from:i]...), '\\')
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, c)
		case '\b':
			b = append(b, 'b')
		case '\f':
			b = append(b, 'f')
		case '\n':
			b = append(b, 'n')
		case '\r':
			b = append(b, 'r')
		case '\t':
			b = append(b, 't')
		default:
			b = append(b, 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[from:]...), '"')
}
