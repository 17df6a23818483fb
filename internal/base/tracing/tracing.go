// Package tracing is how the service tells what it does to whoever records it: in spans, each a piece of work with a beginning and an end.
// It records nothing itself. Where nothing is traced there is no Tracer, and code that looks for one does nothing more.
package tracing

import (
	"context"
	"encoding/json"
)

// Header is the header by which programs tell each other of which trace a request is (W3C Trace Context).
const Header = "traceparent"

// Tracer starts spans. It is safe for concurrent use.
type Tracer interface {
	// Start starts a span. It is a part of the span that Start.Parent names, else of the context's, else of none. The context that it
	// returns has the span.
	Start(ctx context.Context, s Start) (context.Context, Span)
	// Parent is the value of Header for what follows from the context's span; empty if the context has none.
	Parent(ctx context.Context) string
}

// Start is what a span is started with.
type Start struct {
	Name   string
	Kind   Kind
	Parent string // as Header has it. Empty, or not such a value: the context's span
}

// Kind says on which side of a request a span is.
type Kind int

// The kinds.
const (
	Inside   Kind = iota // work of this program
	Answered             // a request that this program answers
	Sent                 // a request that this program sends
)

// Span is work that has begun. One goroutine has it at a time.
type Span interface {
	// Name replaces the name.
	Name(name string)
	// Text and Number add a value to the span. Names are those of OpenTelemetry's conventions, where these have one.
	Text(name, value string)
	Number(name string, value int64)
	// Parent is Tracer.Parent for what follows from this span.
	Parent() string
	// End ends the span. problem is what went wrong, in a word; empty for nothing.
	End(problem string)
}

// Headers is the text of a list of headers, as JSON, that has Header alone. It is empty for an empty value.
func Headers(parent string) string {
	if parent == "" {
		return ""
	}
	text, _ := json.Marshal(map[string]string{Header: parent}) // texts can be written
	return string(text)
}

// FromHeaders reads Headers, or any other list of headers. It is empty if the list has no Header.
func FromHeaders(list string) string {
	var headers map[string]string
	if list == "" || json.Unmarshal([]byte(list), &headers) != nil {
		return ""
	}
	return headers[Header]
}
