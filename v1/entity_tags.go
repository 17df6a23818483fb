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

// This file is about entity tags and the headers that name some: a read that is only worth its bytes if the object changed
// (If-None-Match), a change of what the caller has read and nothing newer (If-Match).

// contentTag is the entity tag of what an answer shows.
func contentTag(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// Conditional says whether the operation reads If-Match.
func (o *Operation) Conditional() bool { return slices.Contains(o.refusals, PreconditionFailed) }

// readIfMatch reads If-Match. Who sends it relies on it, so one that cannot be understood is refused and not passed over,
// and so is one that names nothing, as a tool sends that has lost the tag.
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

// precondition refuses a change of an object that is no longer what the caller read.
func (c *Call) precondition(etag string) error {
	if c.IfMatch == "" || etagMatches(c.IfMatch, etag, false) {
		return nil
	}
	return errObjectChanged
}

var errObjectChanged = refusal.Newf(PreconditionFailed, "If-Match", "The object changed since you read it.")

// etagMatches says whether a header is * or names an entity tag (RFC 9110, 13.1). Weak tags match only where a weak
// comparison is asked for. What follows the first mistake in a header names nothing.
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

// entityTags are the tags that a header names before its first mistake.
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

// isEntityTagList says whether a header names entity tags, at least one, and nothing else.
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

// cutEntityTag takes the first entity tag (RFC 9110, 8.8.3) off a list of them, past empty elements (5.6.1.2). At the end
// of the list the tag is empty. ok is false where there is something else than a tag, or no comma after it.
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
