package bridge_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestPagesOfOtherAddressesMayNotCall sends what a browser sends for a page, and what programs send.
func TestPagesOfOtherAddressesMayNotCall(t *testing.T) {
	asked := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(service.Close)
	b := before(t, service, io.Discard, io.Discard)
	for _, test := range []struct {
		name, path string
		header     map[string]string
		refused    bool
	}{
		{"a form of another page", "/rest/seller", map[string]string{"Origin": "https://evil.example"}, true},
		{"a page without an origin", "/rest/seller", map[string]string{"Origin": "null"}, true},
		{"a picture of another page", "/rest/seller", map[string]string{"Sec-Fetch-Site": "cross-site"}, true},
		{"a link to the first page", "/", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{"the address bar", "/rest/server/time", map[string]string{"Sec-Fetch-Site": "none"}, false},
		{"a page of its own", "/rest/seller", map[string]string{"Origin": "http://127.0.0.1:8090", "Sec-Fetch-Site": "same-origin"}, false},
		{"a program", "/rest/seller", nil, false},
	} {
		asked = 0
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8090"+test.path, nil)
		r.Header.Set("X-Api-Key", someKey)
		for name, value := range test.header {
			r.Header.Set(name, value)
		}
		recorder := httptest.NewRecorder()
		b.ServeHTTP(recorder, r)
		if refused := recorder.Code == http.StatusForbidden; refused != test.refused || refused && asked > 0 {
			t.Errorf("%s: %d, and the service was asked %d times", test.name, recorder.Code, asked)
		}
	}
}
