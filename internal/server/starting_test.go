package server_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/httplog"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/translate"
)

// While the server starts, everybody is told to come back. Then the server itself has the same listeners.
func TestAServerThatStartsSaysSo(t *testing.T) {
	w, s, _ := served(t)
	public, operator := listen(t), listen(t)
	log := &servertest.Log{}
	starting, err := server.AnswerWhileStarting(server.StartingConfig{
		Logger: httplog.NewLogger(log, slog.LevelInfo, httplog.JSON), Clock: w.Clock, BaseURL: "http://sellerd.test",
	}, public, operator)
	if err != nil {
		t.Fatal(err)
	}
	defer starting.Stop()
	ask := func(listener net.Listener, line string) (*http.Response, string) {
		t.Helper()
		method, path, _ := strings.Cut(line, " ")
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+listener.Addr().String()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", w.Key)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer, string(body)
	}
	const notYet = `{"status_code":503,"errors":[{"code":"service_unavailable","message":"The service is starting.",` +
		`"docs_url":"http://sellerd.test/errors/service_unavailable"}]}` + "\n"
	for _, listener := range []net.Listener{public, operator} {
		for line, want := range map[string][2]string{
			"GET /healthz":            {"200", "ok\n"},
			"GET /readyz":             {"503", "starting\n"},
			"GET /v1/account":         {"503", notYet},
			"POST /v1/items":          {"503", notYet},
			"GET /docs/api":           {"503", notYet},
			"GET /nothing":            {"503", notYet},
			"GET /operator/accounts":  {"503", notYet},
			"HEAD /v1/account":        {"503", ""},
			"GET /rest/seller":        {"503", "service_unavailable"},
			"POST /rest/nothing":      {"503", "service_unavailable"},
			"GET //rest/item?apikey=": {"503", "service_unavailable"},
		} {
			answer, body := ask(listener, line)
			if strings.Contains(line, "/rest") {
				body = codeOf(body)
				if answer.Header.Get("Sunset") != translate.Sunset.Format(http.TimeFormat) || answer.Header.Get("Content-Type") != translate.ContentType {
					t.Errorf("%s: headers %v", line, answer.Header)
				}
			}
			if diff := cmp.Diff(want, [2]string{answer.Status[:3], body}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", line, diff)
			}
			if language := answer.Header.Get("Content-Language"); (answer.Header.Get("Content-Type") == "application/json") != (language == "en") {
				t.Errorf("%s: the language is %q", line, language)
			}
			if (answer.StatusCode == 503) != (answer.Header.Get("Retry-After") == "1") || answer.Header.Get("X-Request-Id") == "" || !answer.Close {
				t.Errorf("%s: headers %v", line, answer.Header)
			}
		}
	}
	if got := strings.Count(log.String(), `"op":"starting"`); got != 18 || strings.Contains(log.String(), w.Key) {
		t.Errorf("%d lines: %s", got, log.String())
	}

	silent, err := net.Dial("tcp", public.Addr().String()) // a caller who sends nothing does not hold up the start
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	starting.Stop()
	early, err := net.Dial("tcp", public.Addr().String()) // comes before the server serves
	if err != nil {
		t.Fatal(err)
	}
	defer early.Close()
	if _, err := io.WriteString(early, "GET /readyz HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, public, operator) }()
	if err := early.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(early); err != nil || !strings.HasSuffix(string(answer), "\r\n\r\nready\n") {
		t.Errorf("the early caller: %q %v", answer, err)
	}
	for _, listener := range []net.Listener{public, operator} {
		if answer, body := ask(listener, "GET /readyz"); answer.StatusCode != http.StatusOK {
			t.Errorf("%d %s", answer.StatusCode, body)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
}

// Callers wait for a server whose start is short. The operator is answered meanwhile.
func TestCallersWaitForAShortStart(t *testing.T) {
	w, s, _ := served(t)
	public, operator := listen(t), listen(t)
	starting, err := server.AnswerWhileStarting(server.StartingConfig{
		Logger: slog.New(slog.DiscardHandler), Clock: w.Clock, BaseURL: "http://sellerd.test", Patience: time.Hour,
	}, public, operator)
	if err != nil {
		t.Fatal(err)
	}
	defer starting.Stop()
	waiting := make(chan string, 1)
	go func() {
		answer, err := http.Get("http://" + public.Addr().String() + "/readyz")
		if err != nil {
			waiting <- err.Error()
			return
		}
		waiting <- answer.Status
		_ = answer.Body.Close()
	}()
	answer, err := http.Get("http://" + operator.Addr().String() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the operator: %s", answer.Status)
	}
	starting.Stop()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, public, operator) }()
	if got := <-waiting; got != "200 OK" {
		t.Errorf("the caller who waited: %s", got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
}

// The end of /rest does not wait for the start.
func TestTheEndOfTheOldInterfaceIsToldDuringAStart(t *testing.T) {
	w, _, _ := served(t)
	w.Clock.Advance(translate.Sunset.Sub(w.Clock.Now()))
	public, operator := listen(t), listen(t)
	starting, err := server.AnswerWhileStarting(server.StartingConfig{Logger: slog.New(slog.DiscardHandler), Clock: w.Clock, BaseURL: "http://sellerd.test"}, public, operator)
	if err != nil {
		t.Fatal(err)
	}
	defer starting.Stop()
	answer, err := http.Get("http://" + public.Addr().String() + "/rest/seller")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("410 legacy_api_retired", answer.Status[:3]+" "+codeOf(string(body))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
