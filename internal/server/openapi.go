package server

import (
	"net/http"
	"sync"
)

// These are the paths of the OpenAPI documents: that of /v1 is also below /v1, and in YAML; that of /rest is only outside, because /rest
// stays as it is.
const (
	openAPIPath       = "/openapi.json"
	openAPIAmongPath  = "/v1/openapi.json"
	openAPIYAMLPath   = "/openapi.yaml"
	openAPILegacyPath = "/openapi-rest.json"
)

// openAPIOperatorPath is the path of the document of the operator API, on the operator's listener.
const openAPIOperatorPath = operatorPath + "openapi.json"

// The media types of the documents (RFC 8259, RFC 9512).
const (
	jsonType = "application/json"
	yamlType = "application/yaml"
)

// serveOpenAPI serves an OpenAPI document with this server's address. It is made at the first request.
func serveOpenAPI(describe func(baseURL string) []byte, baseURL, kind, cache string) http.HandlerFunc {
	made := sync.OnceValue(func() *asset {
		document := newAsset(describe(baseURL), kind)
		document.cache = cache
		return document
	})
	return func(w http.ResponseWriter, r *http.Request) { made().serve(w, r) }
}
