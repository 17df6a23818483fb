package openapi

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"sellerd/internal/base/each"
	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/refusal"
)

// This file describes answers: envelopes and refusals.

// budgets are the headers of the limits that an operation spends. The operator has none.
func (o operation) budgets() []string {
	switch {
	case o.IsOperators():
		return nil
	case o.Publishes:
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

// onlyChecked describes the success of a request that only checks.
const onlyChecked = "With validate_only=true: nothing is created."

// success is the answer to a request that was followed.
func (o operation) success(g *schemas, status int) openjson.Object {
	since := o.Since
	if status == o.MayAnswer {
		since = o.MayAnswerSince
	}
	carries := carried{}
	carries.add(since, "X-Request-Id", "Content-Language", "Cache-Control", "X-Content-Type-Options")
	carries.addBudgets(since, o.budgets())
	if o.Method == http.MethodGet {
		carries.add(since, "Vary")
	}
	if o.Tagged {
		carries.add(latest(since, o.TaggedSince), "ETag")
	}
	if o.AnswersETag {
		carries.add(latest(since, v1.ConditionalRelease), "ETag")
	}
	if o.Locates && status != o.MayAnswer {
		carries.add(since, "Location")
	}
	if o.Method == http.MethodPost {
		carries.add(latest(since, o.KeyedSince), "Idempotent-Replayed")
	}
	description, data := http.StatusText(status), o.Out
	if status == o.MayAnswer {
		data = cmp.Or(o.MayOut, data)
		if !g.operator {
			description = onlyChecked
		}
	}
	response := openjson.Of("description", description, "headers", carries.headers(since),
		"content", envelope(status, "data", g.of(data, inAnswers), o.answerExamples(status)))
	if status == o.Status && !g.operator {
		response.Set("links", o.links(g))
	}
	markSince(&response, since, o.Since)
	return response
}

// unchanged answers a read with If-None-Match.
func (o operation) unchanged() openjson.Object {
	carries := carried{}
	carries.add(o.TaggedSince, "X-Request-Id", "Content-Language", "Cache-Control", "Vary", "ETag")
	carries.addBudgets(o.TaggedSince, o.budgets())
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

// tooManyOfABatch is the refusal of a batch for a limit. Its codes are those of both limits and of all that can be wrong with an entry.
const tooManyOfABatch = "There are too many requests, or every entry was refused, and one of them for the limit of the day. The codes are per entry."

// refusalResponse is the response to a request that was rejected, of something that came in the release whole and answers each
// code since the release that since returns.
func refusalResponse(g *schemas, status int, codes []refusal.Code, budgets []string, examples openjson.Object, whole string,
	since func(refusal.Code) string,
) openjson.Object {
	g.of(errorType, inAnswers)
	came := latest(whole, earliest(each.Of(codes, since)...))
	carries := carried{}
	carries.add(came, "X-Request-Id", "Cache-Control", "X-Content-Type-Options")
	carries.addBudgets(came, budgets)
	switch status {
	case http.StatusNotFound:
		if !g.operator {
			carries.add(latest(came, v1.DescriptionLinkRelease), "Link")
		}
	case http.StatusUnauthorized:
		carries.add(came, "WWW-Authenticate")
	case http.StatusMethodNotAllowed:
		carries.add(came, "Allow")
	}
	if status != http.StatusMethodNotAllowed && (g.operator || !slices.Contains(codes, refusal.RouteNotFound)) {
		carries.add(came, "Content-Language")
	} else { // no operation reads the request
		carries.add(latest(came, v1.LanguageRelease), "Content-Language")
	}
	var later openjson.Object
	for _, code := range codes {
		if release := since(code); newer(release, came) {
			later.Set(string(code), release)
		}
		if known, does := carries["Retry-After"]; HasRetryAfter(code) {
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
	if status == http.StatusTooManyRequests && len(codes) > 2 {
		return tooManyOfABatch
	}
	return Meanings(codes)
}

// sharedRefusal is a refusal that many operations have in common.
func sharedRefusal(g *schemas, status int, codes []refusal.Code, budgets []string) openjson.Object {
	return refusalResponse(g, status, codes, budgets, g.refusalExamples(status, codes), v1.FirstRelease,
		func(code refusal.Code) string { return refusal.InfoOf(code).Since })
}

// responses are all answers of an operation, by status. Refusals with one code, or a common pair, are alike for many
// operations, so they are components with names; but not where the operation has one of the codes for a shorter time.
func (o operation) responses(g *schemas, shared *openjson.Object) openjson.Object {
	var out openjson.Object
	statuses := []int{o.Status}
	if o.MayAnswer != 0 {
		statuses = append(statuses, o.MayAnswer)
	}
	for _, status := range statuses {
		out.Set(strconv.Itoa(status), o.success(g, status))
	}
	if o.Tagged {
		out.Set("304", o.unchanged())
	}
	for _, status := range o.refusalStatuses() {
		codes, budgets := o.codesAt(status), o.budgets()
		if status == http.StatusUnauthorized { // the caller is not known yet, so there is no budget
			budgets = nil
		}
		name := responseName(codes, len(budgets) > 1)
		if name == routeNotFound { // of a path that is there, but leads to no object
			name = noSuchObject
		}
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

// These are the components for unknown paths, and for objects of the operator API that are unknown. Both have the same code.
const (
	routeNotFound = "RouteNotFound"
	noSuchObject  = "NoSuchObject"
)

// isLateWith says whether the operation is older than a code of its that others had before.
func (o operation) isLateWith(code refusal.Code) bool {
	since := o.codeSince(code)
	return newer(since, o.Since) && newer(since, refusal.InfoOf(code).Since)
}

// commonPairs are the names of refusals with two codes that several operations answer.
var commonPairs = map[[2]refusal.Code]string{
	{refusal.MalformedJSON, refusal.InvalidIdempotencyKey}: "BadRequest",
	{refusal.MissingAPIKey, refusal.InvalidAPIKey}:         "Unauthorized",
	{refusal.AccountSuspended, refusal.PermissionDenied}:   "Forbidden",
	{refusal.SaleNotFound, refusal.RatingNotFound}:         "SaleOrRatingNotFound",
	{refusal.BillNotFound, refusal.TrackingNotFound}:       "BillOrTrackingNotFound",
	{refusal.UnknownParameter, refusal.InvalidParameter}:   "InvalidQuery",
	{refusal.RateLimited, refusal.DailyItemLimitReached}:   "TooManyRequests",
}

// responseName is the name of a shared refusal: ItemNotFound, or RateLimitedWithStoreLimits where the store's limits
// are shown. Refusals that have no name stand where they are answered.
func responseName(codes []refusal.Code, storeLimits bool) string {
	var name string
	switch len(codes) {
	case 1:
		name = PascalCase(string(codes[0]))
	case 2:
		name = commonPairs[[2]refusal.Code(codes)]
	}
	if name != "" && storeLimits {
		name += "WithStoreLimits"
	}
	return name
}
