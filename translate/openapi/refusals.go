package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/translate"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// This file describes refusals, and the headers of all answers.

// refusal describes a refusal of a call, or of all calls when call is nil.
func refusal(call *translate.Call, status int, codes []v1.Code, storeLimits bool) openjson.Object {
	var words, errors []any
	for _, code := range codes {
		words = append(words, code)
		info, _ := v1.LookupError(code)
		errors = append(errors, refusalTexts(info)...)
	}
	body := openjson.Of(
		"status", text("const", "false"),
		"errorMsg", text("description", "all that is wrong, with semicolons between: of each field its name, a colon and the reason"),
		"errorCode", text("enum", words, "description", "the code of /v1, of the first error"),
	)
	optional := "replacement"
	calls := []any(nil)
	if call != nil {
		calls = callIDs(call)
		if len(call.Target.Steps) == 1 {
			o := call.Target.Operation()
			body.Set("replacement", text("const", o.Method+" "+o.Pattern, "description", "the operation of /v1 that took the call's place"))
			if len(call.Variants()) == 0 {
				optional = ""
			}
		}
	} else {
		body.Set("replacement", text("description", "the operation of /v1 that took the call's place, if it is one"))
		if status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
			for _, c := range translate.Calls {
				calls = append(calls, c.ID)
			}
			calls = append(calls, "")
		}
	}
	description := v1openapi.Meanings(codes)
	if len(codes) > 3 {
		description = "The request cannot be followed. errorCode and errorMsg say why."
	}
	return openjson.Of("description", description, "headers", headers(status, codes, storeLimits),
		"content", envelope(status, calls, xmlObject(body, optional)), "x-errors", errors)
}

// refusalTexts returns the texts of a code: those that old programs know, or /v1's meaning, whose messages often say more.
func refusalTexts(info v1.ErrorInfo) (texts []any) {
	always := false
	for i := range translate.ErrorRows {
		row := &translate.ErrorRows[i]
		if row.Code != info.Code {
			continue
		}
		known := openjson.Of("code", info.Code, "text", row.Text)
		switch {
		case row.Detail[0] != "":
			known.Set("when", row.Detail[0]+" is "+row.Detail[1])
		case row.Field != "":
			known.Set("when", "it is about "+row.Field)
		default:
			always = true
		}
		texts = append(texts, known)
	}
	if !always {
		texts = append(texts, openjson.Of("code", info.Code, "text", info.Meaning))
	}
	return texts
}

// publishes says whether answers of a call have the headers of the store's limits.
func publishes(call *translate.Call) bool {
	o := call.Target.Operation()
	return o != nil && o.Publishes
}

// hasStoreLimits says whether an answer with a status can have the headers of the store's limits: the caller must be known, and
// the interface must not be retired.
func hasStoreLimits(status int) bool {
	return status != http.StatusUnauthorized && status != http.StatusGone
}

// headerDocs are the headers of answers, in the order of the document: those of /rest, and those that mean the same in /v1.
var headerDocs = append([]v1openapi.Header{
	{Name: "X-Request-Id", Doc: "The id of this request. Quote it when you ask for help.", Always: true, Schema: text()},
	{
		Name: "Deprecation", Doc: "Since when the interface is deprecated (RFC 9745).", Always: true,
		Schema: text("const", "@"+strconv.FormatInt(translate.Deprecated.Unix(), 10)),
	},
	{Name: "Sunset", Doc: "When it will be switched off (RFC 8594).", Always: true, Schema: text("const", translate.Sunset.Format(http.TimeFormat))},
	{
		Name: "Link", Always: true, Schema: text(),
		Doc: "Where the migration guide tells of this call (rel deprecation) and of the end (sunset), and what /v1 has in place of what was read " +
			"(successor-version).",
	},
	{Name: "Cache-Control", Doc: "Answers are not kept.", Always: true, Schema: text("const", "no-store")},
	{Name: translate.DrillHeader, Doc: "There while a scheduled drill rehearses the sunset.", Schema: text("const", "scheduled")},
}, v1openapi.Headers("X-Content-Type-Options", "Retry-After", "WWW-Authenticate", "Allow", "X-RateLimit-*", "X-StoreLimit-*")...)

func headerComponents() openjson.Object {
	var out openjson.Object
	for i := range headerDocs {
		out.Set(headerDocs[i].Name, headerDocs[i].Describe())
	}
	return out
}

// carries says whether an answer has a header.
func carries(name string, status int, codes []v1.Code, storeLimits bool) bool {
	switch {
	case name == "Retry-After":
		return slices.ContainsFunc(codes, v1openapi.HasRetryAfter)
	case name == translate.DrillHeader:
		return status == http.StatusGone
	case name == "WWW-Authenticate":
		return status == http.StatusUnauthorized
	case name == "Allow":
		return status == http.StatusMethodNotAllowed
	case strings.HasPrefix(name, "X-RateLimit-"): // a caller has a budget only when the key is known
		return !slices.Contains([]int{http.StatusUnauthorized, http.StatusMethodNotAllowed, http.StatusGone}, status)
	case strings.HasPrefix(name, "X-StoreLimit-"):
		return storeLimits
	default:
		return true
	}
}

func headers(status int, codes []v1.Code, storeLimits bool) openjson.Object {
	var out openjson.Object
	for i := range headerDocs {
		if name := headerDocs[i].Name; carries(name, status, codes, storeLimits) {
			out.Set(name, openjson.Reference("headers", name))
		}
	}
	return out
}
