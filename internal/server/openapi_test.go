package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/translate/openapi"
	v1openapi "sellerd/v1/openapi"
)

func TestTheOpenAPIDocumentsAreServedToEverybody(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for path, describe := range map[string]func(string) []byte{
		"/openapi.json": v1openapi.Document, "/v1/openapi.json": v1openapi.Document,
		"/openapi-rest.json": openapi.Document,
	} {
		got := get(w.Server.Public, path)
		if got.Code != http.StatusOK || got.Header().Get("Content-Type") != "application/json" {
			t.Fatalf("%s: %d %s", path, got.Code, got.Header().Get("Content-Type"))
		}
		if diff := cmp.Diff(string(describe(w.Config.BaseURL)), got.Body.String()); diff != "" {
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

func TestAnOpenAPIDocumentIsReadAgainOnlyWhenItChanged(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for path, again := range map[string]string{"/openapi.json": "/v1/openapi.json", "/openapi-rest.json": "/openapi-rest.json"} {
		tag := get(w.Server.Public, path).Header().Get("ETag")
		if len(tag) < 3 || tag[0] != '"' {
			t.Fatalf("%s: its tag is %s", path, tag)
		}
		for sent, want := range map[string]int{tag: 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200} {
			got := get(w.Server.Public, again, "If-None-Match", sent)
			if got.Code != want || got.Header().Get("ETag") != tag || (got.Body.Len() == 0) != (want == 304) {
				t.Errorf("%s, If-None-Match %s: %d with %d bytes, tag %s", again, sent, got.Code, got.Body.Len(), got.Header().Get("ETag"))
			}
		}
	}
}

// TestTheDeprecatedInterfaceIsAsItWas: its description is not among what it describes.
func TestTheDeprecatedInterfaceIsAsItWas(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	if got := get(w.Server.Public, "/rest/openapi.json"); got.Code != http.StatusNotFound || got.Header().Get("Sunset") == "" {
		t.Errorf("/rest/openapi.json: %d, Sunset %q", got.Code, got.Header().Get("Sunset"))
	}
}

func TestOnlyTheOperatorReadsTheDocumentOfTheOperatorAPI(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	const path = "/operator/openapi.json"
	challenge := []string{"Bearer", `Basic realm="the operator's token is the password", charset="UTF-8"`}
	for name, test := range map[string]struct {
		authorization string
		status        int
		challenge     []string
	}{
		"without a token":                   {"", 401, challenge},
		"with another token":                {"Bearer guessed-by-a-caller", 401, challenge},
		"with another password":             {basic("operator", "guessed-by-a-caller"), 401, challenge},
		"with the token as the user's name": {basic(servertest.OperatorToken, ""), 401, challenge},
		"with the token":                    {"Bearer " + servertest.OperatorToken, 200, nil},
		"with the token as a password":      {basic("anybody", servertest.OperatorToken), 200, nil},
		"with no name":                      {basic("", servertest.OperatorToken), 200, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var header []string
			if test.authorization != "" {
				header = []string{"Authorization", test.authorization}
			}
			got := get(w.Server.Operator, path, header...)
			if diff := cmp.Diff(test.challenge, got.Header()["Www-Authenticate"]); diff != "" || got.Code != test.status {
				t.Errorf("%d, challenges (-want +got):\n%s", got.Code, diff)
			}
			if got.Code != 200 {
				return
			}
			if diff := cmp.Diff(string(v1openapi.OperatorDocument(w.Config.BaseURL)), got.Body.String()); diff != "" || got.Header().Get("Cache-Control") != "private, no-cache" {
				t.Errorf("Cache-Control %s (-generated +served):\n%s", got.Header().Get("Cache-Control"), diff)
			}
		})
	}
	if got := get(w.Server.Public, path, "Authorization", "Bearer "+servertest.OperatorToken); got.Code != http.StatusNotFound {
		t.Errorf("on the public listener: %d", got.Code)
	}
}

// TestOperationsOfTheOperatorTakeNoPassword: a browser would send it with requests of other sites' pages.
func TestOperationsOfTheOperatorTakeNoPassword(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	got := get(w.Server.Operator, "/operator/accounts", "Authorization", basic("operator", servertest.OperatorToken))
	if diff := cmp.Diff([]string{"Bearer"}, got.Header()["Www-Authenticate"]); diff != "" || got.Code != http.StatusUnauthorized {
		t.Errorf("%d (-want +got):\n%s", got.Code, diff)
	}
}

// basic is the header Authorization of a name and a password.
func basic(name, password string) string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(name, password)
	return r.Header.Get("Authorization")
}
