// Package openapi describes /v1 for programs, as an OpenAPI document made of the table of operations and of the tags of
// their types. Package translate/openapi makes the document of the deprecated interface with parts of it.
package openapi

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sellerd/internal/base/each"
	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

var errorType = reflect.TypeFor[refusal.Error]()

// Document returns the OpenAPI 3.1 document of /v1. baseURL is the address of the service. The file openapi.json is the
// document of this release for "/".
func Document(baseURL string) []byte {
	g := newSchemas(v1.Operations)
	g.baseURL = strings.TrimSuffix(baseURL, "/")
	var responses openjson.Object
	paths := pathItems(g, v1.Operations, &responses)
	g.limitBodies(v1.Operations)
	hooks := eventHooks(g)
	responses.Set("RouteNotFound", sharedRefusal(g, 404, []refusal.Code{refusal.RouteNotFound}, nil))
	responses.Set("MethodNotAllowed", sharedRefusal(g, 405, []refusal.Code{refusal.MethodNotAllowed}, nil))
	slices.SortFunc(responses, func(a, b openjson.Member) int { return strings.Compare(a.Name, b.Name) })
	return openjson.Print(openjson.FormatIntegers(openjson.Of(
		"openapi", "3.1.0",
		"info", Info("Seller API", about, baseURL),
		"servers", Servers(baseURL),
		"security", []any{openjson.Of("ApiKey", []any{})},
		"tags", tagList(operationTags),
		"paths", paths,
		"webhooks", hooks,
		"components", openjson.Of(
			"securitySchemes", openjson.Of("ApiKey", openjson.Of("type", "apiKey", "in", "header", "name", "X-Api-Key",
				"description", "Your key, in this header of every request: dk_live_… for real sales, dk_test_… for trying things out with data of its own. "+
					"Authorization is not read. A key in a URL is refused, because URLs are kept in logs. The operator of the marketplace makes keys, "+
					"also some that may do less.")),
			"parameters", parameterComponents(),
			"headers", headerComponents(),
			"responses", responses,
			"schemas", g.sorted(),
		),
		Elsewhere, ElsewhereAnswers(),
	)))
}

// DocumentYAML is Document in YAML.
func DocumentYAML(baseURL string) []byte {
	text, err := openjson.YAML(Document(baseURL))
	if err != nil {
		panic("the document is not JSON: " + err.Error())
	}
	return text
}

const about = `Sellers and their tools list items here, follow their sales and ship what was sold.

Every answer is an envelope: status_code and data, or status_code and errors. Lists are read page by page: pass next_cursor as after with the same filters until it is null. The feed of events has no end: its next_cursor is never null. Later releases may add members to answers.

Bodies and queries are read strictly: what is not described here is refused. In a body, null is the same as an absent member. A PATCH keeps what is absent and clears what is null; it changes the members of objects one by one, and replaces lists as a whole.

Every GET answers HEAD too, and every path answers OPTIONS. What is not described here is answered as the responses RouteNotFound and MethodNotAllowed say.`

// operationTag groups operations by the first part of their paths below /v1 or /operator.
type operationTag struct{ name, doc, parts string }

var operationTags = []operationTag{
	{"Items", "Put items on sale and keep them.", "items item-submissions item-batches item-changes"},
	{"Sales", "What was sold, and to whom; ratings.", "sales"},
	{"Bills", "A buyer's purchases together: the shipping worklist.", "bills"},
	{"Webhooks", "Have events sent to you, or read them.", "webhooks webhook-deliveries events"},
	{"Account", "Your account and its limits.", "account"},
	{"Reference data", "What items and shipments refer to.", "categories shipping-models delivery-services"},
	{"Sandbox", "With a test key: do what buyers and the marketplace do.", "test"},
}

func tagList(tags []operationTag) []any {
	return each.Of(tags, func(tag operationTag) any { return openjson.Of("name", tag.name, "description", tag.doc) })
}

