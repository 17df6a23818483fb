// Package refusal holds the errors that the service returns instead of data: the catalogue of error codes with their
// statuses, meanings and remedies; Errors, the answer itself; and Problems, which collects all errors of one input, so that
// the caller gets them at once.
package refusal

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is one entry of a response's errors.
type Error struct {
	Code    Code           `json:"code"`
	Message string         `json:"message" doc:"for people; it may change"`
	Field   string         `json:"field,omitempty" doc:"dotted path into the body, or the name of a header or parameter"`
	Index   Index          `json:"index,omitempty" doc:"position in the list of the request, from 0"`
	Details map[string]any `json:"details,omitempty" doc:"facts that help, by code"`
	DocsURL string         `json:"docs_url,omitempty" since:"1.2.0" doc:"page about the code"`

	retryAfter time.Duration
	status     int // of the answer, if it is not that of the code
}

// Index is the position of an entry in a batch, from 0. It is absent from errors that concern the whole request.
type Index struct {
	V   int
	Set bool
}

// IndexAt is a position that is set.
func IndexAt(i int) Index { return Index{V: i, Set: true} }

// Optional marks the type for the codec: a value that is not set is absent.
func (Index) Optional() {}

// Errors is the answer to a rejected call. All entries share one HTTP status, the first one's.
type Errors []Error

// All returns the entries of an error that is a refusal, and none of another.
func All(err error) (all Errors) {
	errors.As(err, &all)
	return all
}

// Error joins codes and fields; it is for logs and tests, callers read the entries.
func (e Errors) Error() string {
	var b strings.Builder
	for i, entry := range e {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(string(entry.Code))
		if entry.Field != "" {
			b.WriteString(" " + entry.Field)
		}
		b.WriteString(": " + entry.Message)
	}
	return b.String()
}

// Status is the HTTP status of the answer.
func (e Errors) Status() int {
	if len(e) == 0 {
		return http.StatusInternalServerError
	}
	if status := cmp.Or(e[0].status, InfoOf(e[0].Code).Status); status != 0 {
		return status
	}
	return http.StatusUnprocessableEntity
}

// Unprocessable makes the errors of several entries one answer: its status is 422, whatever the entries alone would have been
// answered.
func Unprocessable(all Errors) Errors {
	all[0].status = http.StatusUnprocessableEntity
	return all
}

// Received makes the errors of an answer that another program gave, with its status and the time that it asks to wait (0 for
// none). A newer program may have codes that the catalogue does not have. There must be at least one error.
func Received(all Errors, status int, wait time.Duration) Errors {
	all[0].status, all[0].retryAfter = status, wait
	return all
}

// RetryAfter is how long the caller should wait before a repetition, 0 if waiting does not help.
func (e Errors) RetryAfter() time.Duration {
	for _, entry := range e {
		if entry.retryAfter > 0 {
			return entry.retryAfter
		}
	}
	return 0
}

// RetryAfterSeconds is RetryAfter as the header of that name has it, rounded up.
func (e Errors) RetryAfterSeconds() int { return CeilSeconds(e.RetryAfter()) }

// CeilSeconds is a duration in whole seconds, rounded up.
func CeilSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// New is an answer with a single code and the catalogue's message.
func New(code Code) Errors { return Errors{Entry(code, "", "")} }

// DamagedCursor is the message of InvalidCursor.
const DamagedCursor = "The cursor is damaged or not ours."

// Newf is an answer with a single code about one field, with a message of its own.
func Newf(code Code, field, format string, args ...any) Errors {
	return Errors{Entry(code, field, fmt.Sprintf(format, args...))}
}

// With is an answer with a single code and details.
func With(code Code, details map[string]any) Errors {
	entry := Entry(code, "", "")
	entry.Details = details
	return Errors{entry}
}

// With adds details to the first error of an answer.
func (e Errors) With(details map[string]any) Errors {
	e[0].Details = details
	return e
}

// Later is an answer that asks the caller to wait.
func Later(code Code, wait time.Duration) Errors {
	entry := Entry(code, "", "")
	entry.retryAfter = wait
	return Errors{entry}
}

func Entry(code Code, field, message string) Error {
	if message == "" {
		message = InfoOf(code).Meaning
	}
	return Error{Code: code, Field: field, Message: message}
}

// Documented adds the address of each code's page.
func (e Errors) Documented(baseURL string) []Error {
	out := make([]Error, len(e))
	for i, entry := range e {
		entry.DocsURL = baseURL + "/errors/" + string(entry.Code)
		out[i] = entry
	}
	return out
}
