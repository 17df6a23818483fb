package conformance_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
)

// TestABrokenPromiseIsSeen puts a proxy between the suite and the service, which changes the answers. A suite that passes then
// checks nothing.
func TestABrokenPromiseIsSeen(t *testing.T) {
	for name, tamper := range map[string]struct {
		file   string
		change func(*http.Response, string) string
		want   string
	}{
		"another status": {"GetItem", func(r *http.Response, body string) string { r.StatusCode = 203; return body }, "want status 200, got 203"},
		"a header that is gone": {"GetItem", func(r *http.Response, body string) string {
			r.Header.Del("Content-Language")
			return body
		}, `Content-Language: want ["en"], got []`},
		"a member that is gone": {"GetItem", func(_ *http.Response, body string) string {
			return strings.Replace(body, `"visit_count"`, `"visits"`, 1)
		}, "body.data.visit_count is missing"},
		"another value": {"GetItem", func(_ *http.Response, body string) string {
			return strings.Replace(body, `"status":"open"`, `"status":"opened"`, 1)
		}, `body.data.status: want "open", got "opened"`},
		"another form of a time": {"GetItem", func(_ *http.Response, body string) string {
			return strings.Replace(body, "T12:00", " 12:00", 1)
		}, `want "$TIME"`},
		"another object": {"GetItem", func(_ *http.Response, body string) string {
			return strings.Replace(body, `"data":{"id":"1`, `"data":{"id":"2`, 1)
		}, `body.data.id: want "$item"`},
		"something more of /rest": {"rest/item", func(_ *http.Response, body string) string {
			return strings.Replace(body, "<qty>", "<watchers>1</watchers><qty>", 1)
		}, "of the body: want"},
		"another header of /rest": {"rest/item", func(r *http.Response, body string) string {
			r.Header.Del("Sunset")
			return body
		}, "Sunset: want"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite := load(t)
			runner := newBeside(t, servertest.SQLite(t)).runner(suite)
			send := runner.Send
			runner.Send = func(request *http.Request) (*http.Response, error) {
				response, err := send(request)
				if err != nil || request.Method != http.MethodGet || !strings.Contains(request.URL.Path, "item/") && !strings.Contains(request.URL.Path, "/items/") {
					return response, err
				}
				body, err := io.ReadAll(response.Body)
				if err != nil {
					return nil, err
				}
				response.Body = io.NopCloser(strings.NewReader(tamper.change(response, string(body))))
				return response, nil
			}
			var problems strings.Builder
			for _, replay := range suite.Replays() {
				if strings.HasSuffix(replay.Transcript.File, "1.0.0/"+tamper.file+".txt") {
					for _, result := range runner.Run(t.Context(), replay.Transcript, replay.Operation) {
						problems.WriteString(strings.Join(result.Problems, "\n"))
					}
				}
			}
			if !strings.Contains(problems.String(), tamper.want) {
				t.Errorf("no %q among the problems:\n%s", tamper.want, problems.String())
			}
		})
	}
}
