package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/client"
)

// problem is an entry of the errors of an answer.
type problem struct {
	Code    string         `json:"code"`
	Field   string         `json:"field,omitzero"` // which argument, or member of the body
	Index   *int           `json:"index,omitzero"` // position in a list of the request
	Message string         `json:"message,omitzero"`
	Details map[string]any `json:"details,omitempty"` // of the service
	Mend    string         `json:"mend,omitzero"`     // what to do
	DocsURL string         `json:"docs_url,omitzero"`
}

// problems are the errors of an answer, at least one. About arguments they are an error of their own.
type problems []problem

// Error implements error.
func (p problems) Error() string { return p[0].Code + ": " + p[0].Message }

// failedCall is an error with what is known of the request.
type failedCall struct {
	problems problems
	note     string
	sent     *client.Error // nil if the service did not refuse it
	key      string        // the Idempotency-Key of a POST
}

// Error implements error.
func (f *failedCall) Error() string { return f.problems.Error() }

// maxProblems is how many errors an answer lists.
const maxProblems = 50

// clientMends says what to do about the codes that are not of the service.
var clientMends = map[string]string{
	client.CodeNoAnswer:         "See whether the service is running and its address is right. Then repeat the same call: it is done once.",
	client.CodeUnexpectedAnswer: "See whether the address is that of the seller API, and what stands before it.",
}

// mended adds what to do about an error, and the page about it.
func (p problem) mended(baseURL string) problem {
	info, known := v1.LookupError(v1.Code(p.Code))
	if !known {
		p.Mend = clientMends[p.Code]
		return p
	}
	p.Mend = info.Remedy
	if p.DocsURL == "" {
		p.DocsURL = baseURL + "/errors/" + p.Code
	}
	return p
}

// setErrors gives an answer its errors: of each list, as many as an answer has. It says how many more there are.
func setErrors(out *openjson.Object, lists ...problems) {
	var entries []any
	more := 0
	for _, list := range lists {
		for _, p := range list[:min(len(list), maxProblems)] {
			text, err := json.Marshal(p, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
			if err != nil {
				panic(err) // it is texts, numbers, and what was read as JSON
			}
			entries = append(entries, jsontext.Value(text))
		}
		more += max(0, len(list)-maxProblems)
	}
	out.Set("errors", entries)
	if more > 0 {
		out.Set("more_errors", more)
	}
}

// items is how many items the entries are about.
func (p problems) items() int {
	seen := map[int]bool{}
	for _, one := range p {
		seen[*one.Index] = true
	}
	return len(seen)
}

// sent adds to the error of a request what its repetition needs.
func (s *Server) sent(r client.Request, err error) error {
	var failed *client.Error
	if !errors.As(err, &failed) {
		return err
	}
	return &failedCall{problems: s.problemsOf(failed), sent: failed, key: r.IdempotencyKey}
}

// problemsOf are the entries of a failed request.
func (s *Server) problemsOf(failed *client.Error) problems {
	out := make(problems, 0, len(failed.Errors))
	for _, e := range failed.Errors {
		p := problem{Code: e.Code, Message: e.Message, Field: e.Field, Index: e.Index, Details: e.Details, DocsURL: e.DocsURL}
		if failed.Status == 0 {
			p.Message = s.unanswered(failed)
		}
		out = append(out, p.mended(s.config.BaseURL))
	}
	return out
}

// unanswered says why there was no answer.
func (s *Server) unanswered(failed *client.Error) string {
	cause := failed.Cause
	if of := (*url.Error)(nil); errors.As(cause, &of) {
		cause = of.Err // without the address of the request, which may hold what people are looking for
	}
	return fmt.Sprintf("There was no answer from %s: %v.", s.config.BaseURL, cause)
}

// failed is the answer about an error, and what the log says of it.
func (s *Server) failed(err error, operation string) (outcome, string) {
	var call *failedCall
	var wrong problems
	var refused v1.Errors
	switch {
	case errors.As(err, &call):
	case errors.As(err, &wrong):
		call = &failedCall{problems: wrong}
	case errors.As(err, &refused): // by the translator
		call = &failedCall{}
		for _, e := range refused {
			call.problems = append(call.problems, problem{Code: string(e.Code), Field: e.Field, Message: e.Message}.mended(s.config.BaseURL))
		}
	default:
		call = &failedCall{problems: problems{{Code: string(v1.InternalError), Message: "The tool failed: " + err.Error() + "."}}}
	}
	return outcome{operation: operation, result: call.problems[0].Code, failed: true}, call.text(operation)
}

// text is the answer about a failed call.
func (f *failedCall) text(operation string) string {
	out := openjson.Object{}
	out.Set(argOperation, operation)
	if f.sent != nil {
		if f.sent.Status != 0 {
			out.Set("status", f.sent.Status)
		}
		out.Set("request_id", f.sent.RequestID)
		if f.sent.MayBeDone && f.key != "" {
			out.Set("may_be_done", true)
			out.Set(argKey, f.key)
			f.note = "It is not known whether this was done. The same call, or one with this " + argKey + ", does it once."
		}
		if f.sent.Status == http.StatusTooManyRequests {
			out.Set("retry_after_seconds", f.sent.Header.Get("Retry-After"))
		}
	}
	out.Set("note", f.note)
	setErrors(&out, f.problems)
	return beginning(string(openjson.Append(nil, out)), "The rest are errors.")
}
