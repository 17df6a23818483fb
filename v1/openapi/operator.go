package openapi

import (
	"bytes"
	"slices"
	"strings"

	"sellerd/internal/base/each"
	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/refusal"
)

// This file describes the operator API. The document is made like that of /v1, of the operator's table and types, but the API has
// no releases: it is described as this program has it, without x-since.

// OperatorDocument returns the OpenAPI 3.1 document of the operator API. baseURL is the address of the service for sellers, which
// has the pages about error codes. The server is the listener that the document is read from.
func OperatorDocument(baseURL string) []byte {
	operations := operatorOperations()
	g := newSchemas(operations)
	g.baseURL, g.operator = strings.TrimSuffix(baseURL, "/"), true
	var responses openjson.Object
	paths := pathItems(g, operations, &responses)
	g.limitBodies(operations)
	responses.Set(routeNotFound, sharedRefusal(g, 404, []refusal.Code{refusal.RouteNotFound}, nil))
	responses.Set("MethodNotAllowed", sharedRefusal(g, 405, []refusal.Code{refusal.MethodNotAllowed}, nil))
	slices.SortFunc(responses, func(a, b openjson.Member) int { return strings.Compare(a.Name, b.Name) })
	used := openjson.Append(nil, []any{paths, responses})
	document := openjson.Of(
		"openapi", "3.1.0",
		"info", Info("Operator API", aboutOperator, baseURL),
		"servers", []any{openjson.Of("url", "/", "x-internal", true)},
		"security", []any{openjson.Of("OperatorToken", []any{})},
		"tags", tagList(operatorTags),
		"paths", paths,
		"components", openjson.Of(
			"securitySchemes", openjson.Of("OperatorToken", openjson.Of("type", "http", "scheme", "bearer",
				"description", "The token of an operator, which sellerd operators create prints, or the server's own: --operator-token, or the file operator-token beside the database.")),
			"parameters", onlyUsed("parameters", parameterComponents(), used),
			"headers", onlyUsed("headers", operatorHeaders(), used),
			"responses", responses,
			"schemas", g.sorted(),
		),
		Elsewhere, ElsewhereAnswers(),
	)
	return openjson.Print(openjson.FormatIntegers(withoutSince(document).(openjson.Object)))
}

const aboutOperator = `The marketplace runs its side of the service here: sellers' accounts and keys, their shipping models, what buyers do, and the end of the deprecated interface. The API is on the operator's listener, which the internet must not reach.

Every answer is an envelope: status_code and data, or status_code and errors. Lists are read page by page: pass next_cursor as after with the same filters until it is null.

Bodies and queries are read strictly: what is not described here is refused. In a body, null is the same as an absent member. A PATCH keeps what is absent and clears what is null.

Every operator has a role: read, support or admin, each of which may do what the one before it may. x-role is the role that an operation needs; an operator with a lesser one is answered 403. The server's own token is an admin.

Every GET answers HEAD too, and every path answers OPTIONS. What is not described here is answered as the responses RouteNotFound and MethodNotAllowed say. The listener also has pages for people at /operator/, and /healthz, /readyz and /metrics for programs that watch the service; those three need no token.`

// operatorTags group the operator's operations by the first part of their paths.
var operatorTags = []operationTag{
	{"Accounts", "Sellers, with their keys and shipping models.", "accounts"},
	{"Audit", "Who changed what.", "audit"},
	{"Keys", "API keys, by their ids.", "keys"},
	{"Webhooks", "Where events of sellers go.", "webhooks"},
	{"Items", "What buyers and the marketplace do with items.", "items"},
	{"Bills", "What buyers and the marketplace do with bills.", "bills"},
	{"Sales", "The cancellation of sales.", "sales"},
	{"Deprecated interface", "Who still uses /rest, and drills of its end.", "legacy-usage legacy-drills"},
}

// operatorOperations are the operator's operations as if all of each had come with this release, so that none of its parts is later
// than the others.
func operatorOperations() []*v1.Operation {
	operations := make([]*v1.Operation, len(v1.OperatorOperations))
	for i, o := range v1.OperatorOperations {
		current := *o
		current.Since = v1.Release
		operations[i] = &current
	}
	return operations
}

// operatorHeaders are the headers of answers, with the challenge of the operator API.
func operatorHeaders() openjson.Object {
	headers := headerComponents()
	challenge := headers.Get("WWW-Authenticate").(openjson.Object)
	challenge.Set("schema", openjson.Of("type", "string", "const", "Bearer"))
	headers.Set("WWW-Authenticate", challenge)
	return headers
}

// onlyUsed are the components of a kind to which a part of the document refers. The part is JSON without white space.
func onlyUsed(kind string, components openjson.Object, part []byte) (used openjson.Object) {
	for _, component := range components {
		if bytes.Contains(part, openjson.Append(nil, openjson.Reference(kind, component.Name))) {
			used = append(used, component)
		}
	}
	return used
}

// withoutSince is a part of a document without what it says about releases.
func withoutSince(part any) any {
	switch v := part.(type) {
	case openjson.Object:
		kept := make(openjson.Object, 0, len(v))
		for _, m := range v {
			if m.Name != "x-since" && m.Name != "x-enum-since" {
				kept = append(kept, openjson.Member{Name: m.Name, Value: withoutSince(m.Value)})
			}
		}
		return kept
	case []any:
		return each.Of(v, withoutSince)
	}
	return part
}
