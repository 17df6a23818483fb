package openapi

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/openjson"
	"sellerd/v1/refusal"
)

// This file puts examples into the document: exchanges that were recorded, by operation.

// example is a recorded exchange. Request and Response are the bodies, null for none.
type example struct {
	Title    string         `json:"title"`
	Status   int            `json:"status"`
	Request  jsontext.Value `json:"request"`
	Response jsontext.Value `json:"response"`
}

//go:embed examples.json
var examplesFile []byte

// examples are those of each operation, by its name in the table.
var examples = sync.OnceValue(func() (byOperation map[string][]example) {
	if err := json.Unmarshal(examplesFile, &byOperation); err != nil {
		panic("examples.json: " + err.Error())
	}
	return byOperation
})

// requestExamples are the bodies that were followed.
func (o operation) requestExamples() openjson.Object {
	var out openjson.Object
	for _, e := range examples()[o.Name] {
		if e.Status < 300 {
			e.add(&out, e.Request)
		}
	}
	return out
}

// answerExamples are the bodies that were answered with a status.
func (o operation) answerExamples(status int) openjson.Object {
	var out openjson.Object
	for _, e := range examples()[o.Name] {
		if e.Status == status {
			e.add(&out, e.Response)
		}
	}
	return out
}

// add adds one of the exchange's bodies, unless it has none.
func (e *example) add(to *openjson.Object, body jsontext.Value) {
	if body != nil && body.Kind() != 'n' {
		to.Set(exampleName(e.Title), openjson.Of("summary", e.Title, "value", body))
	}
}

// exampleName makes a name of a title: "Sold, in part" is sold-in-part.
func exampleName(title string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(title),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-")
}

// plainStatuses are refused without a word about a field or other details, so that the catalogue has the whole answer.
var plainStatuses = map[int]bool{401: true, 403: true, 404: true, 405: true, 429: true, 500: true, 503: true}

// refusalExamples are the answers with each of the codes, as far as the catalogue knows them.
func (g *schemas) refusalExamples(status int, codes []refusal.Code) openjson.Object {
	var out openjson.Object
	if !plainStatuses[status] {
		return nil
	}
	for _, code := range codes {
		entry := openjson.Of("code", code, "message", refusal.InfoOf(code).Meaning, "docs_url", g.baseURL+"/errors/"+string(code))
		out.Set(string(code), openjson.Of("value", openjson.Of("status_code", status, "errors", []any{entry})))
	}
	return out
}
