package v1

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Release is the newest release of /v1 in the change log.
const Release = "1.2.0"

var errorType = reflect.TypeFor[Error]()

// OpenAPI is the description of /v1 for programs: an OpenAPI 3.1 document made of the table of operations and the tags of
// their types. The service is reached at baseURL. openapi.json is the document of this release, for baseURL "/".
func OpenAPI(baseURL string) []byte {
	g := newSchemas(Operations)
	var responses object
	paths := pathItems(g, &responses)
	hooks := eventHooks(g)
	responses.set("RouteNotFound", refusal(g, 404, []Code{RouteNotFound}, nil))
	responses.set("MethodNotAllowed", refusal(g, 405, []Code{MethodNotAllowed}, nil))
	slices.SortFunc(responses, func(a, b objectMember) int { return strings.Compare(a.name, b.name) })
	return printDocument(obj(
		"openapi", "3.1.0",
		"info", obj("title", "Seller API", "version", Release, "description", about),
		"servers", []any{obj("url", baseURL)},
		"security", []any{obj("ApiKey", []any{})},
		"tags", tagList(),
		"paths", paths,
		"webhooks", hooks,
		"components", obj(
			"securitySchemes", obj("ApiKey", obj("type", "apiKey", "in", "header", "name", "X-Api-Key",
				"description", "Your key: dk_live_… for real sales, dk_test_… for trying things out with data of its own.")),
			"parameters", parameterComponents(),
			"headers", headerComponents(),
			"responses", responses,
			"schemas", g.sorted(),
		),
	))
}

const about = `Sellers and their tools list items here, follow their sales and ship what was sold.

Every answer is an envelope: status_code and data, or status_code and errors. Lists are read page by page: pass next_cursor as after with the same filters until it is null. Bodies and queries are read strictly: what is not described here is refused. Later releases may add members to answers.

Every GET answers HEAD too, and every path answers OPTIONS. What is not described here is answered as the responses RouteNotFound and MethodNotAllowed say.`

// operationTags group operations by the first part of their paths.
var operationTags = []struct{ name, doc, parts string }{
	{"Items", "Put items on sale and keep them.", "items item-submissions item-batches"},
	{"Sales", "What was sold, and to whom; ratings.", "sales"},
	{"Bills", "A buyer's purchases together: the shipping worklist.", "bills"},
	{"Webhooks", "Have events sent to you.", "webhooks webhook-deliveries"},
	{"Account", "Your account and its limits.", "account"},
	{"Reference data", "What items and shipments refer to.", "categories shipping-models delivery-services"},
	{"Sandbox", "With a test key: do what buyers and the marketplace do.", "test"},
}

func tagList() []any {
	var tags []any
	for _, tag := range operationTags {
		tags = append(tags, obj("name", tag.name, "description", tag.doc))
	}
	return tags
}

func (o *Operation) tag() string {
	part, _, _ := strings.Cut(strings.TrimPrefix(o.Pattern, "/v1/"), "/")
	for _, tag := range operationTags {
		if slices.Contains(strings.Fields(tag.parts), part) {
			return tag.name
		}
	}
	panic("no tag is for " + o.Pattern)
}

func pathItems(g *schemas, responses *object) object {
	var paths object
	for _, o := range Operations {
		item, _ := paths.get(o.Pattern).(object)
		item.set(strings.ToLower(o.Method), o.describe(g, responses))
		paths.set(o.Pattern, item)
	}
	return paths
}

func (o *Operation) describe(g *schemas, responses *object) object {
	description := o.Doc
	if o.TestOnly {
		description += " Works with test keys only."
	}
	out := obj(
		"operationId", strings.ToLower(o.Name[:1])+o.Name[1:],
		"tags", []any{o.tag()},
		"summary", inWords(o.Name),
		"description", description,
	)
	out.set("parameters", o.parameters(g))
	if o.HasBody() {
		out.set("requestBody", o.requestBody(g))
	}
	out.set("responses", o.responses(g, responses))
	if o.TestOnly {
		out.set("x-test-keys-only", true)
	}
	return out
}

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

func (o *Operation) requestBody(g *schemas) object {
	input := inputOf(o.In)
	media := obj("schema", g.of(o.In.Field(input.body).Type, inBodies))
	content := obj("application/json", media)
	if o.Method == "PATCH" {
		content = obj("application/merge-patch+json", media, "application/json", media)
	}
	return obj("required", input.require, "content", content, "x-body-limit", int(o.BodyLimit))
}

// requestHeaders are the headers that several operations read.
var requestHeaders = []struct {
	name, component, doc string
	schema               object
	applies              func(*Operation) bool
}{
	{
		"Idempotency-Key", "IdempotencyKey", "A random text of your choice, such as a UUID. Repeating a request under its key repeats the answer and not the work. Keys are kept for at least 30 days.",
		obj("type", "string", "minLength", 1, "maxLength", 255), func(o *Operation) bool { return o.Method == "POST" },
	},
	{
		"If-Match", "IfMatch", "Entity tags: the request is refused with precondition_failed unless the object has one of them.",
		obj("type", "string"), (*Operation).Conditional,
	},
	{
		"If-None-Match", "IfNoneMatch", "Entity tags: the answer is 304 without a body if the object has one of them.",
		obj("type", "string"), func(o *Operation) bool { return o.Tagged },
	},
	{
		"Accept-Language", "AcceptLanguage", "The language of names: en, fr, de, it, es or nl.",
		obj("type", "string"), func(*Operation) bool { return true },
	},
	{
		"X-Request-Id", "RequestID", "An id of your own for this request.",
		obj("type", "string"), func(*Operation) bool { return true },
	},
}

func parameterComponents() object {
	var out object
	for _, h := range requestHeaders {
		out.set(h.component, obj("name", h.name, "in", "header", "description", h.doc, "schema", h.schema))
	}
	return out
}

// parameters are the parts of the path and the query and the headers that an operation reads.
func (o *Operation) parameters(g *schemas) []any {
	var out []any
	for i := range o.In.NumField() {
		field := o.In.Field(i)
		if name := field.Tag.Get("path"); name != "" {
			out = append(out, obj("name", name, "in", "path", "required", true, "schema", g.of(field.Type, inBodies)))
		}
	}
	for i := range o.In.NumField() {
		if field := o.In.Field(i); field.Tag.Get("query") != "" {
			out = append(out, queryParameter(g, field))
		}
	}
	for _, h := range requestHeaders {
		if h.applies(o) {
			out = append(out, reference("parameters", h.component))
		}
	}
	return out
}

func queryParameter(g *schemas, field reflect.StructField) object {
	t := field.Type
	if t.Implements(optionalType) {
		t = planOf(t).elem.typ
	}
	schema := g.of(t, inBodies)
	words := describe(&schema, field)
	for _, bound := range []string{"min", "max"} {
		if n := field.Tag.Get(bound); n != "" {
			restrict(&schema, bound, n)
		}
	}
	switch schema.get("type") {
	case "array":
		restrict(&schema, "max", strconv.Itoa(maxListValues))
	case "string":
		if schema.get("enum") == nil {
			restrict(&schema, "min", "1")
		}
	}
	out := obj("name", field.Tag.Get("query"), "in", "query")
	out.set("description", words)
	out.set("schema", schema)
	return out
}
