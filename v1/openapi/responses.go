package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/openjson"
	"sellerd/v1"
	"sellerd/v1/refusal"
)

// This file describes answers: envelopes, headers and refusals.

// headerDoc is a header of answers.
type headerDoc struct {
	name, doc string
	always    bool // on every answer that refers to it
	schema    openjson.Object
	since     string
}

// headerDocs are all headers that answers carry, by the names under which operations refer to them.
var headerDocs = []headerDoc{
	{"X-Request-Id", "The id of this request: yours, when you sent one of 8 to 128 letters, digits and -_. Quote it when you ask for help.", true, openjson.Of("type", "string"), v1.FirstRelease},
	{"Content-Language", "The language of names and messages.", true, openjson.Reference("schemas", "Language"), v1.FirstRelease},
	{"Cache-Control", "private, no-cache for reads, no-store for everything else.", true, openjson.Of("type", "string", "enum", []any{"private, no-cache", "no-store"}), v1.FirstRelease},
	{"X-Content-Type-Options", "The body is what Content-Type says.", true, openjson.Of("type", "string", "const", "nosniff"), v1.FirstRelease},
	{"Vary", "What the answer depends on besides the URL.", true, openjson.Of("type", "string"), v1.FirstRelease},
	{"ETag", "The version of the object: send it in If-None-Match to read it only if it changed, and in If-Match, where an operation takes that, to change it only if it did not.", false, openjson.Of("type", "string", "pattern", `^"[^"]+"$`), v1.ConditionalRelease},
	{"Location", "The path of what was made.", true, openjson.Of("type", "string", "format", "uri-reference"), v1.FirstRelease},
	{"Idempotent-Replayed", "This is the stored answer to an earlier request with the same Idempotency-Key.", false, openjson.Of("type", "string", "const", "true"), v1.FirstRelease},
	{"Retry-After", "Seconds to wait before the request is worth repeating.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"WWW-Authenticate", "How to authenticate.", true, openjson.Of("type", "string", "const", "ApiKey"), v1.FirstRelease},
	{"Allow", "The methods that the path accepts.", true, openjson.Of("type", "string"), v1.FirstRelease},
	{"X-RateLimit-Limit", "Requests a minute; 0 is no limit, and the others are left out.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-RateLimit-Remaining", "Requests that can be made at once.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-RateLimit-Reset", "When the budget is full again, in seconds since 1970.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-RateLimit-Reset-After", "Seconds until the budget is full again.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Limit", "How many items may be open at once; 0 is no limit.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Used", "Open and scheduled items and pending submissions.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Remaining", "How many more items may be open; left out without a limit.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Daily-Limit", "How many items may be listed a day (UTC); 0 is no limit.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Daily-Remaining", "How many more items may be listed today; left out without a limit.", false, openjson.Of("type", "integer"), v1.FirstRelease},
	{"X-StoreLimit-Daily-Reset", "When the next day begins, in seconds since 1970; left out without a limit.", false, openjson.Of("type", "integer"), v1.FirstRelease},
}

func headerComponents() openjson.Object {
	var out openjson.Object
	for i := range headerDocs {
		header := headerDocs[i].describe()
		markSince(&header, headerDocs[i].since, v1.FirstRelease)
		out.Set(headerDocs[i].name, header)
	}
	return out
}

func (h *headerDoc) describe() openjson.Object {
	header := openjson.Of("description", h.doc)
	if h.always {
		header.Set("required", true)
	}
	header.Set("schema", h.schema)
	return header
}

// LimitHeaders are the headers that tell a caller's limits, whole numbers all of them, with what they mean.
func LimitHeaders() (headers [][2]string) {
	for _, h := range headerDocs {
		if strings.HasPrefix(h.name, "X-RateLimit-") || strings.HasPrefix(h.name, "X-StoreLimit-") {
			headers = append(headers, [2]string{h.name, h.doc})
		}
	}
	return headers
}

// carried are the headers of an answer, each with the release since which that answer carries it. A name that ends in *
// stands for its family.
type carried map[string]string

func (c carried) add(since string, names ...string) {
	for _, name := range names {
		c[name] = since
	}
}

// since is when the answer began to carry a header, if it does.
func (c carried) since(name string) (release string, does bool) {
	for carried, release := range c {
		family, isFamily := strings.CutSuffix(carried, "*")
		if carried == name || isFamily && strings.HasPrefix(name, family) {
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
		if since, does := c.since(h.name); does {
			out.Set(h.name, sharedOr(openjson.Reference("headers", h.name), h.describe(), since, h.since, whole))
		}
	}
	return out
}

// budgets are the headers of the limits that an operation spends.
func (o operation) budgets() []string {
	if o.Publishes {
		return []string{"X-RateLimit-*", "X-StoreLimit-*"}
	}
	return []string{"X-RateLimit-*"}
}

func envelope(status int, member string, value, examples openjson.Object) openjson.Object {
	media := openjson.Of("schema", openjson.Of(
		"type", "object", "required", []any{"status_code", member},
		"properties", openjson.Of("status_code", openjson.Of("type", "integer", "const", status), member, value),
	))
	media.Set("examples", examples)
	return openjson.Of("application/json", media)
}

// success is the answer to a request that was followed.
func (o operation) success(g *schemas, status int) openjson.Object {
	since := o.Since
	if status == o.MayAnswer {
		since = o.MayAnswerSince
	}
	carries := carried{}
	carries.add(since, append(o.budgets(), "X-Request-Id", "Content-Language", "Cache-Control", "X-Content-Type-Options")...)
	if o.Method == http.MethodGet {
		carries.add(since, "Vary")
	}
	if o.Tagged {
		carries.add(latest(since, o.TaggedSince), "ETag")
	}
	if o.Tells {
		carries.add(latest(since, v1.ConditionalRelease), "ETag")
	}
	if o.Locates && status != o.MayAnswer {
		carries.add(since, "Location")
	}
	if o.Method == http.MethodPost {
		carries.add(latest(since, o.KeyedSince), "Idempotent-Replayed")
	}
	response := openjson.Of("description", http.StatusText(status), "headers", carries.headers(since),
		"content", envelope(status, "data", g.of(o.Out, inAnswers), o.answerExamples(status)))
	markSince(&response, since, o.Since)
	return response
}

// unchanged answers a read with If-None-Match.
func (o operation) unchanged() openjson.Object {
	carries := carried{}
	carries.add(o.TaggedSince, append(o.budgets(), "X-Request-Id", "Content-Language", "Cache-Control", "Vary", "ETag")...)
	response := openjson.Of("description", "You have the present version already.", "headers", carries.headers(latest(o.Since, o.TaggedSince)))
	markSince(&response, o.TaggedSince, o.Since)
	return response
}

// refusalWords introduce refusals with more codes than a sentence can name.
var refusalWords = map[int]string{
	404: "There is no such object, or it is another seller's, or of the other mode.",
	409: "The object, or the store, is in a state that does not allow this.",
	422: "The request is well-formed and cannot be followed. All that is wrong with a body is told at once.",
}

// retryCodes are those after which a request is worth repeating.
var retryCodes = []refusal.Code{refusal.RateLimited, refusal.DailyItemLimitReached, refusal.ServiceUnavailable, refusal.IdempotencyKeyInProgress}

// refusalResponse is the response to a request that was rejected, of something that came in the release whole and answers each
// code since the release that since tells.
func refusalResponse(g *schemas, status int, codes []refusal.Code, budgets []string, examples openjson.Object, whole string, since func(refusal.Code) string) openjson.Object {
	g.of(errorType, inAnswers)
	releases := make([]string, len(codes))
	for i, code := range codes {
		releases[i] = since(code)
	}
	came := latest(whole, earliest(releases...))
	carries := carried{}
	carries.add(came, append([]string{"X-Request-Id", "Cache-Control", "X-Content-Type-Options"}, budgets...)...)
	switch status {
	case http.StatusUnauthorized:
		carries.add(came, "WWW-Authenticate")
	case http.StatusMethodNotAllowed:
		carries.add(came, "Allow")
	}
	if status != http.StatusMethodNotAllowed && !slices.Contains(codes, refusal.RouteNotFound) {
		carries.add(came, "Content-Language")
	}
	var later openjson.Object
	for _, code := range codes {
		if release := since(code); newer(release, came) {
			later.Set(string(code), release)
		}
		if known, does := carries["Retry-After"]; slices.Contains(retryCodes, code) {
			if !does {
				known = since(code)
			}
			carries.add(earliest(known, since(code)), "Retry-After")
		}
	}
	allowed := openjson.Of("type", "string", "enum", openjson.Array(codes))
	allowed.Set("x-enum-since", later)
	entry := openjson.Of("allOf", []any{
		openjson.Reference("schemas", "Error"),
		openjson.Of("type", "object", "required", []any{"code"}, "properties", openjson.Of("code", allowed)),
	})
	response := openjson.Of("description", refusalText(status, codes), "headers", carries.headers(came),
		"content", envelope(status, "errors", openjson.Of("type", "array", "minItems", 1, "items", entry), examples))
	markSince(&response, came, whole)
	return response
}

// refusalText says what a refusal means.
func refusalText(status int, codes []refusal.Code) string {
	if text := refusalWords[status]; text != "" && len(codes) > 1 {
		return text
	}
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = refusal.InfoOf(code).Meaning
	}
	return strings.Join(words, " Or: ")
}

// sharedRefusal is a refusal that many operations have in common.
func sharedRefusal(g *schemas, status int, codes []refusal.Code, budgets []string) openjson.Object {
	return refusalResponse(g, status, codes, budgets, g.refusalExamples(status, codes), v1.FirstRelease, func(code refusal.Code) string { return refusal.InfoOf(code).Since })
}

// responses are all answers of an operation, by status. Refusals with one code, or a common pair, are alike for many
// operations, so they are components with names; but not where the operation has one of the codes for a shorter time.
func (o operation) responses(g *schemas, shared *openjson.Object) openjson.Object {
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
		if status == http.StatusUnauthorized { // the caller is not known yet, so there is no budget
			budgets = nil
		}
		name := responseName(codes, len(budgets) > 1)
		if name == "" || slices.ContainsFunc(codes, o.isLateWith) {
			examples := o.answerExamples(status)
			if len(examples) == 0 {
				examples = g.refusalExamples(status, codes)
			}
			out.Set(strconv.Itoa(status), refusalResponse(g, status, codes, budgets, examples, o.Since, o.codeSince))
			continue
		}
		shared.Set(name, sharedRefusal(g, status, codes, budgets))
		out.Set(strconv.Itoa(status), openjson.Reference("responses", name))
	}
	return out
}

