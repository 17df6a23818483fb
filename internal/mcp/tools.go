package mcp

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/openapi"
)

// tagItems is the group of the operations on items.
const tagItems = "Items"

// tool is a tool of the agent.
type tool struct {
	name       string
	about      string // for the agent: what the tool does and when to use it
	operations []*operation
	properties openjson.Object // the schemas of its arguments, by name
	required   []string
	run        func(ctx context.Context, args *arguments) (text string, err error)
}

// group is a tool that calls the service, and says which operations of the table it takes.
type group struct {
	name, about string
	takes       func(*operation) bool
}

// groups are the tools that call the service. An operation belongs to the first one that takes it.
var groups = []group{
	{
		"browse",
		"Reads a page of a list. _from is inclusive, _to is not.",
		func(o *operation) bool { return o.reads() && o.takes("after") },
	},
	{
		"read",
		"Reads one object. getLegacyUsage has the old calls that the account still makes.",
		(*operation).reads,
	},
	{
		"sandbox",
		"Bids, buys, ends, invoices, pays and cancels as buyers and the marketplace do, or removes all test data.",
		func(o *operation) bool { return o.TestOnly },
	},
	{
		createItems,
		"Checks 1 to 100 new items, creates them only if all are right, and waits until they are published.",
		func(o *operation) bool { return o.tag() == tagItems && o.Locates },
	},
	{
		"change",
		"Changes an item, takes it off sale, puts it on sale again, or does so with 100 items.",
		func(o *operation) bool { return o.tag() == tagItems },
	},
	{
		"ship",
		"Adds, changes and removes trackings of a bill, and declares a paid bill sent.",
		func(o *operation) bool { return o.tag() == "Bills" },
	},
	{
		"rate",
		"Rates the buyer of a sale, or changes that rating.",
		func(o *operation) bool { return o.tag() == "Sales" },
	},
	{
		"webhooks",
		"Creates, changes, tests and deletes webhooks, and sends events again.",
		func(o *operation) bool { return o.tag() == "Webhooks" },
	},
	{
		"rehearse",
		"Announces a drill of the end of /rest for this account, or calls one off.",
		func(o *operation) bool { return o.tag() == "Account" },
	},
}

// toolsFor makes all tools. Those that need a test key are left out for a live one.
func (s *Server) toolsFor(test bool) []*tool {
	tools := make([]*tool, len(groups))
	for i, g := range groups {
		tools[i] = &tool{name: g.name, about: g.about}
	}
	for _, o := range s.operations {
		i := slices.IndexFunc(groups, func(g group) bool { return g.takes(o) })
		if i >= 0 && (test || !o.TestOnly) {
			o.tool, tools[i].operations = groups[i].name, append(tools[i].operations, o)
		}
	}
	tools = slices.DeleteFunc(tools, func(t *tool) bool { return len(t.operations) == 0 })
	shown := places{}
	for _, t := range tools { // first, because the others name what it shows
		if t.name == createItems {
			s.makeListing(t, shown)
		}
	}
	for _, t := range tools {
		if t.name != createItems {
			s.makeCalling(t, shown)
		}
	}
	return append(tools, s.translator(), s.guideTool(), s.errorsTool())
}

// tag is the group of the operation in the OpenAPI document.
func (o *operation) tag() string { return openapi.Tag(o.Operation) }

// reads says that the operation changes nothing.
func (o *operation) reads() bool { return o.Method == http.MethodGet }

// adds says that the operation makes something new, and changes nothing that was there: it answers the place of what it made.
func (o *operation) adds() bool { return o.Method == http.MethodPost && o.Locates }

// repeats says that the same call may come twice with the effect of one. A POST has an Idempotency-Key that follows from the call, and
// PATCH and DELETE leave the same state, unless each call makes a new secret.
func (o *operation) repeats() bool {
	return o.Method != http.MethodPatch || object(o.body.Get("properties")).Get("rotate_secret") == nil
}

