package servertest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Send passes a request to the public handler, as a client's transport would. An answer of /v1 or /rest that its OpenAPI
// document does not describe fails the test.
func (w *World) Send(tb testing.TB, request *http.Request) *http.Response {
	tb.Helper()
	var sent string
	if request.Body != nil {
		text, err := io.ReadAll(request.Body)
		if err != nil {
			tb.Fatalf("read the body to send: %v", err)
		}
		sent = string(text)
	}
	r := httptest.NewRequestWithContext(request.Context(), request.Method, request.URL.RequestURI(), strings.NewReader(sent))
	r.Header = request.Header
	recorder := httptest.NewRecorder()
	w.Server.Public.ServeHTTP(recorder, r)
	switch {
	case strings.HasPrefix(r.URL.Path, "/v1/"):
		described().check(tb, exchange{r, sent, w.read(tb, r.Method, recorder)})
	case strings.HasPrefix(r.URL.Path, "/rest/"):
		checkRest(tb, r, recorder)
	}
	return recorder.Result()
}
