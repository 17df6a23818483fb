package openapi

import (
	"reflect"
	"slices"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file describes what the service sends: one webhook for each event of the catalogue, and all of them together as the callback of a
// subscription. Some generators of clients leave out what no path leads to, and no path leads to webhooks.

// eventHooks are the requests that receivers get, by event.
func eventHooks(g *schemas) openjson.Object {
	var hooks openjson.Object
	for _, e := range v1.EventTypes {
		name := eventSchema(e)
		g.components[name+"Data"] = g.eventData(e)
		g.components[name] = g.event(e, openjson.Reference("schemas", name+"Data"))
		hooks.Set(e.Name, openjson.Of("post", openjson.Of(
			"operationId", strings.ToLower(name[:1])+name[1:],
			"tags", []any{"Webhooks"},
			"summary", strings.ToUpper(e.When[:1])+e.When[1:],
			"description", "Sent to the webhooks that want "+e.Name+", at least once. Verify the signature before you believe it; resource.sequence puts the "+
				"events of one object in order.",
			"security", []any{},
			"parameters", signatureHeaders(),
			"requestBody", eventBody(name, eventExamples(e)),
			"responses", receiptAnswers(),
		)))
	}
	return hooks
}

// eventSchema is the component for an event with its data.
func eventSchema(e v1.EventType) string { return PascalCase(e.Name) + "Event" }

func eventBody(component string, examples openjson.Object) openjson.Object {
	media := openjson.Of("schema", openjson.Reference("schemas", component))
	if len(examples) > 0 {
		media.Set("examples", examples)
	}
	return openjson.Of("required", true, "content", openjson.Of("application/json", media))
}

// eventExamples has what a test of a webhook sends, of the service that all examples are of.
func eventExamples(e v1.EventType) (out openjson.Object) {
	const service = "https://api.example.com"
	event, _ := v1.SampleEvent(e.Name, "test", v1.ItemURL{Site: service, ID: 1}, service)
	(&example{Title: "What a test of a webhook sends"}).add(&out, wire.EncodeJSON(nil, &event))
	return out
}

// receiptAnswers are what a receiver may answer.
func receiptAnswers() openjson.Object {
	return openjson.Of(
		"2XX", openjson.Of("description", "The event has arrived."),
		"410", openjson.Of("description", "Do not send anything here any more: the webhook is disabled."),
		"default", openjson.Of("description", "The event is sent again later. Redirects are not followed."),
	)
}

// anyEvent is the component for an event of any type.
const anyEvent = "DeliveredEvent"

// eventCallback is the request that the address of a subscription gets, whatever the event.
func eventCallback(g *schemas) openjson.Object {
	var choices []any
	var mapping openjson.Object
	for _, e := range v1.EventTypes {
		choices = append(choices, openjson.Reference("schemas", eventSchema(e)))
		mapping.Set(e.Name, "#/components/schemas/"+eventSchema(e))
	}
	g.components[anyEvent] = openjson.Of("description", "An event, as a webhook of the format standard gets it.", "oneOf", choices,
		"discriminator", openjson.Of("propertyName", "type", "mapping", mapping))
	request := openjson.Of(
		"operationId", "receiveEvent",
		"tags", []any{"Webhooks"},
		"summary", "An event that the webhook subscribes to",
		"description", "Sent to the webhook's URL. The webhooks of this document describe each type of event by itself.",
		"security", []any{},
		"parameters", signatureHeaders(),
		"requestBody", eventBody(anyEvent, nil),
		"responses", receiptAnswers(),
	)
	markSince(&request, v1.CallbackRelease, v1.FirstRelease)
	return openjson.Of("{$request.body#/url}", openjson.Of("post", request))
}

// signatureHeaders are those of Standard Webhooks.
func signatureHeaders() []any {
	header := func(name, doc string, schema openjson.Object) openjson.Object {
		return openjson.Of("name", name, "in", "header", "required", true, "description", doc, "schema", schema)
	}
	return []any{
		header("webhook-id", "The event's id, the same whenever it is sent again.", textSchemas[reflect.TypeFor[wire.EventID]()]),
		header("webhook-timestamp", "When this attempt was made, in seconds since 1970.", openjson.Of("type", "string", "pattern", "^[0-9]+$")),
		header("webhook-signature", "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, one for each live secret with a space between.",
			openjson.Of("type", "string", "pattern", "^v1,")),
	}
}

// event is the schema of Event with the data of one event.
func (g *schemas) event(e v1.EventType, data openjson.Object) openjson.Object {
	_, shown := g.components["EventData"] // by an operation
	event := g.object(reflect.TypeFor[v1.Event](), inAnswers)
	if !shown {
		delete(g.components, "EventData") // each event says for itself what it holds
	}
	properties := slices.Clone(event.Get("properties").(openjson.Object))
	properties.Set("type", openjson.Of("type", "string", "const", e.Name))
	properties.Set("data", data)
	event.Set("properties", properties)
	return event
}

// eventData is the schema of the data of an event.
func (g *schemas) eventData(e v1.EventType) openjson.Object {
	held := strings.Fields(e.Data)
	var properties openjson.Object
	var required []any
	for _, field := range wire.Members(reflect.TypeFor[v1.EventData]()) {
		name := memberName(field)
		if !slices.Contains(held, name) && name != "truncated" {
			continue
		}
		properties.Set(name, g.member(field, inAnswers))
		if name != "truncated" && name != "previous" { // the latter gives way when the event grows too large
			required = append(required, name)
		}
	}
	return openjson.Of("type", "object", "required", required, "properties", properties)
}

// codeSchema lists the error codes with what they mean.
func codeSchema() openjson.Object {
	var codes []any
	var meanings, later openjson.Object
	for _, info := range refusal.ErrorCatalogue {
		if newer(info.Since, v1.FirstRelease) {
			later.Set(string(info.Code), info.Since)
		}
		codes = append(codes, string(info.Code))
		meanings.Set(string(info.Code), info.Meaning+" "+info.Remedy)
	}
	return openjson.Of("type", "string", "description", "What is wrong. A code never changes its meaning.", "enum", codes,
		"x-enum-descriptions", meanings,
		"x-enum-since", later)
}
