package translate

import (
	"reflect"
	"unicode/utf8"

	"sellerd/v1"
)

// AppendBody appends the inside of body for a result. The result is a pointer, a slice or a page of the type that the call's
// target declares.
func (p *Plan) AppendBody(b []byte, result any) []byte {
	v := reflect.ValueOf(result)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if p.list && v.Kind() == reflect.Struct && v.Type() != p.result {
		v = v.FieldByName("Results")
	}
	if v.Kind() != reflect.Slice {
		return p.appendResult(b, v)
	}
	for i := range v.Len() {
		b = p.appendResult(b, v.Index(i))
	}
	return b
}

func (p *Plan) appendResult(b []byte, v reflect.Value) []byte {
	if p.reads { // acknowledgements do not, so their result may have any type
		v = readable(v, p.result)
	}
	b = append(b, p.element.open...)
	for i := range p.out {
		b = p.out[i].append(b, v)
	}
	return append(b, p.element.close...)
}

// BulkEntry is the outcome of one entry of a bulk. Errors is nil when the entry was accepted.
type BulkEntry struct {
	PersonalReference string
	Errors            v1.Errors
}

// AppendBulk appends the inside of body for a bulk: an acknowledgement or a refusal for each entry, in order.
func (p *Plan) AppendBulk(b []byte, entries []BulkEntry) []byte {
	for i := range entries {
		entry := &entries[i]
		b = append(b, p.element.open...)
		if entry.Errors != nil {
			b = p.appendRefusal(b, entry.Errors)
		} else {
			for j := range p.out {
				b = p.out[j].append(b, reflect.Value{})
			}
		}
		b = appendElement(b, "personal_reference", entry.PersonalReference)
		b = append(b, p.element.close...)
	}
	return b
}

// append appends a row's element, empty when the value is missing.
func (r *outRow) append(b []byte, result reflect.Value) []byte {
	if r.accessor == nil {
		return append(b, r.literal...)
	}
	v, ok := r.find(result)
	if !ok {
		return append(b, r.empty...)
	}
	switch {
	case r.yes != "" && v.Bool():
		return append(b, r.yes...)
	case r.yes != "":
		return append(b, r.no...)
	}
	start := len(b)
	b = append(b, r.open...)
	text := len(b)
	b = r.appendLegacy(b, v)
	switch {
	case len(b) == text:
		return append(b[:start], r.empty...)
	case !r.plain:
		b = escapeTail(b, text)
	}
	return append(b, r.close...)
}

// appendLegacy appends the legacy text of a value. It writes /v1's text to the end of b first, and then replaces it: anywhere
// else the text would need memory of its own.
func (r *outRow) appendLegacy(b []byte, v reflect.Value) []byte {
	start := len(b)
	b = r.accessor.append(b, v)
	if r.convert == nil {
		return b
	}
	legacy := r.convert.AppendLegacy(b, b[start:])
	return legacy[:start+copy(legacy[start:], legacy[len(b):])]
}

// AppendText appends a text escaped for XML. Characters that XML cannot contain become U+FFFD: most control characters, half
// surrogates, and bytes that are not UTF-8 (XML 1.0, section 2.2).
func AppendText[T string | []byte](b []byte, text T) []byte {
	done := 0
	for i := 0; i < len(text); {
		instead, size := "", 1
		if c := text[i]; c < utf8.RuneSelf {
			instead = escapes[c]
		} else {
			var r rune
			if r, size = utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))])); r >= utf8.RuneError && r < 0x10000 {
				instead = "\ufffd" // U+FFFD itself, no character, or one that XML excludes
			}
		}
		if instead != "" {
			b = append(append(b, text[done:i]...), instead...)
			done = i + size
		}
		i += size
	}
	return append(b, text[done:]...)
}

// escapes are the replacements of characters in XML, "" for characters that need none.
var escapes = func() (instead [utf8.RuneSelf]string) {
	for c := range ' ' {
		instead[c] = "\ufffd"
	}
	instead['\t'], instead['\n'] = "", ""
	instead['\r'] = "&#13;" // XML readers take an unescaped one for a line feed
	instead['<'], instead['>'], instead['&'] = "&lt;", "&gt;", "&amp;"
	instead['"'], instead['\''] = "&quot;", "&apos;"
	return instead
}()

// escapeTail escapes b from a position on. Most texts need no escaping, and are not copied; the others are written behind b first.
func escapeTail(b []byte, from int) []byte {
	for _, c := range b[from:] {
		if c >= utf8.RuneSelf || escapes[c] != "" {
			escaped := AppendText(b, b[from:])
			return escaped[:from+copy(escaped[from:], escaped[len(b):])]
		}
	}
	return b
}
