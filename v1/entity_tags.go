package v1

import (
	"crypto/sha256"
	"encoding/base64"
	"iter"
	"net/http"
	"slices"
	"strings"

	"sellerd/v1/refusal"
)

// This file is about entity tags and their headers. With If-None-Match a read returns the object only if it has changed;
// with If-Match a change is done only if the object has not changed since the caller read it (docs/api.md, Changes).

// contentTag is the entity tag of an answer's data.
func contentTag(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// Conditional says whether the operation reads If-Match.
func (o *Operation) Conditional() bool { return slices.Contains(o.refusals, PreconditionFailed) }

// readIfMatch reads If-Match. A caller that sends it relies on it, so a malformed header is rejected and not ignored. So is
// a header without a tag, which a tool may send that has lost the tag.
func (c *Call) readIfMatch(h http.Header) error {
	values := h.Values("If-Match")
	if len(values) == 0 {
		return nil
	}
	c.IfMatch = strings.Trim(strings.Join(values, ","), " \t")
	if c.IfMatch != "*" && !isEntityTagList(c.IfMatch) {
		return refusal.Newf(InvalidHeader, "If-Match", "Send * or entity tags in quotes, with commas between them.")
	}
	return nil
}

// precondition rejects a change of an object that has changed since the caller read it.
func (c *Call) precondition(etag string) error {
	if c.IfMatch == "" || etagMatches(c.IfMatch, etag, false) {
		return nil
	}
	return errObjectChanged
}

var errObjectChanged = refusal.Newf(PreconditionFailed, "If-Match", "The object changed since you read it.")

// etagMatches says whether a header is * or names an entity tag (RFC 9110, 13.1). Weak tags match only in a weak
// comparison. The part of a header after its first mistake is ignored.
func etagMatches(header, etag string, weak bool) bool {
	if header == "*" {
		return etag != ""
	}
	for tag := range entityTags(header) {
		if weak {
			tag = strings.TrimPrefix(tag, "W/")
		}
		if tag == etag {
			return true
		}
	}
	return false
}

// entityTags are the tags in a header before its first mistake.
func entityTags(header string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			tag, rest, ok := cutEntityTag(header)
			if !ok || tag == "" || !yield(tag) {
				return
			}
			header = rest
		}
	}
}

// isEntityTagList says whether a header is a list of at least one entity tag.
func isEntityTagList(header string) bool {
	tag, rest, ok := cutEntityTag(header)
	if tag == "" {
		return false
	}
	for ok && tag != "" {
		tag, rest, ok = cutEntityTag(rest)
	}
	return ok
}

// cutEntityTag returns the first entity tag of a list (RFC 9110, 8.8.3) and the rest, skipping empty elements (5.6.1.2). At
// the end of the list the tag is empty. ok is false if there is something other than a tag, or no comma after it.
func cutEntityTag(list string) (tag, rest string, ok bool) {
	list = strings.TrimLeft(list, ", \t")
	if list == "" {
		return "", "", true
	}
	opaque, quoted := strings.CutPrefix(strings.TrimPrefix(list, "W/"), `"`)
	end := strings.IndexByte(opaque, '"')
	if !quoted || end < 0 {
		return "", "", false
	}
	for _, character := range []byte(opaque[:end]) {
		if character <= ' ' || character == 0x7f {
			return "", "", false
		}
	}
	rest = strings.TrimLeft(opaque[end+1:], " \t")
	if rest != "" && rest[0] != ',' {
		return "", "", false
	}
	return list[:len(list)-len(opaque)+end+1], rest, true
}
