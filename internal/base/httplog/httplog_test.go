package httplog_test

import (
	"bytes"
	"encoding/json"
	"log"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/httplog"
)

func TestALineOfNetHTTPBecomesAnEntry(t *testing.T) {
	for line, want := range map[string]map[string]any{
		"http: TLS handshake error from 192.0.2.7:40112: EOF":                                            {"level": "INFO", "msg": "http: TLS handshake error from …: EOF"},
		"http: TLS handshake error from [2001:db8::7%eth0]:40112: tls: first record does not look like":  {"level": "INFO", "msg": "http: TLS handshake error from …: tls: first record does not look like"},
		"http: Accept error: accept tcp [::]:8080: accept4: too many open files; retrying in 5ms":        {"level": "WARN", "msg": "http: Accept error: accept tcp …: accept4: too many open files; retrying in 5ms"},
		"http: Accept error: accept tcp 0.0.0.0:8080: use of closed network connection":                  {"level": "WARN", "msg": "http: Accept error: accept tcp …: use of closed network connection"},
		"http: superfluous response.WriteHeader call from main.f (main.go:12)":                           {"level": "WARN", "msg": "http: superfluous response.WriteHeader call from main.f (main.go:12)"},
		"http: URL query contains semicolon, which is no longer a supported separator":                   {"level": "DEBUG", "msg": "http: URL query contains semicolon, which is no longer a supported separator"},
		"http: panic serving 192.0.2.7:40112: boom\ngoroutine 7 [running]:\nmain.f()":                    {"level": "ERROR", "msg": "http: panic serving …: boom", "stack": "goroutine 7 [running]:\nmain.f()"},
		`Unsolicited response received on idle HTTP channel starting with "anna@example.com"; err=<nil>`: {"level": "INFO", "msg": "Unsolicited response received on idle HTTP channel"},
		"dial 2001:db8::7: no route to host":                                                             {"level": "WARN", "msg": "dial …: no route to host"},
		"http: a line at 10:11:12 that is like none":                                                     {"level": "WARN", "msg": "http: a line at 10:11:12 that is like none"},
	} {
		var out bytes.Buffer
		httplog.New(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))).Print(line)
		var got map[string]any
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out.String())
		}
		delete(got, "time")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

// A transport logs by the standard logger, which has no place in its configuration.
func TestTheStandardLoggerIsTakenOver(t *testing.T) {
	flags, out := log.Flags(), log.Writer()
	defer func() { log.SetFlags(flags); log.SetOutput(out) }()
	var text bytes.Buffer
	httplog.TakeOver(slog.New(slog.NewJSONHandler(&text, nil)))
	log.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", "secret", http.ErrBodyNotAllowed)
	var got map[string]any
	if err := json.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, text.String())
	}
	delete(got, "time")
	if diff := cmp.Diff(map[string]any{"level": "INFO", "msg": "Unsolicited response received on idle HTTP channel"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
