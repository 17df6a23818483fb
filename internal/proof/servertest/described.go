package servertest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// This file compares every exchange with the OpenAPI document: that of /v1, or that of the operator API. A test fails if an answer
// is not described, or if the service accepted a request that the document does not describe. Rejected requests may have any
// mistake. A fuzzer gets the same findings in place of a failed test.

// description is an OpenAPI document, ready to be compared with. All worlds share one of each.
type description struct {
	name     string // of the document, for messages
	document map[string]any
	paths    []pathDescription

	mu       sync.Mutex // guards what follows, for schemas are compiled when they are first needed
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
}

type pathDescription struct {
	template string
	segments []string
}

// documentURL names the document to the compiler of schemas; nothing is read from there.
const documentURL = "openapi.json"

// The documents of the two sides.
var (
	described         = sync.OnceValue(func() *description { return describe("openapi.json", v1openapi.Document("/")) })
	operatorDescribed = sync.OnceValue(func() *description { return describe("operator/openapi.json", v1openapi.OperatorDocument("/")) })
)

// describe reads a document of ours.
func describe(name string, document []byte) *description {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		panic(err)
	}
	closeObjects(parsed)
	d := &description{name: name, document: parsed.(map[string]any), compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(documentURL, parsed); err != nil {
		panic(err)
	}
	for template := range d.document["paths"].(map[string]any) {
		d.paths = append(d.paths, pathDescription{template, strings.Split(template, "/")})
	}
	slices.SortFunc(d.paths, func(a, b pathDescription) int { // the most literal path counts
		return cmp.Or(strings.Count(a.template, "{")-strings.Count(b.template, "{"), strings.Compare(a.template, b.template))
	})
	return d
}

// closeObjects forbids members that the document does not name. The document leaves objects open for later releases, but
// the program must not have members before the document does. The parts of an allOf stay open, because each names only some
// of the members.
func closeObjects(value any) {
	switch v := value.(type) {
	case map[string]any:
		if _, named := v["properties"].(map[string]any); named && v["type"] == "object" && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
		for name, member := range v {
			if name != "allOf" {
				closeObjects(member)
			}
		}
	case []any:
		for _, element := range v {
			closeObjects(element)
		}
	}
}

// exchange is one request and its answer.
type exchange struct {
	request *http.Request
	sent    string
	answer  Response
}

// Finding is one thing in which an exchange is not as its document describes it. Checks have the names that Schemathesis gives them.
type Finding struct{ Check, Text string }

// Findings compares an exchange through /v1 with the document, for a fuzzer. sent is the body of the request.
func Findings(r *http.Request, sent string, answer *httptest.ResponseRecorder) []Finding {
	read := Response{Status: answer.Code, Header: answer.Header(), Body: answer.Body.String()}
	var envelope struct {
		Data jsontext.Value `json:"data"`
	}
	if json.Unmarshal([]byte(read.Body), &envelope) == nil {
		read.Data = envelope.Data
	}
	return described().findings(exchange{r, sent, read})
}

// FitsSchema says whether a value is as a schema of the document of /v1 allows, which stands at a JSON pointer. Numbers must be
// json.Number or Go's own.
func FitsSchema(place string, value any) bool {
	return described().schema(place).Validate(value) == nil
}

// check fails the test if an exchange is not as described.
func (d *description) check(tb testing.TB, e exchange) {
	tb.Helper()
	for _, found := range d.findings(e) {
		tb.Errorf("%s %s answered %d, which is not as %s describes it: %s", e.request.Method, e.request.URL, e.answer.Status, d.name, found.Text)
	}
}

// findings compares an exchange with the document. A request that the document does not describe is a finding if it was accepted.
func (d *description) findings(e exchange) []Finding {
	template, operation := d.operation(e.request)
	if template != "" && operation == nil && e.request.Method == http.MethodOptions {
		return nil
	}
	place, response := d.response(template, operation, strings.ToLower(methodOf(e.request)), e.answer.Status)
	if response == nil {
		return undescribedStatus(e.answer.Status)
	}
	found := d.headerFindings(response, e.answer.Header)
	if e.request.Method != http.MethodHead {
		found = append(found, d.bodyFindings(place, response, e.answer)...)
	} else if e.answer.Body != "" {
		found = append(found, Finding{wrongBody, "HEAD has a body"})
	}
	if operation != nil && e.answer.Status < 300 {
		for _, problem := range d.requestProblems(template, operation, e) {
			found = append(found, Finding{"negative_data_rejection", problem})
		}
	}
	return found
}

// The checks of answers, by what is wrong.
const (
	wrongBody  = "response_schema_conformance"
	wrongMedia = "content_type_conformance"
)

