package wire

import (
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

var canonicalTexts = sync.Pool{New: func() any { return new([]byte) }}

// Canonical calls use with the canonical form of a body (RFC 8785), which is valid until use returns. The body must be
// well-formed if known says so; otherwise it is checked, and the error is the one of BindInto.
func Canonical(body []byte, known bool, use func(canonical []byte)) error {
	if !known {
		if err := checkText(body, string(body)); err != nil {
			return err
		}
	}
	text := canonicalTexts.Get().(*[]byte)
	canonical := jsontext.Value(append((*text)[:0], body...))
	err := canonical.Canonicalize()
	if err == nil {
		use(canonical)
	} else {
		err = malformed(err, body)
	}
	if *text = canonical; cap(*text) <= 1<<20 { // more than nearly all bodies need
		canonicalTexts.Put(text)
	}
	return err
}
