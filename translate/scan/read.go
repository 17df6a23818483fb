package scan

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"sellerd/translate"
)

// This file decides what is kept of a file.

type translateTable = translate.Table

// textual says whether the beginning of a file is text, and returns the function that converts the file to UTF-8.
func textual(head []byte) (convert func([]byte) string, ok bool) {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return func(b []byte) string { return fromUTF16(b[2:], binary.LittleEndian) }, true
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return func(b []byte) string { return fromUTF16(b[2:], binary.BigEndian) }, true
	}
	return fromBytes, bytes.IndexByte(head, 0) < 0
}

func fromUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// fromBytes converts a file to UTF-8. What is not UTF-8 is read as Latin-1, byte by byte.
func fromBytes(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + len(b)/8)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			r = rune(b[0])
		}
		out.WriteRune(r)
		b = b[size:]
	}
	return out.String()
}

// sendWords are texts in programs that send requests.
var sendWords = []string{"curl", "http", "HTTP", "Http", "request", "Request", "fetch(", "axios", "ajax", "LWP", "urlopen", "wget", "Client"}

// readText reads a file of source or of settings.
func (s *scanner) readText(kind fileKind, lang *language, entry *entryFile, text string) *source {
	f := &source{path: redacted(entry.name), folder: folderOf(entry.name)}
	f.test = isTest(entry.inner) && lang != nil
	f.hints.evidence = s.isEvidence(text) || strings.Contains(strings.ToLower(entry.inner), serviceName)
	sends := slices.ContainsFunc(sendWords, func(word string) bool { return strings.Contains(text, word) })
	if !f.hints.evidence && !sends && !s.matcher.pathLike(text) && !strings.ContainsAny(text, "/") {
		return nil
	}
	switch kind {
	case kindMarkup:
		text = onlyScripts(text)
	case kindJSON:
		lang = langJavaScript
	}
	switch kind {
	case kindSource, kindMarkup, kindJSON:
		f.program = parse(lang, text, newBudget(len(text), &s.stop))
		if kind == kindJSON {
			f.lang = langSettings
		}
	default:
		f.program = s.readSettings(kind, text)
	}
	f.budget.within(f.index)
	f.kept = true
	return f
}

// serviceName is the word by which programs name the service.
var serviceName = func() string {
	host := hostOf(translate.OldHost)
	host = host[strings.IndexByte(host, '.')+1:]
	return host[:strings.IndexByte(host, '.')]
}()

// isEvidence says whether a text knows our service: its name, a host of it, types of its notifications, or names of fields
// that no other interface has.
func (s *scanner) isEvidence(text string) bool {
	if containsFold(text, serviceName) || strings.Contains(text, "Curl_Seller_") || strings.Contains(text, translate.TypeDefault) {
		return true
	}
	for _, host := range s.matcher.hosts {
		if strings.Contains(text, host) {
			return true
		}
	}
	for _, r := range s.matcher.routes {
		if r.level == 3 && !strings.Contains(strings.Join(r.parts, "/"), "{") && len(r.parts) > 1 && strings.Contains(text, strings.Join(r.parts, "/")) {
			return true
		}
	}
	seen := 0
	for _, name := range s.fieldNames() {
		if strings.Contains(text, name) {
			if seen++; seen == 2 {
				return true
			}
		}
	}
	return false
}

// containsFold says whether a text contains a word, in any case of letters.
func containsFold(text, word string) bool {
	first := word[:1] + strings.ToUpper(word[:1])
	for from := 0; ; {
		i := strings.IndexAny(text[from:], first)
		if i < 0 || from+i+len(word) > len(text) {
			return false
		}
		if from += i; strings.EqualFold(text[from:from+len(word)], word) {
			return true
		}
		from++
	}
}

// fieldNames returns the names of fields that are no words of other interfaces.
func (s *scanner) fieldNames() []string {
	return distinctive
}

// distinctive are those names, from the tables.
var distinctive = func() []string {
	var names []string
	for _, call := range translate.Calls {
		for i := range call.In {
			name := call.In[i].Legacy
			if len(name) >= 10 && (strings.Contains(name, "_") || strings.ToLower(name) != name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return append(names, "numberOfItems", "startingItem")
}()

var scriptTag = regexp.MustCompile(`(?is)<script[^>]*>(.*?)</script>`)

// onlyScripts returns a page with spaces in place of everything but its scripts, so that offsets stay.
func onlyScripts(text string) string {
	out := []byte(text)
	from := 0
	blank := func(to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for _, at := range scriptTag.FindAllStringSubmatchIndex(text, -1) {
		blank(at[2])
		from = at[3]
	}
	blank(len(out))
	return string(out)
}

var (
	secretName = regexp.MustCompile(`dk_(?:live|test)_[A-Za-z0-9_-]*`)
	longName   = regexp.MustCompile(`[A-Za-z0-9_-]{64,}`)
)

// redacted returns the name of a file without keys in it.
func redacted(name string) string {
	name = strings.ToValidUTF8(name, "\ufffd")
	return longName.ReplaceAllString(secretName.ReplaceAllString(name, "[removed]"), "[removed]")
}
