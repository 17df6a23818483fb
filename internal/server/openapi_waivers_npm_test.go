//go:build npm

package server_test

import "slices"

// waiver lets a finding pass. why is what makes the rule pointless there.
type waiver struct {
	rule  string
	where func(d *checkedDocument, place []string) bool // nil for everywhere
	why   string
}

const answersAreNotInput = "The rule protects readers of what others wrote. This is what the service writes, from data that it bounds when it takes it; " +
	"and a limit of answers is a promise that no later release could loosen."

// commonWaivers are those for both documents.
var commonWaivers = []waiver{
	{"spectral owasp:api4:2023-string-limit", (*checkedDocument).isSent, answersAreNotInput},
	{"spectral owasp:api4:2023-string-restricted", (*checkedDocument).isSent, answersAreNotInput},
	{"spectral owasp:api4:2023-array-limit", (*checkedDocument).isSent, answersAreNotInput},
	{"spectral owasp:api4:2023-integer-limit", (*checkedDocument).isSent, answersAreNotInput},
	{"spectral owasp:api4:2023-string-restricted", isFreeText, "Sellers write here what they like, or the service reads it itself, so that no pattern " +
		"describes it: its length is bounded, " +
		"and what is refused in it, such as markup, is said in words."},
	{"spectral owasp:api8:2023-define-cors-origin", nil, "No answer has the header: a key is no business of a page, so pages of other origins are not to " +
		"read the answers. " +
		"Where the rule meets a member called headers in an answer's body, there is no header at all."},
	{"redocly no-unused-components", isElsewhere, "x-elsewhere refers to both, since no operation can: they answer what is not described. The checker " +
		"does not look into extensions."},
}

// listedNumbers is for the documents that have numbers to choose from.
var listedNumbers = waiver{"spectral owasp:api4:2023-integer-limit", isChosen, "The values are listed, which is a bound that the rule does not see."}

var v1Waivers = []waiver{
	listedNumbers,
	{"spectral owasp:api4:2023-rate-limit", isResponse("Unauthorized"), "Without a valid key, no account's budget is used."},
	{"spectral owasp:api4:2023-rate-limit", hasBothFamilies, "The rule wants exactly one family of headers. These answers have X-RateLimit-* and, since 1.3.0, RateLimit."},
	{"spectral owasp:api4:2023-rate-limit", isCallback, receiversAnswer},
	{"spectral owasp:api4:2023-rate-limit-responses-429", isCallback, receiversAnswer},
	{"spectral owasp:api4:2023-string-limit", isCallback, "The service writes these headers."},
	{"spectral owasp:api8:2023-define-error-responses-401", isCallback, receiversAnswer},
	{"spectral owasp:api8:2023-define-error-responses-500", isCallback, receiversAnswer},
	{"spectral owasp:api8:2023-define-error-validation", isCallback, receiversAnswer},
}

const receiversAnswer = "The service sends this request, and the seller's program answers it as it likes."

// isCallback knows what the service sends because of a request.
func isCallback(_ *checkedDocument, place []string) bool { return slices.Contains(place, "callbacks") }

// hasBothFamilies knows the headers that say the limit on requests twice, in the old way and in that of the IETF draft.
func hasBothFamilies(d *checkedDocument, place []string) bool {
	headers, _ := d.at(place).(map[string]any)
	return headers["X-RateLimit-Limit"] != nil && headers["RateLimit"] != nil && headers["RateLimit-Policy"] != nil
}

var operatorWaivers = []waiver{
	{"spectral owasp:api4:2023-rate-limit", nil, "The operator's calls are not limited, so there is nothing to say about a limit."},
	{"spectral owasp:api4:2023-array-limit", isMember("KeyInput", "permissions"), "Each permission may be listed once, so the list has an end."},
}

var restWaivers = []waiver{
	listedNumbers,
	{
		"spectral owasp:api4:2023-rate-limit", isResponse("MissingApiKeyOrInvalidApiKey", "LegacyApiRetired"),
		"Without a valid token, no account's budget is used; and after the sunset nothing is counted.",
	},
	{"redocly no-ambiguous-paths", nil, "The paths are those that programs have called for years. What is written out in a path wins over a part in " +
		"braces, whatever the method."},
	{"spectral operation-tags", nil, "It is a short list that ends, and nothing is added to its document any more. Each call is found in the migration " +
		"guide, to which it leads."},
	{"spectral operation-description", nil, "The summary of a call without notes says all there is to say."},
	{"spectral owasp:api2:2023-write-restricted", isPath("/rest/seller"), "This is where the key is given: as a field of the form, and in return for it there is a token."},
	{"spectral owasp:api2:2023-no-api-keys-in-url", nil, "Old programs send their token there. That is one of the reasons why the interface ends; X-Api-Key works, too."},
}

// isChosen says whether a schema lists its values.
func isChosen(d *checkedDocument, place []string) bool {
	schema, _ := d.at(place).(map[string]any)
	return schema["enum"] != nil || schema["const"] != nil
}

func isElsewhere(_ *checkedDocument, place []string) bool {
	return slices.Contains([]string{"RouteNotFound", "MethodNotAllowed"}, place[len(place)-1])
}

func isResponse(names ...string) func(*checkedDocument, []string) bool {
	return func(_ *checkedDocument, place []string) bool {
		return place[0] == "components" && place[1] == "responses" && slices.Contains(names, place[2])
	}
}

func isMember(schema, member string) func(*checkedDocument, []string) bool {
	return func(_ *checkedDocument, place []string) bool {
		return slices.Equal(place, []string{"components", "schemas", schema, "properties", member})
	}
}

func isPath(path string) func(*checkedDocument, []string) bool {
	return func(_ *checkedDocument, place []string) bool { return place[0] == "paths" && place[1] == path }
}

// isFreeText knows the texts of requests that have no form, by their names.
func isFreeText(d *checkedDocument, place []string) bool {
	return !d.isSent(place) && slices.Contains(freeTexts, d.nameOf(place))
}

var freeTexts = []string{
	"title", "subtitle", "description", "personal_reference", "exact_reference", "note", "comment", "reason", "number", // of items, sales and parcels
	"time_zone", "plan", "email", // of accounts and what they are searched for
	"nickname", "first_name", "last_name", "name", "phone", "line1", "line2", "postal_code", "city", "state", "method", // of buyers and payments
	"q", "resource_id", "country", "countries", "operator", "action", // what lists are searched for
	"after",              // opaque
	"url", "destination", // read as RFC 3986 has it
	"apikey", "key_id", "key", "skip_key_ids", "not_key_id", // looked up
	"Idempotency-Key", "If-Match", "if_match", "If-None-Match", "Accept-Language", "X-Request-Id",
}

// nameOf is how the parameter or the member around a place is called; ImageInput may stand for its only member.
func (d *checkedDocument) nameOf(place []string) string {
	for i := len(place); i > 0; i-- {
		if i > 1 && place[i-2] == "properties" {
			return place[i-1]
		}
		if object, ok := d.at(place[:i]).(map[string]any); ok && object["in"] != nil {
			return object["name"].(string)
		}
	}
	if place[2] == "ImageInput" {
		return "url"
	}
	return ""
}
