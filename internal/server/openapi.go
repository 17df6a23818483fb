package server

import (
	"net/http"
	"sync"
)

// These are the paths of the OpenAPI documents: that of /v1 is also below /v1; that of /rest is only outside, because /rest
// stays as it is.
const (
	openAPIPath       = "/openapi.json"
	openAPIAmongPath  = "/v1/openapi.json"
	openAPILegacyPath = "/openapi-rest.json"
)

// openAPIOperatorPath is the path of the document of the operator API, on the operator's listener.
const openAPIOperatorPath = operatorPath + "openapi.json"

// serveOpenAPI serves an OpenAPI document with this server's address. It is made at the first request.
func serveOpenAPI(describe func(baseURL string) []byte, baseURL, cache string) http.HandlerFunc {
	made := sync.OnceValue(func() *asset {
		document := newAsset(describe(baseURL), "application/json")
		document.cache = cache
		return document
	})
	return func(w http.ResponseWriter, r *http.Request) { made().serve(w, r) }
}
