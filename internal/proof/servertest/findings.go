package servertest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// This file gives a fuzzer what the OpenAPI documents say of an exchange, in place of a failed test.

// Finding is one thing in which an exchange is not as its document describes it. Checks have the names that Schemathesis gives them.
type Finding struct{ Check, Text string }

// Findings compares an exchange through /v1 with the document. sent is the body of the request. A request that the document
// does not describe is a finding if it was accepted.
func Findings(r *http.Request, sent string, answer *httptest.ResponseRecorder) []Finding {
	d := described()
	template, operation := d.operation(r)
	if template != "" && operation == nil && r.Method == http.MethodOptions {
		return nil
	}
	place, response := d.response(template, operation, strings.ToLower(methodOf(r)), answer.Code)
	if response == nil {
		return []Finding{{"status_code_conformance", "the status " + strconv.Itoa(answer.Code) + " is not described"}}
	}
	read := Response{Status: answer.Code, Header: answer.Header(), Body: answer.Body.String()}
	found := findings("response_headers_conformance", d.headerProblems(response, read.Header))
	media := read.Header.Get("Content-Type")
	content, _ := response["content"].(map[string]any)
	switch {
	case r.Method == http.MethodHead:
		if read.Body != "" {
			found = append(found, Finding{"response_schema_conformance", "HEAD has a body"})
		}
	case content != nil && content[media] == nil:
		found = append(found, Finding{"content_type_conformance", "the media type " + media + " is not described"})
	default:
		found = append(found, findings("response_schema_conformance", d.bodyProblems(place, response, read))...)
	}
	if operation != nil && read.Status < 300 {
		var envelope struct {
			Data jsontext.Value `json:"data"`
		}
		if json.Unmarshal([]byte(read.Body), &envelope) == nil {
			read.Data = envelope.Data
		}
		found = append(found, findings("negative_data_rejection", d.requestProblems(template, operation, exchange{r, sent, read}))...)
	}
	return found
}

func findings(check string, problems []string) (found []Finding) {
	for _, problem := range problems {
		found = append(found, Finding{check, problem})
	}
	return found
}

// FitsSchema says whether a value is as a schema of the document of /v1 allows, which stands at a JSON pointer. Numbers must be
// json.Number or Go's own.
func FitsSchema(place string, value any) bool {
	return described().schema(place).Validate(value) == nil
}