// Tag is the group of operations to which an operation belongs in the document: Items.
func Tag(o *v1.Operation) string {
	below, tags := strings.TrimPrefix(o.Pattern, "/v1/"), operationTags
	if o.IsOperators() {
		below, tags = strings.TrimPrefix(o.Pattern, v1.OperatorPath), operatorTags
	}
	part, _, _ := strings.Cut(below, "/")
	for _, tag := range tags {
		if slices.Contains(strings.Fields(tag.parts), part) {
			return tag.name
		}
	}
	panic("no tag is for " + o.Pattern)
}

func pathItems(g *schemas, operations []*v1.Operation, responses *openjson.Object) openjson.Object {
	var paths openjson.Object
	for _, o := range operations {
		item, _ := paths.Get(o.Pattern).(openjson.Object)
		item.Set(strings.ToLower(o.Method), operation{o}.describe(g, responses))
		paths.Set(o.Pattern, item)
	}
	return paths
}

// operation is an operation of the table, as the document describes it.
type operation struct{ *v1.Operation }

func (o operation) describe(g *schemas, responses *openjson.Object) openjson.Object {
	description := o.Doc
	if o.TestOnly {
		description += " Works with test keys only."
	}
	out := openjson.Of(
		"operationId", OperationID(o.Operation),
		"tags", []any{Tag(o.Operation)},
		"summary", Summary(o.Operation),
		"description", description,
	)
	out.Set("parameters", o.parameters(g))
	if o.HasBody() {
		out.Set("requestBody", o.requestBody(g))
	}
	out.Set("responses", o.responses(g, responses))
	if o.Operation == v1.CreateWebhook.Operation {
		out.Set("callbacks", openjson.Of("event", eventCallback(g)))
	}
	if o.TestOnly {
		out.Set("x-test-keys-only", true)
	}
	if o.Needs != 0 {
		out.Set("x-permission", o.Needs.String())
	}
	if o.Role != 0 {
		out.Set("x-role", o.Role.String())
	}
	markSince(&out, o.Since, v1.FirstRelease)
	return out
}

// OperationID is the name of an operation in the document: submitItem.
func OperationID(o *v1.Operation) string { return strings.ToLower(o.Name[:1]) + o.Name[1:] }

// Summary is the name of an operation in words: "Submit an item", and for operators "Create account".
func Summary(o *v1.Operation) string {
	words := inWords(strings.TrimPrefix(o.Name, "Operator"))
	verb, object, found := strings.Cut(words, " ")
	switch {
	case !found || o.IsOperators():
		return words
	case slices.Contains(onlyOnes, object):
		return verb + " your " + object
	case strings.HasSuffix(object, "s"):
		return words
	case strings.ContainsRune("aeio", rune(object[0])):
		return verb + " an " + object
	}
	return verb + " a " + object
}

// onlyOnes are the objects of operations that an account has once.
var onlyOnes = []string{"account", "legacy usage", "limits", "sandbox"}

