package v1

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sellerd/internal/openjson"
)

// Release is the newest release of /v1 in the change log.
const Release = "1.2.0"

var errorType = reflect.TypeFor[Error]()

// OpenAPI is the description of /v1 for programs: an OpenAPI 3.1 document made of the table of operations and the tags of
// their types. The service is reached at baseURL. openapi.json is the document of this release, for baseURL "/".
func OpenAPI(baseURL string) []byte {
	g := newSchemas(Operations)
	var responses openjson.Object
	paths := pathItems(g, &responses)
	hooks := eventHooks(g)
	responses.Set("RouteNotFound", refusal(g, 404, []Code{RouteNotFound}, nil))
	responses.Set("MethodNotAllowed", refusal(g, 405, []Code{MethodNotAllowed}, nil))
	slices.SortFunc(responses, func(a, b openjson.Member) int { return strings.Compare(a.Name, b.Name) })
	return openjson.Print(openjson.Of(
		"openapi", "3.1.0",
		"info", openjson.Of("title", "Seller API", "version", Release, "description", about),
		"servers", []any{openjson.Of("url", baseURL)},
		"security", []any{openjson.Of("ApiKey", []any{})},
		"tags", tagList(),
		"paths", paths,
		"webhooks", hooks,
		"components", openjson.Of(
			"securitySchemes", openjson.Of("ApiKey", openjson.Of("type", "apiKey", "in", "header", "name", "X-Api-Key",
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
		tags = append(tags, openjson.Of("name", tag.name, "description", tag.doc))
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

func pathItems(g *schemas, responses *openjson.Object) openjson.Object {
	var paths openjson.Object
	for _, o := range Operations {
		item, _ := paths.Get(o.Pattern).(openjson.Object)
		item.Set(strings.ToLower(o.Method), o.describe(g, responses))
		paths.Set(o.Pattern, item)
	}
	return paths
}

func (o *Operation) describe(g *schemas, responses *openjson.Object) openjson.Object {
	description := o.Doc
	if o.TestOnly {
		description += " Works with test keys only."
	}
	out := openjson.Of(
		"operationId", strings.ToLower(o.Name[:1])+o.Name[1:],
		"tags", []any{o.tag()},
		"summary", inWords(o.Name),
		"description", description,
	)
	out.Set("parameters", o.parameters(g))
	if o.HasBody() {
		out.Set("requestBody", o.requestBody(g))
	}
	out.Set("responses", o.responses(g, responses))
	if o.TestOnly {
		out.Set("x-test-keys-only", true)
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

func (o *Operation) requestBody(g *schemas) openjson.Object {
	input := inputOf(o.In)
	media := openjson.Of("schema", g.of(o.In.Field(input.body).Type, inBodies))
	content := openjson.Of("application/json", media)
	if o.Method == "PATCH" {
		content = openjson.Of("application/merge-patch+json", media, "application/json", media)
	}
	return openjson.Of("required", input.require, "content", content, "x-body-limit", int(o.BodyLimit))
}

// requestHeaders are the headers that several operations read.
var requestHeaders = []struct {
	name, component, doc string
	schema               openjson.Object
	applies              func(*Operation) bool
}{
	{
		"Idempotency-Key", "IdempotencyKey", "A random text of your choice, such as a UUID. Repeating a request under its key repeats the answer and not the work. Keys are kept for at least 30 days.",
		openjson.Of("type", "string", "minLength", 1, "maxLength", 255), func(o *Operation) bool { return o.Method == "POST" },
	},
	{
		"If-Match", "IfMatch", "Entity tags: the request is refused with precondition_failed unless the object has one of them.",
		openjson.Of("type", "string"), (*Operation).Conditional,
	},
	{
		"If-None-Match", "IfNoneMatch", "Entity tags: the answer is 304 without a body if the object has one of them.",
		openjson.Of("type", "string"), func(o *Operation) bool { return o.Tagged },
	},
	{
		"Accept-Language", "AcceptLanguage", "The language of names: en, fr, de, it, es or nl.",
		openjson.Of("type", "string"), func(*Operation) bool { return true },
	},
	{
		"X-Request-Id", "RequestID", "An id of your own for this request.",
		openjson.Of("type", "string"), func(*Operation) bool { return true },
	},
}

func parameterComponents() openjson.Object {
	var out openjson.Object
	for _, h := range requestHeaders {
		out.Set(h.component, openjson.Of("name", h.name, "in", "header", "description", h.doc, "schema", h.schema))
	}
	return out
}

// parameters are the parts of the path and the query and the headers that an operation reads.
func (o *Operation) parameters(g *schemas) []any {
	var out []any
	for i := range o.In.NumField() {
		field := o.In.Field(i)
		if name := field.Tag.Get("path"); name != "" {
			out = append(out, openjson.Of("name", name, "in", "path", "required", true, "schema", g.of(field.Type, inBodies)))
		}
	}
	for i := range o.In.NumField() {
		if field := o.In.Field(i); field.Tag.Get("query") != "" {
			out = append(out, queryParameter(g, field))
		}
	}
	for _, h := range requestHeaders {
		if h.applies(o) {
			out = append(out, openjson.Reference("parameters", h.component))
		}
	}
	return out
}

func queryParameter(g *schemas, field reflect.StructField) openjson.Object {
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
	switch schema.Get("type") {
	case "array":
		restrict(&schema, "max", strconv.Itoa(maxListValues))
	case "string":
		if schema.Get("enum") == nil {
			restrict(&schema, "min", "1")
		}
	}
	out := openjson.Of("name", field.Tag.Get("query"), "in", "query")
	out.Set("description", words)
	out.Set("schema", schema)
	return out
}
