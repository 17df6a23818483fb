package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/client"
)

// problem is an entry of the errors of an answer.
type problem struct {
	Code    string
	Message string
	Field   string         // which argument, or member of the body
	Index   *int           // position in a list of the request
	Details map[string]any // of the service
	Mend    string         // what to do
	DocsURL string
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

// described is the entry as JSON.
func (p problem) described() openjson.Object {
	out := openjson.Of("code", p.Code)
	out.Set("field", p.Field)
	if p.Index != nil {
		out.Set("index", *p.Index)
	}
	out.Set("message", strings.ToValidUTF8(p.Message, "�"))
	if details, err := json.Marshal(p.Details, json.Deterministic(true)); err == nil && len(p.Details) > 0 {
		out.Set("details", jsontext.Value(details))
	}
	out.Set("mend", p.Mend)
	out.Set("docs_url", p.DocsURL)
	return out
}

// describedProblems are the entries as JSON, as many as an answer lists.
func describedProblems(wrong problems) []any {
	var entries []any
	for _, p := range wrong[:min(len(wrong), maxProblems)] {
		entries = append(entries, p.described())
	}
	return entries
}

// setMore says how many errors an answer does not list, if there are any.
func setMore(out *openjson.Object, lists ...problems) {
	more := 0
	for _, l := range lists {
		more += max(0, len(l)-maxProblems)
	}
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

// problemFrom reads an entry of an answer.
func problemFrom(entry openjson.Object) problem {
	text := func(name string) string {
		value, _ := entry.Get(name).(string)
		return value
	}
	p := problem{Code: text("code"), Message: text("message"), Field: text("field"), DocsURL: text("docs_url")}
	for _, detail := range object(entry.Get("details")) {
		if p.Details == nil {
			p.Details = map[string]any{}
		}
		p.Details[detail.Name] = jsontext.Value(openjson.Append(nil, detail.Value))
	}
	return p
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
	out.Set("errors", describedProblems(f.problems))
	if more := len(f.problems) - maxProblems; more > 0 {
		out.Set("more_errors", more)
	}
	return beginning(string(openjson.Append(nil, out)), "The rest are errors.")
}