// hints are what the operations of a tool say about it. A tool without operations stays on this machine and changes nothing. Hints that are
// not there mean that the tool may end something, unless it only reads, and that it reaches others (MCP, ToolAnnotations).
func (t *tool) hints() *sdk.ToolAnnotations {
	no := false
	hints := &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no}
	for _, o := range t.operations {
		hints.ReadOnlyHint = hints.ReadOnlyHint && o.reads()
		hints.IdempotentHint = hints.IdempotentHint && o.repeats()
		if !o.reads() && !o.adds() {
			hints.DestructiveHint = nil
		}
	}
	if hints.ReadOnlyHint {
		hints.DestructiveHint = nil
	}
	if len(t.operations) == 0 {
		hints.OpenWorldHint = &no
	}
	return hints
}

// described is the tool as the agent's host sees it.
func (t *tool) described() *sdk.Tool {
	schema := openjson.Of("type", "object")
	schema.Set("required", openjson.Array(t.required))
	schema.Set("properties", t.properties)
	return &sdk.Tool{Name: t.name, Description: t.about, Annotations: t.hints(), InputSchema: rawJSON(openjson.Append(nil, schema))}
}

// argument adds an argument to the tool.
func (t *tool) argument(name, about string, schema openjson.Object) {
	schema = schema.Without("description")
	schema.Set("description", about)
	t.properties.Set(name, schema)
}

// Schemas of simple arguments.
func textSchema() openjson.Object   { return openjson.Of("type", "string") }
func flagSchema() openjson.Object   { return openjson.Of("type", "boolean") }
func numberSchema() openjson.Object { return openjson.Of("type", "integer") }
func oneOfSchema(values []string) openjson.Object {
	return openjson.Of("type", "string", "enum", openjson.Array(values))
}

// makeOffline makes a tool that works without the service. Its arguments are texts, each with what the list of tools says of it. An answer
// that is too long is read part by part.
func makeOffline(name, about string, texts [][2]string, run func(args *arguments) (string, error)) *tool {
	t := &tool{name: name, about: about}
	for _, text := range texts {
		t.argument(text[0], text[1], textSchema())
	}
	t.properties.Set(argOffset, numberSchema())
	t.run = func(_ context.Context, args *arguments) (string, error) {
		text, err := run(args)
		offset := args.number(argOffset)
		if err = cmp.Or(args.first(), err); err != nil {
			return "", err
		}
		return part(text, offset)
	}
	return t
}

// makeCalling gives a tool its arguments, and lets it call the operation that is named.
func (s *Server) makeCalling(t *tool, shown places) {
	t.addCallArguments(shown)
	t.run = func(ctx context.Context, args *arguments) (string, error) {
		name := args.text("operation")
		if err := args.first(); err != nil {
			return "", err
		}
		i := slices.IndexFunc(t.operations, func(o *operation) bool { return o.id == name })
		if i < 0 {
			return "", s.notOf(t, name)
		}
		return s.call(ctx, t.operations[i], args)
	}
}

// notOf is the error about an operation that the tool does not have. It names the tool that has it.
func (s *Server) notOf(t *tool, name string) error {
	if name == "" {
		return argumentProblem(v1.MissingParameter, "operation", "Name one of "+strings.Join(t.operationIDs(), ", ")+".")
	}
	if o := s.operation(name); o != nil && o.tool != "" {
		return argumentProblem(v1.InvalidParameter, "operation", fmt.Sprintf("The tool %s has this operation.", o.tool))
	}
	return argumentProblem(v1.InvalidParameter, "operation", "The tool has "+strings.Join(t.operationIDs(), ", ")+".")
}

func (t *tool) operationIDs() []string {
	ids := make([]string, len(t.operations))
	for i, o := range t.operations {
		ids[i] = o.id
	}
	return ids
}

// operation is the operation with a name, nil without one.
func (s *Server) operation(id string) *operation {
	if i := slices.IndexFunc(s.operations, func(o *operation) bool { return o.id == id }); i >= 0 {
		return s.operations[i]
	}
	return nil
}
