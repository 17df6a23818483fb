package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

	"sellerd/v1"
)

// openAPIPath is where the description of /v1 is among what it describes; /openapi.json has it too.
const openAPIPath = "/v1/openapi.json"

// openAPIDocument is the description of /v1 as this server is reached, and its entity tag.
type openAPIDocument struct {
	text []byte
	tag  string
}

func newOpenAPIDocument(baseURL string) openAPIDocument {
	text := v1.OpenAPI(baseURL)
	return openAPIDocument{text, entityTag(text)}
}

// entityTag is a strong tag made of what is served.
func entityTag(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// openAPI serves the description to everybody, and says when nothing changed.
func (s *Server) openAPI(w http.ResponseWriter, r *http.Request) {
	document := s.openapi()
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("ETag", document.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(document.text))
}