// isLateWith says whether the operation is older than a code of its that others had before.
func (o operation) isLateWith(code refusal.Code) bool {
	since := o.codeSince(code)
	return newer(since, o.Since) && newer(since, refusal.InfoOf(code).Since)
}

func (o operation) errorStatuses() []int {
	var statuses []int
	for _, code := range o.Codes() {
		statuses = append(statuses, refusal.InfoOf(code).Status)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// commonPairs are the names of refusals with two codes that several operations answer.
var commonPairs = map[[2]refusal.Code]string{
	{refusal.MalformedJSON, refusal.InvalidIdempotencyKey}: "BadRequest",
	{refusal.MissingAPIKey, refusal.InvalidAPIKey}:         "Unauthorized",
	{refusal.AccountSuspended, refusal.TestKeyOnly}:        "Forbidden",
	{refusal.SaleNotFound, refusal.RatingNotFound}:         "SaleOrRatingNotFound",
	{refusal.BillNotFound, refusal.TrackingNotFound}:       "BillOrTrackingNotFound",
	{refusal.UnknownParameter, refusal.InvalidParameter}:   "InvalidQuery",
	{refusal.RateLimited, refusal.DailyItemLimitReached}:   "TooManyRequests",
}

// responseName is how a shared refusal is called: ItemNotFound, or RateLimitedWithStoreLimits where the store's limits
// are told. Refusals that have no name stand where they are answered.
func responseName(codes []refusal.Code, storeLimits bool) string {
	var name string
	switch len(codes) {
	case 1:
		name = pascalCase(string(codes[0]))
	case 2:
		name = commonPairs[[2]refusal.Code(codes)]
	}
	if name != "" && storeLimits {
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
