package httplog_test

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/httplog"
)

// The lines are those of slog, byte for byte, so that nothing that reads the log sees which of them were written without it.
func TestALineOfARequestIsThatOfSlog(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 5, 7, 120_000_000, time.UTC)
	usual := httplog.Request{
		At: at, Account: 81, Key: "abcdefghijkl", Op: "GetItem", Method: "GET", Status: 200, Took: 1234 * time.Microsecond, Stack: "v1", ID: "req_ABC",
	}
	const written = `"level":"INFO","msg":"request","account":81,"key":"abcdefghijkl","op":"GetItem","method":"GET","status":200,` +
		`"ms":1.234,"stack":"v1","request_id":"req_ABC"}` + "\n"
	if _, got, _ := bytes.Cut(lineOf(usual), []byte(",")); string(got) != written {
		t.Errorf("got %s, want %s", got, written)
	}
	with := func(change func(*httplog.Request)) httplog.Request {
		r := usual
		change(&r)
		return r
	}
	for name, r := range map[string]httplog.Request{
		"usual":                 usual,
		"of nobody":             {At: at},
		"without a key":         with(func(r *httplog.Request) { r.Account, r.Key = 0, "" }),
		"of a route":            with(func(r *httplog.Request) { r.Op, r.Method, r.Stack = "/v1/items/{id}", httplog.OtherMethod, "operator" }),
		"in no time":            with(func(r *httplog.Request) { r.Took = 0 }),
		"of a clock set back":   with(func(r *httplog.Request) { r.Took = -1500 * time.Microsecond }),
		"of whole milliseconds": with(func(r *httplog.Request) { r.Took = 20 * time.Millisecond }),
		"of a microsecond":      with(func(r *httplog.Request) { r.Took = time.Microsecond }),
		"of a day":              with(func(r *httplog.Request) { r.Took = 24 * time.Hour }),
		"at a whole second":     with(func(r *httplog.Request) { r.At = at.Truncate(time.Second) }),
		"at a nanosecond":       with(func(r *httplog.Request) { r.At = at.Add(1) }),
		"elsewhere":             with(func(r *httplog.Request) { r.At = at.In(time.FixedZone("", 19800)) }),
		"of a failure":          with(func(r *httplog.Request) { r.Cause = errors.New("panic: \"a\\b\"\n\tmain.go:1 \u2028\x01\xff") }),
	} {
		level, attrs := slog.LevelInfo, []slog.Attr{slog.Int64("account", r.Account)}
		if r.Key != "" {
			attrs = append(attrs, slog.String("key", r.Key))
		}
		attrs = append(attrs, slog.String("op", r.Op), slog.String("method", r.Method), slog.Int("status", r.Status),
			slog.Float64("ms", float64(r.Took.Microseconds())/1000), slog.String("stack", r.Stack), slog.String("request_id", r.ID))
		if r.Cause != nil {
			level, attrs = slog.LevelError, append(attrs, slog.String("error", r.Cause.Error()))
		}
		entry := slog.NewRecord(r.At.Local(), level, "request", 0)
		entry.AddAttrs(attrs...)
		var want bytes.Buffer
		if err := slog.NewJSONHandler(&want, nil).Handle(t.Context(), entry); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), string(lineOf(r))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func lineOf(r httplog.Request) []byte {
	var out bytes.Buffer
	r.Write(httplog.NewLogger(&out, slog.LevelInfo, httplog.JSON))
	return out.Bytes()
}

// --log-level decides about requests, too.
func TestALineOfARequestHasALevel(t *testing.T) {
	var out bytes.Buffer
	logger := httplog.NewLogger(&out, slog.LevelError, httplog.JSON)
	(&httplog.Request{ID: "req_1"}).Write(logger)
	if out.Len() > 0 {
		t.Errorf("an answer is logged at the level of errors: %s", out.String())
	}
	(&httplog.Request{ID: "req_2", Cause: errors.New("no disk")}).Write(logger)
	if !bytes.Contains(out.Bytes(), []byte(`"level":"ERROR"`)) {
		t.Errorf("a failure is logged as %q", out.String())
	}
}
