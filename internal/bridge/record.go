package bridge

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"sellerd/internal/base/pattern"
)

// This file notes what a call did, for the log and the recording.

// journal is what is noted of a call while it runs. One goroutine uses it at a time.
type journal struct {
	id       string // of the request, which the service logs too
	requests []Request
	lossy    []string
	patient  time.Time // when the call's patience ends, zero before it began
}

// Request is a request of /v1 that a call made. A status of 0 says that no answer came.
type Request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Status int    `json:"status"`

	unsent bool // it failed before it was sent
	unread bool // the answer was not one of /v1
}

// Line is a line of a recording.
type Line struct {
	At     time.Time `json:"at"`
	Call   string    `json:"call"` // the call's id, empty if the request matches no call
	Method string    `json:"method"`
	Path   string    `json:"path"` // without the query
	Status int       `json:"status"`
	Millis float64   `json:"ms"`
	V1     []Request `json:"v1"`
	Lossy  []string  `json:"lossy"` // the fields that /v1 does not take over unchanged
}

type journalKey struct{}

func withJournal(ctx context.Context, j *journal) context.Context {
	return context.WithValue(ctx, journalKey{}, j)
}

// journalOf is the journal of a call. Without one it is a new one, which is not read.
func journalOf(ctx context.Context) *journal {
	if j, ok := ctx.Value(journalKey{}).(*journal); ok {
		return j
	}
	return &journal{}
}

// asked notes a request and returns its number.
func (j *journal) asked(method, path string) int {
	j.requests = append(j.requests, Request{Method: method, Path: Redact(path)})
	return len(j.requests) - 1
}

func (j *journal) answered(request, status int) { j.requests[request].Status = status }

// loses notes a field, once.
func (j *journal) loses(field string) {
	if !slices.Contains(j.lossy, field) {
		j.lossy = append(j.lossy, field)
	}
}

// patienceLeft is how long the call may still wait for its budget. The first use begins the time.
func (j *journal) patienceLeft(now time.Time) time.Duration {
	if j.patient.IsZero() {
		j.patient = now.Add(patience)
	}
	return max(0, j.patient.Sub(now))
}

// secrets are texts that may be keys or tokens. A program that puts one into the wrong place must not find it in a file.
var secrets = pattern.Late(`dk_(live|test)_[A-Za-z0-9_]*|[A-Za-z0-9_-]{40,}`)

// Redact replaces what may be a key or a token.
func Redact(text string) string { return secrets().ReplaceAllString(text, "…") }

// recorder writes lines of calls to a file.
type recorder struct {
	mu     sync.Mutex
	out    io.Writer
	failed bool
	logger *slog.Logger
}

// write appends a line, each in one piece. A failure is logged once: calls go on without a recording.
func (r *recorder) write(line *Line) {
	if r.out == nil {
		return
	}
	text, err := json.Marshal(line)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = r.out.Write(append(text, '\n'))
	}
	if err != nil && !r.failed {
		r.logger.Error("the recording cannot be written", "error", err)
	}
	r.failed = err != nil
}
