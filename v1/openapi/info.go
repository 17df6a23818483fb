package openapi

import (
	"sellerd/internal/openjson"
	"sellerd/v1"
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
