package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"sync"
	"time"
)

// Where the descriptions are: /v1's among what it describes and outside, and that of the deprecated interface, under
// which everything stays as it is, outside alone.
const (
	openAPIPath       = "/openapi.json"
	openAPIAmongPath  = "/v1/openapi.json"
	openAPILegacyPath = "/openapi-rest.json"
)

// openAPIDocument is a description of the service as this server is reached, and its entity tag.
type openAPIDocument struct {
	text []byte
	tag  string
}

// entityTag is a strong tag made of what is served.
func entityTag(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// serveOpenAPI serves a description to everybody, and says when nothing changed. It is made when it is first asked for.
func serveOpenAPI(describe func(baseURL string) []byte, baseURL string) http.HandlerFunc {
	made := sync.OnceValue(func() openAPIDocument {
		text := describe(baseURL)
		return openAPIDocument{text, entityTag(text)}
	})
	return func(w http.ResponseWriter, r *http.Request) {
		document := made()
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "public, max-age=300")
		h.Set("ETag", document.tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(document.text))
	}
}