func undescribedStatus(status int) []Finding {
	return []Finding{{"status_code_conformance", fmt.Sprintf("the status is not described: %d", status)}}
}

func undescribedMedia(media string) []Finding {
	return []Finding{{wrongMedia, "the media type " + media + " is not described"}}
}

func methodOf(r *http.Request) string {
	if r.Method == http.MethodHead {
		return http.MethodGet
	}
	return r.Method
}

// operation finds the path and the operation that a request asks for.
func (d *description) operation(r *http.Request) (template string, operation map[string]any) {
	segments := strings.Split(v1.NormalURL(r.URL).EscapedPath(), "/")
	for _, path := range d.paths {
		if slices.EqualFunc(path.segments, segments, func(pattern, segment string) bool {
			return pattern == segment || strings.HasPrefix(pattern, "{") && segment != ""
		}) {
			item := d.document["paths"].(map[string]any)[path.template].(map[string]any)
			operation, _ := item[strings.ToLower(methodOf(r))].(map[string]any)
			return path.template, operation
		}
	}
	return "", nil
}

// response finds what is described for a status, and where that stands in the document.
func (d *description) response(template string, operation map[string]any, method string, status int) (place string, response map[string]any) {
	switch {
	case template == "" && status == http.StatusNotFound:
		place = "/components/responses/RouteNotFound"
	case template != "" && operation == nil && status == http.StatusMethodNotAllowed:
		place = "/components/responses/MethodNotAllowed"
	case operation != nil:
		place = pointer("paths", template, method, "responses", strconv.Itoa(status))
	default:
		return "", nil
	}
	return d.resolve(place)
}

// How JSON pointers write names.
var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// pointer is a JSON pointer.
func pointer(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("/" + escaper.Replace(name))
	}
	return b.String()
}

// resolve follows a pointer, and the reference that stands there.
func (d *description) resolve(place string) (string, map[string]any) {
	var value any = d.document
	for name := range strings.SplitSeq(place[1:], "/") {
		switch v := value.(type) {
		case map[string]any:
			value = v[unescaper.Replace(name)]
		case []any:
			i, _ := strconv.Atoi(name)
			value = v[i]
		default:
			return "", nil
		}
	}
	object, _ := value.(map[string]any)
	if reference, ok := object["$ref"].(string); ok {
		return d.resolve(strings.TrimPrefix(reference, "#"))
	}
	return place, object
}

// schema compiles what stands at a pointer, once in a process.
func (d *description) schema(place string) *jsonschema.Schema {
	d.mu.Lock()
	defer d.mu.Unlock()
	schema, known := d.schemas[place]
	if !known {
		schema = d.compiler.MustCompile(documentURL + "#" + (&url.URL{Path: place}).EscapedPath())
		d.schemas[place] = schema
	}
	return schema
}

// unwatched are headers that belong to the transport. Those of compression are in any answer to a caller who asks for that.
var unwatched = []string{"Content-Type", "Content-Length", "Connection", "Content-Encoding", "Accept-Encoding", "Vary"}

func (d *description) headerFindings(response map[string]any, sent http.Header) (found []Finding) {
	note := func(format string, args ...any) {
		found = append(found, Finding{"response_headers_conformance", "the header " + fmt.Sprintf(format, args...)})
	}
	known := map[string]bool{}
	names, _ := response["headers"].(map[string]any)
	for name := range names {
		place, header := d.resolve(pointer("components", "headers", name))
		known[http.CanonicalHeaderKey(name)] = true
		values := sent.Values(name)
		if len(values) == 0 && header["required"] == true {
			note("%s is missing", name)
		}
		for _, value := range values {
			if err := d.textProblem(place+"/schema", value); err != nil {
				note("%s: %v", name, err)
			}
		}
	}
	for name := range sent {
		if !known[name] && !slices.Contains(unwatched, name) {
			note("%s is not described", name)
		}
	}
	return found
}

// textProblem is what is wrong with a text in a header or a query.
func (d *description) textProblem(place, text string) error {
	_, schema := d.resolve(place)
	var value any = text
	switch schema["type"] {
	case "integer":
		value = json.Number(text)
		if _, err := strconv.Atoi(text); err != nil {
			return err
		}
	case "boolean":
		value = text == "true"
	}
	return d.schema(place).Validate(value)
}

