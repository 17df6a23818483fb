package server

import (
	"net/http"

	"sellerd/changelog"
	"sellerd/v1"
)

// interfacePath is the address of the interface itself, to which the catalogue of interfaces leads. It needs no key.
const interfacePath = "/v1"

// interfaceLinks is what it answers: where to read on.
type interfaceLinks struct {
	Version      string `json:"version"`
	Document     string `json:"document" doc:"OpenAPI"`
	Docs         string `json:"docs"`
	Status       string `json:"status" doc:"known issues"`
	Deprecations string `json:"deprecations" doc:"what will change or end, and when"`
}

// serveInterface answers with the links of the interface, the same for everybody.
func serveInterface(baseURL string) http.HandlerFunc {
	links := interfaceLinks{v1.Release, baseURL + openAPIPath, baseURL + "/docs/api", baseURL + changelog.IssuesPath, baseURL + changelog.PagePath}
	answer := newAsset(v1.AppendData(nil, http.StatusOK, &links), "application/json")
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Language"] = []string{"en"}
		r = r.Clone(r.Context())
		for _, condition := range []string{"Range", "If-Match", "If-Unmodified-Since"} { // operations know none of them here
			r.Header.Del(condition)
		}
		answer.serve(w, r)
	}
}
