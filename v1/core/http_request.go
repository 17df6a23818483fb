package core

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"sellerd/v1/etag"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file reads requests.

// HeadLimit is the most that a request has before its body, in bytes: its first line and its headers. A longer one is
// refused with 431, so that no parameter and no header is longer.
const HeadLimit = 24 << 10

// decode fills the operation's input from path, query, headers and body. Problems of single values are collected in the
// call; a returned error ends the request. It is Bind, but it reads the body only if the path is valid.
func (s *Core) decode(r *http.Request, w http.ResponseWriter, o *Operation, c *Call, in any) error {
	if err := wire.BindPath(in, c.pathValue); err != nil {
		return err
	}
	if o.Conditional() {
		if err := c.readIfMatch(r.Header); err != nil {
			return err
		}
	}
	body, err := c.body.once(func() ([]byte, error) { return readBody(r, w, o) })
	if err != nil {
		return err
	}
	if err := wire.BindRest(in, r.URL.RawQuery, body, &c.Problems); err != nil {
		return err
	}
	// The key comes last, because the body must be checked before its canonical form is made.
	if keys := r.Header.Values("Idempotency-Key"); len(keys) > 0 && r.Method == http.MethodPost {
		if len(keys) > 1 {
			return refusal.Newf(refusal.InvalidIdempotencyKey, "Idempotency-Key", "Send the header once.")
		}
		c.Idempotency, err = newIdempotencyKey(keys[0], r.Method, routeOf(r.URL), body, true)
	}
	return err
}

// Outliving is a copy of the request for work that may go on when the request is answered.
func (q Request) Outliving() Request {
	q.path = nil
	return q
}

// pathValue is a value in the path, empty if the pattern has no such part.
func (q *Request) pathValue(name string) string {
	if q.path == nil {
		return ""
	}
	if i := slices.Index(q.path.Keys, name); i >= 0 {
		return q.path.Values[i]
	}
	return ""
}

// routeOf is the path with the query in its canonical form: a request that only checks an item (validate_only) differs from
// the one that lists it.
func routeOf(u *url.URL) string {
	if u.RawQuery == "" {
		return u.Path
	}
	return u.Path + "?" + u.Query().Encode()
}

// readBody reads a JSON body within the operation's limit. If an operation's input has no body, a body must be empty or
// JSON without members, which bindBody checks.
func readBody(r *http.Request, w http.ResponseWriter, o *Operation) ([]byte, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil, nil
	}
	if r.ContentLength > o.BodyLimit {
		return nil, o.tooLarge()
	}
	body, err := readAll(http.MaxBytesReader(w, r.Body, o.BodyLimit), r.ContentLength)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, o.tooLarge()
	case err != nil:
		return nil, BodyEnds(err)
	case len(body) == 0:
		return nil, nil
	}
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	patches := r.Method == http.MethodPatch && media == "application/merge-patch+json"
	if err != nil || media != "application/json" && !patches || !isUTF8(params["charset"]) {
		return nil, refusal.Newf(refusal.UnsupportedMediaType, "Content-Type", "Send the body as application/json in UTF-8.")
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		w.Header()["Accept-Encoding"] = headerIdentity
		return nil, refusal.Newf(refusal.UnsupportedMediaType, "Content-Encoding", "Send the body uncompressed, without Content-Encoding.")
	}
	return body, nil
}

// BodyTime is how long a request to the service may take to arrive.
const BodyTime = 15 * time.Second

// BodyEnds is the refusal of a body that cannot be read to its end, on every stack: err is what the connection says. A body that is late
// is a mistake of the caller's side like one that is cut off: the service is there, and the same body would be late again.
func BodyEnds(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refusal.Newf(refusal.MalformedJSON, "", "The body did not arrive in time.")
	}
	return refusal.Newf(refusal.MalformedJSON, "", "The body ended early.")
}

// isUTF8 says whether a character set is UTF-8 by one of its names, or ASCII, which is a part of it. JSON without one is in UTF-8.
func isUTF8(charset string) bool {
	switch strings.ToLower(charset) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return true
	}
	return false
}

// readAll reads a body whose length may be announced, in bytes. The announcement is trusted up to the usual size of a
// body; memory for more is taken as the bytes arrive.
func readAll(body io.Reader, announced int64) ([]byte, error) {
	const usual = 128 << 10
	var buffer bytes.Buffer
	if announced > 0 {
		buffer.Grow(int(min(announced, usual)) + bytes.MinRead) // the end of the body is read, too
	}
	_, err := buffer.ReadFrom(body)
	return buffer.Bytes(), err
}

// Languages are those of names and messages (docs/seller/requests.md, Values).
var Languages = reference.Languages[:]

// Bind makes the operation's input out of a path's values, a raw query and a JSON body, as HTTP does. Problems that
// leave an input to talk about are gathered in the call; the error ends the request.
func (o *Operation) Bind(c *Call, path map[string]string, query string, body []byte) (any, error) {
	in := o.NewInput()
	if err := wire.BindPath(in, func(name string) string { return path[name] }); err != nil {
		return nil, err
	}
	if int64(len(body)) > o.BodyLimit {
		return nil, o.tooLarge()
	}
	if err := wire.BindRest(in, query, body, &c.Problems); err != nil {
		return nil, err
	}
	return in, nil
}

func (o *Operation) tooLarge() error {
	return refusal.Newf(refusal.PayloadTooLarge, "", "The body is larger than %d bytes.", o.BodyLimit)
}

// Requests can be conditional. With If-None-Match a read returns the object only if it has changed; with
// If-Match a change is done only if the object has not changed since the caller read it (docs/seller/changes.md).

// Conditional says whether the operation reads If-Match.
func (o *Operation) Conditional() bool {
	return slices.Contains(o.refusals, refusal.PreconditionFailed)
}

// readIfMatch reads If-Match. A caller that sends it relies on it, so a malformed header is rejected and not ignored. So is
// a header without a tag, which a tool may send that has lost the tag.
func (c *Call) readIfMatch(h http.Header) error {
	values := h.Values("If-Match")
	if len(values) == 0 {
		return nil
	}
	c.IfMatch = strings.Trim(strings.Join(values, ","), " \t")
	if c.IfMatch != "*" && !etag.IsList(c.IfMatch) {
		return refusal.Newf(refusal.InvalidHeader, "If-Match", "Send * or entity tags in quotes, with commas between them.")
	}
	return nil
}

// Precondition rejects a change of an object that has changed since the caller read it.
func (c *Call) Precondition(current string) error {
	if c.IfMatch == "" || etag.Matches(c.IfMatch, current, false) {
		return nil
	}
	return c.PreconditionFailed()
}

// PreconditionFailed is the rejection of a change whose If-Match does not name the object as it is now.
func (c *Call) PreconditionFailed() error {
	for tag := range etag.All(c.IfMatch) {
		if strings.HasPrefix(tag, "W/") {
			return errWeakTag
		}
	}
	return errObjectChanged
}

var (
	errObjectChanged = refusal.Newf(refusal.PreconditionFailed, "If-Match", "The object changed since you read it.")
	errWeakTag       = refusal.Newf(refusal.PreconditionFailed, "If-Match",
		`An entity tag that begins with W/ is weak, and a weak tag never matches here: send the ETag of the object without W/. Proxies that compress answers add it.`)
)