// inWords takes a Go name apart: SubmitItem is "Submit item".
func inWords(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (o operation) requestBody(g *schemas) openjson.Object {
	input := wire.InputOf(o.In)
	media := openjson.Of("schema", g.of(o.In.Field(input.Body).Type, inBodies))
	media.Set("examples", o.requestExamples())
	content := openjson.Of("application/json", media)
	if o.Method == "PATCH" {
		content = openjson.Of("application/merge-patch+json", media, "application/json", media)
	}
	return openjson.Of("required", input.BodyRequired, "content", content, "x-body-limit", int(o.BodyLimit))
}

// requestHeader is a header that several operations read.
type requestHeader struct {
	name, component, doc, since string
	schema                      openjson.Object
	applies                     func(*v1.Operation) bool
	sinceOf                     func(*v1.Operation) string // where it did not come with all operations at once
}

var requestHeaders = []requestHeader{
	{
		name: "Idempotency-Key", component: "IdempotencyKey", since: v1.FirstRelease, schema: openjson.Of("type", "string", "minLength", 1,
			"maxLength", 255),
		doc:     "A random text of your choice, such as a UUID. Repeating a request under its key repeats the answer and not the work. Keys are kept for at least 30 days.",
		applies: func(o *v1.Operation) bool { return o.Method == "POST" }, sinceOf: func(o *v1.Operation) string { return o.KeyedSince },
	},
	{
		name: "If-Match", component: "IfMatch", since: v1.ConditionalRelease, schema: openjson.Of("type", "string"),
		doc:     "Entity tags: the request is refused with precondition_failed unless the object has one of them.",
		applies: (*v1.Operation).Conditional,
	},
	{
		name: "If-None-Match", component: "IfNoneMatch", since: v1.ConditionalRelease, schema: openjson.Of("type", "string"),
		doc:     "Entity tags: the answer is 304 without a body if the object has one of them.",
		applies: func(o *v1.Operation) bool { return o.Tagged }, sinceOf: func(o *v1.Operation) string { return o.TaggedSince },
	},
	{
		name: "Accept-Language", component: "AcceptLanguage", since: v1.FirstRelease, schema: openjson.Of("type", "string"),
		doc: "The languages that you prefer, of messages and of names of categories. There are en, fr, de, it, es and nl.", applies: func(*v1.Operation) bool { return true },
	},
	{
		name: "X-Request-Id", component: "RequestID", since: v1.FirstRelease, schema: openjson.Of("type", "string"),
		doc: "An id of your own for this request.", applies: func(*v1.Operation) bool { return true },
	},
}

// RequestIDParameter returns the header X-Request-Id of requests as a parameter, the same in all documents.
func RequestIDParameter() openjson.Object {
	i := slices.IndexFunc(requestHeaders, func(h requestHeader) bool { return h.name == "X-Request-Id" })
	return requestHeaders[i].describe()
}

func (h *requestHeader) describe() openjson.Object {
	return limitHead(openjson.Of("name", h.name, "in", "header", "description", h.doc, "schema", h.schema))
}

// parameter is the header as an operation reads it.
func (h *requestHeader) parameter(o operation) openjson.Object {
	since := h.since
	if h.sinceOf != nil {
		since = h.sinceOf(o.Operation)
	}
	return sharedOr(openjson.Reference("parameters", h.component), h.describe(), since, h.since, o.Since)
}

func parameterComponents() openjson.Object {
	var out openjson.Object
	for i := range requestHeaders {
		parameter := requestHeaders[i].describe()
		markSince(&parameter, requestHeaders[i].since, v1.FirstRelease)
		out.Set(requestHeaders[i].component, parameter)
	}
	return out
}

// parameters are the parts of the path and the query and the headers that an operation reads.
func (o operation) parameters(g *schemas) []any {
	var out []any
	for i := range o.In.NumField() {
		field := o.In.Field(i)
		if name := field.Tag.Get("path"); name != "" {
			out = append(out, openjson.Of("name", name, "in", "path", "required", true, "schema", g.of(field.Type, inBodies)))
		}
	}
	for i := range o.In.NumField() {
		if field := o.In.Field(i); field.Tag.Get("query") != "" {
			parameter := limitHead(queryParameter(g, field))
			if since := field.Tag.Get("since"); since != "" {
				markSince(&parameter, since, o.Since)
			}
			out = append(out, parameter)
		}
	}
	for i := range requestHeaders {
		if requestHeaders[i].applies(o.Operation) {
			out = append(out, requestHeaders[i].parameter(o))
		}
	}
	return out
}

func queryParameter(g *schemas, field reflect.StructField) openjson.Object {
	schema := g.value(field, inBodies)
	words := describe(&schema, field, inBodies)
	for _, bound := range []string{"min", "max"} {
		if n := field.Tag.Get(bound); n != "" {
			restrict(&schema, bound, n)
		}
	}
	switch schema.Get("type") {
	case "array":
		restrict(&schema, "max", strconv.Itoa(wire.MaxListValues))
	case "string":
		if schema.Get("enum") == nil {
			restrict(&schema, "min", "1")
		}
	}
	out := openjson.Of("name", field.Tag.Get("query"), "in", "query")
	out.Set("description", words)
	out.Set("schema", g.byName(schema))
	return out
}
