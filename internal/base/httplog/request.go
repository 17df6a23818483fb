package httplog

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Format is how entries are written.
type Format int

// The formats: JSON for programs, and names with values for people.
const (
	JSON Format = iota
	Text
)

// NewLogger is a log with a line for each entry. Lines of requests in JSON are written without slog, which would cost more than most requests
// do with the database.
func NewLogger(out io.Writer, level slog.Level, format Format) *slog.Logger {
	each := &lines{out: out}
	if format == Text {
		return slog.New(slog.NewTextHandler(each, &slog.HandlerOptions{Level: level}))
	}
	return slog.New(&handler{slog.NewJSONHandler(each, &slog.HandlerOptions{Level: level}), each})
}

type handler struct {
	*slog.JSONHandler
	lines *lines
}

// lines writes one line after another.
type lines struct {
	mu   sync.Mutex
	out  io.Writer
	line []byte // room for one
}

// Write implements io.Writer.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(line)
}

// Request is what the log says of a request.
type Request struct {
	At      time.Time // the end of the request
	Account int64
	Key     string // the public id of the account's key, empty for none
	Op      string // the name of the operation
	Method  string // of Method
	Status  int
	Took    time.Duration
	Stack   string
	Probe   bool // of a supervisor, every few seconds
	ID      string
	Cause   error // of a failure of the service
}

// OtherMethod stands for a method that is none of HTTP.
const OtherMethod = "…"

// Method is the method of a request as logs and recordings show it: itself if it is one of HTTP. A program may send any text as a method,
// a key too, of any length.
func Method(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
		http.MethodConnect, http.MethodTrace:
		return method
	}
	return OtherMethod
}

// Write writes the line into a log: as an error if the service has failed, and that of a probe at the level debug.
func (r *Request) Write(logger *slog.Logger) {
	level := slog.LevelInfo
	switch {
	case r.Cause != nil:
		level = slog.LevelError
	case r.Probe:
		level = slog.LevelDebug
	}
	to := logger.Handler()
	if !to.Enabled(context.Background(), level) {
		return
	}
	if h, direct := to.(*handler); direct && level == slog.LevelInfo { // a cause may be any text, which slog knows how to quote
		h.lines.mu.Lock()
		defer h.lines.mu.Unlock()
		h.lines.line = r.append(h.lines.line[:0])
		_, _ = h.lines.out.Write(h.lines.line)
		return
	}
	entry := slog.NewRecord(r.At.Local(), level, "request", 0)
	entry.AddAttrs(slog.Int64("account", r.Account))
	if r.Key != "" {
		entry.AddAttrs(slog.String("key", r.Key))
	}
	entry.AddAttrs(slog.String("op", r.Op), slog.String("method", r.Method), slog.Int("status", r.Status), slog.Float64("ms", r.millis()),
		slog.String("stack", r.Stack), slog.String("request_id", r.ID))
	if r.Cause != nil {
		entry.AddAttrs(slog.String("error", r.Cause.Error()))
	}
	_ = to.Handle(context.Background(), entry)
}

// afterTime is what follows the time in the line of a request without a cause.
const afterTime = `","level":"INFO","msg":"request","account":`

// isRequest says whether a line is of a request without a cause. No text in a line has quotes like these, because they are escaped there, and
// no text without quotes has spaces.
func isRequest(line []byte) bool {
	return bytes.Contains(line, []byte(afterTime)) || bytes.Contains(line, []byte(" level=INFO msg=request account="))
}

// append appends what slog would write of a request without a cause. None of its texts needs quoting: they are names of this program, ids
// and methods.
func (r *Request) append(b []byte) []byte {
	b = r.At.Local().AppendFormat(append(b, `{"time":"`...), time.RFC3339Nano)
	b = strconv.AppendInt(append(b, afterTime...), r.Account, 10)
	if r.Key != "" {
		b = append(append(append(b, `,"key":"`...), r.Key...), '"')
	}
	b = append(append(b, `,"op":"`...), r.Op...)
	b = append(append(b, `","method":"`...), r.Method...)
	b = strconv.AppendInt(append(b, `","status":`...), int64(r.Status), 10)
	b = strconv.AppendFloat(append(b, `,"ms":`...), r.millis(), 'f', -1, 64)
	b = append(append(b, `,"stack":"`...), r.Stack...)
	b = append(append(b, `","request_id":"`...), r.ID...)
	return append(b, "\"}\n"...)
}

func (r *Request) millis() float64 { return float64(r.Took.Microseconds()) / 1000 }
