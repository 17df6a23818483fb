package server

import (
	"net/http"
	"sync"
)

// Where the descriptions are: /v1's among what it describes and outside, and that of the deprecated interface, under
// which everything stays as it is, outside alone.
const (
	openAPIPath       = "/openapi.json"
	openAPIAmongPath  = "/v1/openapi.json"
	openAPILegacyPath = "/openapi-rest.json"
)

// serveOpenAPI serves a description of the service as this server is reached. It is made when it is first asked for.
func serveOpenAPI(describe func(baseURL string) []byte, baseURL string) http.HandlerFunc {
	made := sync.OnceValue(func() *asset { return newAsset(describe(baseURL), "application/json") })
	return func(w http.ResponseWriter, r *http.Request) { made().serve(w, r) }
}
