package v1

import (
	"reflect"
	"slices"
	"strings"
)

// This file describes what the service sends: one webhook for each event of the catalogue.

// eventHooks are the requests that receivers get, by event.
func eventHooks(g *schemas) object {
	var hooks object
	for _, e := range EventTypes {
		name := pascalCase(e.Name) + "Event"
		g.components[name] = e.schema(g)
		hooks.set(e.Name, obj("post", obj(
			"operationId", strings.ToLower(name[:1])+name[1:],
			"tags", []any{"Webhooks"},
			"summary", strings.ToUpper(e.When[:1])+e.When[1:],
			"description", "Sent to the webhooks that want "+e.Name+", at least once. Verify the signature before you believe it; resource.sequence puts the events of one object in order.",
			"security", []any{},
			"parameters", signatureHeaders(),
			"requestBody", obj("required", true, "content", obj("application/json", obj("schema", reference("schemas", name)))),
			"responses", obj(
				"2XX", obj("description", "The event has arrived."),
				"410", obj("description", "Do not send anything here any more: the webhook is disabled."),
				"default", obj("description", "The event is sent again later. Redirects are not followed."),
			),
		)))
	}
	return hooks
}

// signatureHeaders are those of Standard Webhooks.
func signatureHeaders() []any {
	header := func(name, doc string, schema object) object {
		return obj("name", name, "in", "header", "required", true, "description", doc, "schema", schema)
	}
	return []any{
		header("webhook-id", "The event's id, the same whenever it is sent again.", textSchemas[reflect.TypeFor[EventID]()]),
		header("webhook-timestamp", "When this attempt was made, in seconds since 1970.", obj("type", "string", "pattern", "^[0-9]+$")),
		header("webhook-signature", "v1,<base64 of HMAC-SHA256 over id.timestamp.body>, one for each live secret with a space between.", obj("type", "string", "pattern", "^v1,")),
	}
}

// schema is that of Event with what this event has in its data.
func (e EventType) schema(g *schemas) object {
	event := g.object(reflect.TypeFor[Event](), inAnswers)
	delete(g.components, "EventData") // each event says for itself what it holds
	properties := slices.Clone(event.get("properties").(object))
	properties.set("type", obj("type", "string", "const", e.Name))
	properties.set("data", e.dataSchema(g))
	event.set("properties", properties)
	return event
}

func (e EventType) dataSchema(g *schemas) object {
	held := strings.Fields(e.Data)
	var properties object
	var required []any
	for _, field := range membersOf(reflect.TypeFor[EventData]()) {
		name := memberName(field)
		if !slices.Contains(held, name) && name != "truncated" {
			continue
		}
		properties.set(name, g.member(field, inAnswers))
		if name != "truncated" && name != "previous" { // the latter gives way when the event grows too large
			required = append(required, name)
		}
	}
	return obj("type", "object", "required", required, "properties", properties)
}

// eventPatterns are all that a subscription can name: everything, families and events.
func eventPatterns() []string {
	patterns := []string{everyEvent}
	for _, e := range EventTypes {
		for _, name := range []string{familyPattern(e.Name), e.Name} {
			if !slices.Contains(patterns, name) {
				patterns = append(patterns, name)
			}
		}
	}
	return patterns
}

// codeSchema lists the error codes with what they mean.
func codeSchema() object {
	var codes []any
	var meanings object
	for _, info := range ErrorCatalogue {
		codes = append(codes, string(info.Code))
		meanings.set(string(info.Code), info.Meaning+" "+info.Remedy)
	}
	return obj("type", "string", "description", "What is wrong. A code never changes its meaning.", "enum", codes, "x-enum-descriptions", meanings)
}
