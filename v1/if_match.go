package v1

import (
	"net/http"
	"slices"
	"strings"

	"sellerd/v1/etag"
	"sellerd/v1/refusal"
)

// This file is about conditional requests. With If-None-Match a read returns the object only if it has changed; with
// If-Match a change is done only if the object has not changed since the caller read it (docs/api.md, Changes).

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
	if c.IfMatch != "*" && !etag.IsList(c.IfMatch) {
		return refusal.Newf(InvalidHeader, "If-Match", "Send * or entity tags in quotes, with commas between them.")
	}
	return nil
}

// precondition rejects a change of an object that has changed since the caller read it.
func (c *Call) precondition(current string) error {
	if c.IfMatch == "" || etag.Matches(c.IfMatch, current, false) {
		return nil
	}
	return errObjectChanged
}

var errObjectChanged = refusal.Newf(PreconditionFailed, "If-Match", "The object changed since you read it.")
