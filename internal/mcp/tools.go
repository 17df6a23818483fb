package mcp

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sellerd/internal/openjson"
	"sellerd/v1"
	"sellerd/v1/openapi"
)

// tool is a tool of the agent.
type tool struct {
	name, title string
	about       string // for the agent: what the tool does and when to use it
	operations  []*operation
	properties  openjson.Object // the schemas of its arguments, by name
	required    []string
	run         func(ctx context.Context, args arguments) (text string, err error)
}

// group is a tool that calls the service, and says which operations of the table it takes.
type group struct {
	name, title, about string
	takes              func(*operation) bool
}

// groups are the tools that call the service. An operation belongs to the first one that takes it.
var groups = []group{
	{
		"browse", "Read lists",
		"Reads a page of a list: items, sales, bills, trackings, webhooks, deliveries, events, categories, shipping models, carriers' services.",
		func(o *operation) bool { return o.reads() && o.takes("after") },
	},
	{
		"read", "Read one object",
		"Reads an item, a submission or batch of items, a sale, a rating, a bill, a webhook, an event, the account, its limits, or which old calls it still makes.",
		(*operation).reads,
	},
	{
		"sandbox", "Play the buyer",
		"With a test key: bids, buys, ends, invoices, pays and cancels as buyers and the marketplace do, or removes all test data.",
		func(o *operation) bool { return o.TestOnly },
	},
	{
		createItems, "Put items on sale",
		"Has the service check 1 to 100 items, and creates them only if all of them are right. By default it waits until they are published.",
		func(o *operation) bool { return o.tag() == "Items" && o.Locates },
	},
	{
		"change", "Change items",
		"Changes an item, takes it off sale, puts it on sale again, or does so with up to 100 items.",
		func(o *operation) bool { return o.tag() == "Items" },
	},
	{
		"ship", "Ship what was sold",
		"Adds, changes and removes trackings of a bill, and declares a paid bill sent.",
		func(o *operation) bool { return o.tag() == "Bills" },
	},
	{
		"rate", "Rate buyers",
		"Rates the buyer of a sale, or changes that rating.",
		func(o *operation) bool { return o.tag() == "Sales" },
	},
	{
		"webhooks", "Manage webhooks",
		"Subscribes a URL to events, changes, tests and deletes webhooks, and sends events again. This takes the place of the old notification settings.",
		func(o *operation) bool { return o.tag() == "Webhooks" },
	},
	{
		"rehearse", "Rehearse the end of /rest",
		"Announces a drill in which /rest answers this account as after its end, or calls one off.",
		func(o *operation) bool { return o.tag() == "Account" },
	},
}

// toolsFor makes all tools. Those that need a test key are left out for a live one.
func (s *Server) toolsFor(test bool) []*tool {
	var tools []*tool
	for i, g := range groups {
		t := &tool{name: g.name, title: g.title, about: g.about}
		for _, o := range s.operations {
			if groupOf(o) == &groups[i] && (test || !o.TestOnly) {
				o.tool, t.operations = g.name, append(t.operations, o)
			}
		}
		if len(t.operations) == 0 {
			continue
		}
		if g.name == createItems {
			s.makeListing(t)
		} else {
			s.makeCalling(t)
		}
		tools = append(tools, t)
	}
	return append(tools, s.translator(), s.guideTool(), s.errorsTool())
}

// groupOf is the tool of an operation, nil without one.
func groupOf(o *operation) *group {
	i := slices.IndexFunc(groups, func(g group) bool { return g.takes(o) })
	if i < 0 {
		return nil
	}
	return &groups[i]
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

// hints are what the operations of a tool say about it. A tool without operations stays on this machine and changes nothing.
func (t *tool) hints() *sdk.ToolAnnotations {
	destructive, open := false, len(t.operations) > 0
	hints := &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &destructive, OpenWorldHint: &open}
	for _, o := range t.operations {
		hints.ReadOnlyHint = hints.ReadOnlyHint && o.reads()
		hints.IdempotentHint = hints.IdempotentHint && o.repeats()
		destructive = destructive || !o.reads() && !o.adds()
	}
	return hints
}

// described is the tool as the agent's host sees it.
func (t *tool) described() *sdk.Tool {
	schema := openjson.Of("type", "object")
	schema.Set("required", openjson.Array(t.required))
	schema.Set("properties", t.properties)
	schema.Set("additionalProperties", false)
	return &sdk.Tool{Name: t.name, Title: t.title, Description: t.about, Annotations: t.hints(), InputSchema: rawJSON(openjson.Append(nil, schema))}
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
func numberSchema() openjson.Object { return openjson.Of("type", "integer", "minimum", 0) }
func oneOfSchema(values []string) openjson.Object {
	return openjson.Of("type", "string", "enum", openjson.Array(values))
}

// makeCalling gives a tool its arguments, and lets it call the operation that is named.
func (s *Server) makeCalling(t *tool) {
	t.addCallArguments()
	t.run = func(ctx context.Context, args arguments) (string, error) {
		name, err := args.text("operation")
		if err != nil {
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
