package openapi

import (
	"slices"
	"strings"

	"sellerd/internal/base/each"
	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/refusal"
)

// This file is what the documents of all stacks have in common.

// Info says what a document is about, under which terms the service is used and where to ask. The service's first
// page leads to its operator. No license is granted: the operator's terms hold.
func Info(title, description, baseURL string) openjson.Object {
	return openjson.Of(
		"title", title, "version", v1.Release, "description", description,
		"contact", openjson.Of("name", "The operator of this service", "url", baseURL),
		"license", openjson.Of("name", "Proprietary", "identifier", "LicenseRef-Proprietary"),
	)
}

// Servers is where the service is reached by every caller with a key.
func Servers(baseURL string) []any {
	return []any{openjson.Of("url", baseURL, "x-internal", false)}
}

// Elsewhere is the member of a document that says how requests are answered that it does not describe.
const Elsewhere = "x-elsewhere"

// ElsewhereAnswers refers to the answers where there is no such path, and where the path has no such method.
func ElsewhereAnswers() openjson.Object {
	return openjson.Of("404", openjson.Reference("responses", "RouteNotFound"), "405", openjson.Reference("responses", "MethodNotAllowed"))
}

// Statuses returns the HTTP statuses of error codes, in ascending order and each once.
func Statuses(codes []v1.Code) []int {
	statuses := each.Of(codes, func(code v1.Code) int { return refusal.InfoOf(code).Status })
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// Meanings returns in one text what error codes mean.
func Meanings(codes []v1.Code) string {
	return strings.Join(each.Of(codes, func(code v1.Code) string { return refusal.InfoOf(code).Meaning }), " Or: ")
}

// retryCodes are the codes after which a request is worth repeating.
var retryCodes = []v1.Code{v1.RateLimited, v1.DailyItemLimitReached, v1.ServiceUnavailable, v1.IdempotencyKeyInProgress}

// HasRetryAfter says whether refusals with a code have the header Retry-After.
func HasRetryAfter(code v1.Code) bool { return slices.Contains(retryCodes, code) }

// PascalCase makes a component's name of a code, an event or the id of a call: item_not_found is ItemNotFound.
func PascalCase(name string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
