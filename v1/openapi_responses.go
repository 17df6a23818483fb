package v1

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/openjson"
)

// This file describes answers: envelopes, headers and refusals.

// headerDocs are all headers that answers carry, by the names under which operations refer to them.
var headerDocs = []struct {
	name, doc string
	always    bool // on every answer that refers to it
	schema    openjson.Object
}{
	{"X-Request-Id", "The id of this request: yours, when you sent one of 8 to 128 letters, digits and -_. Quote it when you ask for help.", true, openjson.Of("type", "string")},
	{"Content-Language", "The language of names and messages.", true, openjson.Of("type", "string", "enum", openjson.Array(Languages))},
	{"Cache-Control", "private, no-cache for reads, no-store for everything else.", true, openjson.Of("type", "string", "enum", []any{"private, no-cache", "no-store"})},
	{"X-Content-Type-Options", "The body is what Content-Type says.", true, openjson.Of("type", "string", "const", "nosniff")},
	{"Vary", "What the answer depends on besides the URL.", true, openjson.Of("type", "string")},
	{"ETag", "The version of the object: send it in If-None-Match to read it only if it changed, and in If-Match to change it only if it did not.", false, openjson.Of("type", "string", "pattern", `^"[^"]+"$`)},
	{"Location", "The path of what was made.", true, openjson.Of("type", "string", "format", "uri-reference")},
	{"Idempotent-Replayed", "This is the stored answer to an earlier request with the same Idempotency-Key.", false, openjson.Of("type", "string", "const", "true")},
	{"Retry-After", "Seconds to wait before the request is worth repeating.", false, openjson.Of("type", "integer")},
	{"WWW-Authenticate", "How to authenticate.", true, openjson.Of("type", "string", "const", "ApiKey")},
	{"Allow", "The methods that the path accepts.", true, openjson.Of("type", "string")},
	{"X-RateLimit-Limit", "Requests a minute; 0 is no limit, and the others are left out.", false, openjson.Of("type", "integer")},
	{"X-RateLimit-Remaining", "Requests that can be made at once.", false, openjson.Of("type", "integer")},
	{"X-RateLimit-Reset", "When the budget is full again, in seconds since 1970.", false, openjson.Of("type", "integer")},
	{"X-RateLimit-Reset-After", "Seconds until the budget is full again.", false, openjson.Of("type", "integer")},
	{"X-StoreLimit-Limit", "How many items may be open at once; 0 is no limit.", false, openjson.Of("type", "integer")},
	{"X-StoreLimit-Used", "Open and scheduled items and pending submissions.", false, openjson.Of("type", "integer")},
	{"X-StoreLimit-Remaining", "How many more items may be open; left out without a limit.", false, openjson.Of("type", "integer")},
	{"X-StoreLimit-Daily-Limit", "How many items may be listed a day (UTC); 0 is no limit.", false, openjson.Of("type", "integer")},
	{"X-StoreLimit-Daily-Remaining", "How many more items may be listed today; left out without a limit.", false, openjson.Of("type", "integer")},
	{"X-StoreLimit-Daily-Reset", "When the next day begins, in seconds since 1970; left out without a limit.", false, openjson.Of("type", "integer")},
}

func headerComponents() openjson.Object {
	var out openjson.Object
	for _, h := range headerDocs {
		header := openjson.Of("description", h.doc)
		if h.always {
			header.Set("required", true)
		}
		header.Set("schema", h.schema)
		out.Set(h.name, header)
	}
	return out
}

// headers refers to headers by name, in the order of headerDocs; a name that ends in * stands for its family.
func headers(names ...string) openjson.Object {
	var out openjson.Object
	for _, h := range headerDocs {
		if slices.ContainsFunc(names, func(name string) bool {
			family, isFamily := strings.CutSuffix(name, "*")
			return name == h.name || isFamily && strings.HasPrefix(h.name, family)
		}) {
			out.Set(h.name, openjson.Reference("headers", h.name))
		}
	}
	return out
}

// budgets are the headers of the limits that an operation spends.
func (o *Operation) budgets() []string {
	if o.Publishes {
		return []string{"X-RateLimit-*", "X-StoreLimit-*"}
	}
	return []string{"X-RateLimit-*"}
}

func envelope(status int, member string, value openjson.Object) openjson.Object {
	return openjson.Of("application/json", openjson.Of("schema", openjson.Of(
		"type", "object", "required", []any{"status_code", member},
		"properties", openjson.Of("status_code", openjson.Of("type", "integer", "const", status), member, value),
	)))
}

