package servertest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// FindingsOfRest compares an exchange through /rest with its document. Paths and methods without a call are not described.
func FindingsOfRest(r *http.Request, answer *httptest.ResponseRecorder) []Finding {
	d := describedRest()
	template, operation := d.operation(r)
	if operation == nil {
		return nil
	}
	place, response := d.resolve(pointer("paths", template, strings.ToLower(methodOf(r)), "responses", strconv.Itoa(answer.Code)))
	if response == nil {
		return []Finding{{"status_code_conformance", "the status " + strconv.Itoa(answer.Code) + " is not described"}}
	}
	found := findings("response_headers_conformance", d.headerProblems(response, answer.Header()))
	if r.Method == http.MethodHead {
		return found
	}
	for _, problem := range d.xmlProblems(place, response, answer) {
		check := "response_schema_conformance"
		if strings.HasPrefix(problem, "the media type") {
			check = "content_type_conformance"
		}
		found = append(found, Finding{check, problem})
	}
	return found
}