func (d *description) bodyFindings(place string, response map[string]any, answer Response) []Finding {
	content, _ := response["content"].(map[string]any)
	if content == nil {
		if answer.Body != "" {
			return []Finding{{wrongBody, "it has a body"}}
		}
		return nil
	}
	media := answer.Header.Get("Content-Type")
	if content[media] == nil {
		return undescribedMedia(media)
	}
	body, err := jsonschema.UnmarshalJSON(strings.NewReader(answer.Body))
	if err != nil {
		return []Finding{{wrongBody, err.Error()}}
	}
	shorten(body)
	if err := d.schema(place + pointer("content", media, "schema")).Validate(body); err != nil {
		return []Finding{{wrongBody, fmt.Sprintf("%v\n%s", err, answer.Body)}}
	}
	return d.eventFindings(body.(map[string]any)["data"])
}

// enoughRows is how many rows at the beginning and at the end of a page are compared: all rows come from the same
// conversion, and tests read pages of a thousand.
const enoughRows = 5

func shorten(body any) {
	envelope, _ := body.(map[string]any)
	page, _ := envelope["data"].(map[string]any)
	if results, _ := page["results"].([]any); len(results) > 2*enoughRows {
		page["results"] = slices.Concat(results[:enoughRows], results[len(results)-enoughRows:])
	}
}

// eventFindings compares the events that deliveries show with what is described for receivers.
func (d *description) eventFindings(data any) (found []Finding) {
	object, _ := data.(map[string]any)
	results, _ := object["results"].([]any)
	for _, result := range append(slices.Clone(results), data) {
		delivery, _ := result.(map[string]any)
		text, _ := delivery["request_body"].(string)
		kind, _ := delivery["event_type"].(string)
		if text == "" {
			continue
		}
		headers, _ := delivery["request_headers"].(map[string]any)
		var err error
		if headers["content-type"] == "application/x-www-form-urlencoded" || strings.HasPrefix(text, "delcampeNotification=") { // a sample has no headers before it is sent
			err = readNotification(text)
		} else {
			var event any
			if event, err = jsonschema.UnmarshalJSON(strings.NewReader(text)); err == nil {
				err = d.schema(pointer("webhooks", kind, "post", "requestBody", "content", "application/json", "schema")).Validate(event)
			}
		}
		if err != nil {
			found = append(found, Finding{wrongBody, fmt.Sprintf("the event: %v\n%s", err, text)})
		}
	}
	return found
}

// readNotification reads the form that receivers of /rest get in place of JSON: one field with XML.
func readNotification(form string) error {
	fields, err := url.ParseQuery(form)
	if err != nil {
		return err
	}
	var notification struct {
		XMLName xml.Name `xml:"Delcampe_Notification"`
		Type    string   `xml:"Notification_Type"`
	}
	if err := xml.Unmarshal([]byte(fields.Get("delcampeNotification")), &notification); err != nil {
		return err
	}
	if len(fields) != 1 || notification.Type == "" {
		return errors.New("it is no notification of /rest")
	}
	return nil
}

// requestProblems compares a request that was followed with the parameters and the body described.
func (d *description) requestProblems(template string, operation map[string]any, e exchange) []string {
	var problems []string
	method := strings.ToLower(methodOf(e.request))
	places := map[string]string{}
	parameters, _ := operation["parameters"].([]any)
	for i := range parameters {
		place, parameter := d.resolve(pointer("paths", template, method, "parameters", strconv.Itoa(i)))
		if parameter["in"] == "query" {
			places[parameter["name"].(string)] = place + "/schema"
		}
	}
	for name, values := range e.request.URL.Query() {
		place, known := places[name]
		if !known {
			problems = append(problems, "the parameter "+name+" is not described")
			continue
		}
		if _, schema := d.resolve(place); schema["type"] == "array" {
			place, values = place+"/items", strings.Split(strings.Join(values, ","), ",")
		}
		for _, value := range values {
			if err := d.textProblem(place, value); err != nil {
				problems = append(problems, fmt.Sprintf("the parameter %s: %v", name, err))
			}
		}
	}
	if e.sent == "" || operation["requestBody"] == nil || refusedInPart(e.answer) {
		return problems
	}
	body, err := jsonschema.UnmarshalJSON(strings.NewReader(e.sent))
	if err == nil {
		err = d.schema(pointer("paths", template, method, "requestBody", "content", "application/json", "schema")).Validate(body)
	}
	if err != nil {
		problems = append(problems, fmt.Sprintf("the body sent: %v\n%s", err, e.sent))
	}
	return problems
}

// refusedInPart says whether an answer rejects some entries of the request, which may then have any mistake.
func refusedInPart(answer Response) bool {
	var batch struct {
		RejectedCount int `json:"rejected_count"`
		RefusedCount  int `json:"refused_count"`
	}
	return json.Unmarshal(answer.Data, &batch) == nil && batch.RejectedCount+batch.RefusedCount > 0
}