// success is the answer to a request that was followed.
func (o *Operation) success(g *schemas, status int) openjson.Object {
	names := append(o.budgets(), "X-Request-Id", "Content-Language", "Cache-Control", "X-Content-Type-Options")
	if o.Method == http.MethodGet {
		names = append(names, "Vary")
	}
	if o.Tagged || o.Tells {
		names = append(names, "ETag")
	}
	if o.Locates && status != o.MayAnswer {
		names = append(names, "Location")
	}
	if o.Method == http.MethodPost {
		names = append(names, "Idempotent-Replayed")
	}
	return openjson.Of("description", http.StatusText(status), "headers", headers(names...), "content", envelope(status, "data", g.of(o.Out, inAnswers)))
}

// unchanged answers a read with If-None-Match.
func (o *Operation) unchanged() openjson.Object {
	names := append(o.budgets(), "X-Request-Id", "Content-Language", "Cache-Control", "Vary", "ETag")
	return openjson.Of("description", "You have the present version already.", "headers", headers(names...))
}

// refusalWords introduce refusals with more codes than a sentence can name.
var refusalWords = map[int]string{
	404: "There is no such object, or it is another seller's, or of the other mode.",
	409: "The object, or the store, is in a state that does not allow this.",
	422: "The request is well-formed and cannot be followed. All that is wrong with a body is told at once.",
}

// refusal is the answer to a request that was not followed.
func refusal(g *schemas, status int, codes []Code, budgets []string) openjson.Object {
	g.of(errorType, inAnswers)
	description := refusalWords[status]
	if len(codes) == 1 || description == "" {
		var words []string
		for _, code := range codes {
			words = append(words, errorInfoByCode[code].Meaning)
		}
		description = strings.Join(words, " Or: ")
	}
	names := append([]string{"X-Request-Id", "Cache-Control", "X-Content-Type-Options"}, budgets...)
	switch status {
	case http.StatusUnauthorized:
		names = append(names, "WWW-Authenticate")
	case http.StatusMethodNotAllowed:
		names = append(names, "Allow")
	}
	if status != http.StatusMethodNotAllowed && !slices.Contains(codes, RouteNotFound) {
		names = append(names, "Content-Language")
	}
	if slices.ContainsFunc(codes, func(code Code) bool {
		return slices.Contains([]Code{RateLimited, DailyItemLimitReached, ServiceUnavailable, IdempotencyKeyInProgress}, code)
	}) {
		names = append(names, "Retry-After")
	}
	entry := openjson.Of("allOf", []any{openjson.Reference("schemas", "Error"), openjson.Of("properties", openjson.Of("code", openjson.Of("enum", openjson.Array(codes))))})
	return openjson.Of("description", description, "headers", headers(names...),
		"content", envelope(status, "errors", openjson.Of("type", "array", "minItems", 1, "items", entry)))
}

// responses are all answers of an operation, by status. Refusals with few codes are alike for many operations, so they
// are components, named after their codes.
func (o *Operation) responses(g *schemas, shared *openjson.Object) openjson.Object {
	var out openjson.Object
	statuses := []int{o.Status}
	if o.MayAnswer != 0 {
		statuses = append(statuses, o.MayAnswer)
	}
	slices.Sort(statuses)
	for _, status := range statuses {
		out.Set(strconv.Itoa(status), o.success(g, status))
	}
	if o.Tagged {
		out.Set("304", o.unchanged())
	}
	for _, status := range o.errorStatuses() {
		codes, budgets := o.codesAt(status), o.budgets()
		if status == http.StatusUnauthorized { // nobody knows yet whose budget it is
			budgets = nil
		}
		response := refusal(g, status, codes, budgets)
		if len(codes) <= 2 {
			name := responseName(codes, len(budgets) > 1)
			shared.Set(name, response)
			response = openjson.Reference("responses", name)
		}
		out.Set(strconv.Itoa(status), response)
	}
	return out
}

func (o *Operation) errorStatuses() []int {
	var statuses []int
	for _, code := range o.Codes() {
		statuses = append(statuses, errorInfoByCode[code].Status)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// responseName is made of the codes: ItemNotFound, or RateLimitedWithStoreLimits where the store's limits are told.
func responseName(codes []Code, storeLimits bool) string {
	var parts []string
	for _, code := range codes {
		parts = append(parts, pascalCase(string(code)))
	}
	name := strings.Join(parts, "Or")
	if storeLimits {
		name += "WithStoreLimits"
	}
	return name
}

func pascalCase(name string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '.' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
