package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/openjson"
	"sellerd/translate"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// This file describes refusals, and the headers of all answers.

// refusal describes a refusal of a call, or of all calls when call is nil.
func refusal(call *translate.Call, status int, codes []v1.Code, storeLimits bool) openjson.Object {
	var words, errors []any
	texts := make([]string, 0, len(codes))
	for _, code := range codes {
		words = append(words, code)
		info, _ := v1.LookupError(code)
		texts = append(texts, info.Meaning)
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
	description := strings.Join(texts, " Or: ")
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

// headerDoc is a header of answers.
type headerDoc struct {
	name, doc string
	always    bool
	schema    openjson.Object
}

// headerDocs are the headers of answers, in the order of the document.
var headerDocs = append([]headerDoc{
	{"X-Request-Id", "The id of this request. Quote it when you ask for help.", true, text()},
	{"Deprecation", "Since when the interface is deprecated (RFC 9745).", true, text("const", "@"+strconv.FormatInt(translate.Deprecated.Unix(), 10))},
	{"Sunset", "When it will be switched off (RFC 8594).", true, text("const", translate.Sunset.Format(http.TimeFormat))},
	{"Link", "Where the migration guide tells of this call (rel deprecation) and of the end (sunset), and what /v1 has in place of what was read " +
		"(successor-version).", true, text()},
	{"Cache-Control", "Answers are not kept.", true, text("const", "no-store")},
	{"X-Content-Type-Options", "The body is what Content-Type says.", true, text("const", "nosniff")},
	{"Retry-After", "Seconds to wait before the request is worth repeating.", false, openjson.Of("type", "integer")},
	{"WWW-Authenticate", "How to authenticate.", true, text("const", "ApiKey")},
	{"Allow", "The methods that the path accepts.", true, text()},
}, limitHeaders()...)

// limitHeaders are the same as in /v1, because the limits are the same.
func limitHeaders() (docs []headerDoc) {
	for _, header := range v1openapi.LimitHeaders() {
		docs = append(docs, headerDoc{header[0], header[1], false, openjson.Of("type", "integer")})
	}
	return docs
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

// carries says whether an answer has a header.
func carries(name string, status int, codes []v1.Code, storeLimits bool) bool {
	switch {
	case name == "Retry-After":
		return slices.ContainsFunc(codes, func(code v1.Code) bool {
			return slices.Contains([]v1.Code{v1.RateLimited, v1.DailyItemLimitReached, v1.ServiceUnavailable, v1.IdempotencyKeyInProgress}, code)
		})
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
	for _, h := range headerDocs {
		if carries(h.name, status, codes, storeLimits) {
			out.Set(h.name, openjson.Reference("headers", h.name))
		}
	}
	return out
}
