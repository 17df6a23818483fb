package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

func TestTheOpenAPIDocumentIsServedToEverybody(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, path := range []string{"/openapi.json", "/v1/openapi.json"} {
		got := get(w.Server.Public, path)
		if got.Code != http.StatusOK || got.Header().Get("Content-Type") != "application/json" {
			t.Fatalf("%s: %d %s", path, got.Code, got.Header().Get("Content-Type"))
		}
		if diff := cmp.Diff(string(v1.OpenAPI(w.Config.BaseURL)), got.Body.String()); diff != "" {
			t.Errorf("%s (-generated +served):\n%s", path, diff)
		}
		var document struct {
			Servers []struct{ URL string }
		}
		if err := json.Unmarshal(got.Body.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]struct{ URL string }{{w.Config.BaseURL}}, document.Servers); diff != "" {
			t.Errorf("%s names its servers (-want +got):\n%s", path, diff)
		}
	}
}

func TestTheOpenAPIDocumentIsReadAgainOnlyWhenItChanged(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	tag := get(w.Server.Public, "/openapi.json").Header().Get("ETag")
	if len(tag) < 3 || tag[0] != '"' {
		t.Fatalf("its tag is %s", tag)
	}
	for sent, want := range map[string]int{tag: 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200} {
		got := get(w.Server.Public, "/v1/openapi.json", "If-None-Match", sent)
		if got.Code != want || got.Header().Get("ETag") != tag || (got.Body.Len() == 0) != (want == 304) {
			t.Errorf("If-None-Match %s: %d with %d bytes, tag %s", sent, got.Code, got.Body.Len(), got.Header().Get("ETag"))
		}
	}
}

func TestOnlyReadsFindTheOpenAPIDocument(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	got := w.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/openapi.json"})
	if diff := cmp.Diff([]string{"route_not_found"}, got.Codes()); diff != "" {
		t.Errorf("POST (-want +got):\n%s", diff)
	}
}
