package openapi

import (
	"slices"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
)

// This file describes the headers of answers.

// Header is a header of answers.
type Header struct {
	Name, Doc string
	Always    bool // on every answer that refers to it
	Schema    openjson.Object
	since     string // the release of /v1 in which it came
}

// headerDocs are all headers that answers carry, by the names under which operations refer to them.
var headerDocs = []Header{
	{
		"X-Request-Id", "The id of this request: yours, when you sent one of 8 to 128 letters, digits and -_. Quote it when you ask for help.", true,
		openjson.Of("type", "string"), v1.FirstRelease,
	},
	{"Content-Language", "The language of all texts in the answer: of messages, and of names of categories. It is en if there are none.", true, openjson.Reference("schemas", "Language"), v1.FirstRelease},
	{
		"Cache-Control", "private, no-cache for reads, no-store for everything else.", true,
		openjson.Of("type", "string", "enum", []any{"private, no-cache", "no-store"}), v1.FirstRelease,
	},
	{"X-Content-Type-Options", "The body is what Content-Type says.", true, openjson.Of("type", "string", "const", "nosniff"), v1.FirstRelease},
	{"Vary", "What the answer depends on besides the URL.", true, openjson.Of("type", "string"), v1.FirstRelease},
	{"ETag", "The version of the object: send it in If-None-Match to read it only if it changed, and in If-Match, where an operation takes that, to " +
		"change it only if it did not. That of a compressed answer ends in ~gz or ~zs, and means the same version.", false, openjson.Of("type", "string", "pattern", `^"[^"]+"$`), v1.ConditionalRelease},
	{"Location", "The path of what was made.", true, openjson.Of("type", "string", "format", "uri-reference"), v1.FirstRelease},
	{
		"Idempotent-Replayed", "This is the stored answer to an earlier request with the same Idempotency-Key.", false,
		openjson.Of("type", "string", "const", "true"), v1.FirstRelease,
	},
	{"Retry-After", "Seconds to wait before the request is worth repeating.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"WWW-Authenticate", "How to authenticate.", true, openjson.Of("type", "string", "const", "ApiKey"), v1.FirstRelease},
	{
		"Link", "Where the description of all operations is (rel service-desc).", true, openjson.Of("type", "string"),
		v1.DescriptionLinkRelease,
	},
	{"Allow", "The methods that the path accepts.", true, openjson.Of("type", "string"), v1.FirstRelease},
	{"X-RateLimit-Limit", "Requests a minute; 0 is no limit, and the others are left out.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-RateLimit-Remaining", "Requests that can be made at once.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-RateLimit-Reset", "When the budget is full again, in seconds since 1970.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-RateLimit-Reset-After", "Seconds until the budget is full again.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{
		"RateLimit-Policy", "The limit on requests in the form of draft-ietf-httpapi-ratelimit-headers: the quota (q) and its window in seconds (w). Without " +
			"a limit it is left out.", false,
		openjson.Of("type", "string"), v1.QuotaRelease,
	},
	{
		"RateLimit", "What is left of that limit: requests (r), and the seconds until there is one more (t). Without a limit it is left out.", false,
		openjson.Of("type", "string"), v1.QuotaRelease,
	},
	{"X-StoreLimit-Limit", "How many items may be open at once; 0 is no limit.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Used", "Open and scheduled items and pending submissions.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Remaining", "How many more items may be open; left out without a limit.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Daily-Limit", "How many items may be listed a day (UTC); 0 is no limit.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Daily-Remaining", "How many more items may be listed today; left out without a limit.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Daily-Reset", "When the next day begins, in seconds since 1970; left out without a limit.", false, openjson.Of("type", "integer"), v1.FirstRelease},
}

// Headers returns the headers of /v1 with the given names, in the order of the document. A name that ends in * stands for
// its family, and * for all. The document of the deprecated interface takes from here what means the same in both.
func Headers(names ...string) (headers []Header) {
	for _, h := range headerDocs {
		if slices.ContainsFunc(names, h.isCalled) {
			headers = append(headers, h)
		}
	}
	return headers
}

// isCalled says whether a name, or the name of a family, is that of the header.
func (h *Header) isCalled(name string) bool {
	family, isFamily := strings.CutSuffix(name, "*")
	return h.Name == name || isFamily && strings.HasPrefix(h.Name, family)
}

// Describe returns the header as a component of a document.
func (h *Header) Describe() openjson.Object {
	header := openjson.Of("description", h.Doc)
	if h.Always {
		header.Set("required", true)
	}
	header.Set("schema", h.Schema)
	return header
}

func headerComponents() openjson.Object {
	var out openjson.Object
	for i := range headerDocs {
		header := headerDocs[i].Describe()
		markSince(&header, headerDocs[i].since, v1.FirstRelease)
		out.Set(headerDocs[i].Name, header)
	}
	return out
}

// carried are the headers of an answer, each with the release since which that answer carries it. A name that ends in *
// stands for its family.
type carried map[string]string

func (c carried) add(since string, names ...string) {
	for _, name := range names {
		c[name] = since
	}
}

// addBudgets adds the headers of the limits that an operation spends, if it spends any.
func (c carried) addBudgets(since string, budgets []string) {
	c.add(since, budgets...)
	if len(budgets) > 0 {
		c.add(latest(since, v1.QuotaRelease), "RateLimit*")
	}
}

// since is when the answer began to carry a header, if it does.
func (c carried) since(h *Header) (release string, does bool) {
	for name, release := range c {
		if h.isCalled(name) {
			return release, true
		}
	}
	return "", false
}

// headers describes them in the order of headerDocs, for an answer that came in the release whole.
func (c carried) headers(whole string) openjson.Object {
	var out openjson.Object
	for i := range headerDocs {
		h := &headerDocs[i]
		if since, does := c.since(h); does {
			out.Set(h.Name, sharedOr(openjson.Reference("headers", h.Name), h.Describe(), since, h.since, whole))
		}
	}
	return out
}
