package openjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/pattern"
)

// YAML is a document in YAML (RFC 9512), whose texts are those of JSON in double quotes: no reader takes one for a number or a truth. It
// fails if the document is not JSON.
func YAML(document []byte) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(document))
	b, err := appendYAML(nil, d, "", true)
	return bytes.TrimLeft(b, "\n "), err
}

// plainName is a name that YAML takes for a text without quotes, and notName one that looks like that and is something else.
var (
	plainName = pattern.Late(`^[A-Za-z$/][A-Za-z0-9_$/{}.-]*$`)
	notName   = pattern.Late(`(?i)^(true|false|yes|no|on|off|null|y|n)$`)
)

// appendYAML writes the next value behind a name or a dash. The members of an object behind a name begin on a line of their own, as the
// elements of a list do everywhere.
func appendYAML(b []byte, d *jsontext.Decoder, indent string, named bool) ([]byte, error) {
	begin := d.PeekKind()
	if begin != '{' && begin != '[' {
		value, err := d.ReadValue()
		return append(append(append(b, ' '), value...), '\n'), err
	}
	if _, err := d.ReadToken(); err != nil {
		return b, err
	}
	if next := d.PeekKind(); next == '}' || next == ']' {
		_, err := d.ReadToken()
		return append(append(b, ' ', byte(begin)), byte(next), '\n'), err
	}
	for first := true; d.PeekKind() != '}' && d.PeekKind() != ']'; first = false {
		switch {
		case !first:
			b = append(b, indent...)
		case named:
			b = append(append(b, '\n'), indent...)
		default:
			b = append(b, ' ')
		}
		if begin == '[' {
			var err error
			if b, err = appendYAML(append(b, '-'), d, indent+"  ", false); err != nil {
				return b, err
			}
			continue
		}
		name, err := d.ReadToken()
		if err != nil {
			return b, err
		}
		if text := name.String(); plainName().MatchString(text) && !notName().MatchString(text) {
			b = append(b, text...)
		} else {
			b = appendText(b, text)
		}
		if b, err = appendYAML(append(b, ':'), d, indent+"  ", true); err != nil {
			return b, err
		}
	}
	_, err := d.ReadToken()
	return b, err
}
