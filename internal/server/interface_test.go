package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1"
)

// The catalogue leads to /v1, so something must be there.
func TestTheInterfaceAnswersWithItsLinks(t *testing.T) {
	_, s, _ := logged(t)
	want := `{"status_code":200,"data":{"version":"` + v1.Release + `","document":"http://sellerd.test/openapi.json","docs":"http://sellerd.test/docs/api",` +
		`"status":"http://sellerd.test/known-issues","deprecations":"http://sellerd.test/changelog"}}` + "\n"
	for _, key := range []string{"", "dk_test_wrong"} {
		got := get(s.Public, "/v1", "X-Api-Key", key)
		if diff := cmp.Diff(want, got.Body.String()); diff != "" || got.Code != http.StatusOK {
			t.Errorf("%d (-want +got):\n%s", got.Code, diff)
		}
	}
	for _, link := range strings.Split(want, `"http://sellerd.test`)[1:] {
		path, _, _ := strings.Cut(link, `"`)
		if got := get(s.Public, path); got.Code != http.StatusOK {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
	for line, status := range map[string]int{"HEAD /v1": 200, "OPTIONS /v1": 200, "POST /v1": 405, "GET /v1/": 404, "GET /%76%31": 200} {
		method, path, _ := strings.Cut(line, " ")
		got := httptest.NewRecorder()
		if s.Public.ServeHTTP(got, httptest.NewRequest(method, path, http.NoBody)); got.Code != status || method == "POST" && got.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: %d %v", line, got.Code, got.Header())
		}
	}
}

// The links are in the envelope, whole, whatever a caller knows of files.
func TestTheLinksOfTheInterfaceAreNoFile(t *testing.T) {
	_, s, _ := logged(t)
	want := sent(s.Public, "GET", "/v1", "").Body.String()
	for _, header := range [][]string{{"Range", "bytes=0-10"}, {"Range", "bytes=99999-"}, {"If-Match", `"x"`}, {"If-Unmodified-Since", "Mon, 01 Jan 2001 00:00:00 GMT"}} {
		if got := sent(s.Public, "GET", "/v1", "", header...); got.Code != 200 || got.Body.String() != want {
			t.Errorf("%s: %d %s", header, got.Code, got.Body)
		}
	}
}
