package v1

import (
	"reflect"
	"slices"

	"sellerd/internal/openjson"
)

// This file names enumerations: each is defined once in the document, and generated clients get one type of it.

// enumeration is a name for the values of one member. Whatever may have just the same values is of the same enumeration.
type enumeration struct {
	name   string
	owner  reflect.Type
	member string
	doc    string
}

// enumerations are all sets of two values and more that members and parameters choose from.
var enumerations = []enumeration{
	{"Mode", reflect.TypeFor[Item](), "mode", "Data of live keys and of test keys are apart."},
	{"Currency", reflect.TypeFor[Money](), "currency", "ISO 4217 code."},
	{"Language", reflect.TypeFor[BuyerInput](), "language", "ISO 639-1 code."},
	{"SaleType", reflect.TypeFor[Item](), "sale_type", "How an item is sold."},
	{"ItemStatus", reflect.TypeFor[Item](), "status", "scheduled items wait for their start; sold, unsold and closed ones are off sale."},
	{"DurationDays", reflect.TypeFor[ItemInput](), "duration_days", "How many days an item is on sale."},
	{"Weekday", reflect.TypeFor[Item](), "preferred_end_day", ""},
	{"Renewals", reflect.TypeFor[ItemInput](), "renewals", "How often an unsold item goes on; 99 is until sold."},
	{"Site", reflect.TypeFor[ItemInput](), "site", "The national site that shows an item beside .net; net for none."},
	{"CloseReason", reflect.TypeFor[Item](), "close_reason", "Why a seller took an item off sale."},
	{"ImageStatus", reflect.TypeFor[Image](), "status", "Images are fetched when the item is published."},
	{"ImageErrorCode", reflect.TypeFor[Image](), "error_code", "Why an image could not be fetched."},
	{"ItemSort", reflect.TypeFor[BrowseItemsInput](), "sort", ""},
	{"SubmissionStatus", reflect.TypeFor[Submission](), "status", "published, rejected and valid are final."},
	{"SaleStatus", reflect.TypeFor[Sale](), "status", ""},
	{"CancellationStatus", reflect.TypeFor[Cancellation](), "status", "How far the undoing of a sale has come."},
	{"CancellationDecision", reflect.TypeFor[SimulatedCancellation](), "decision", "The next step in the undoing of a sale."},
	{"RatingStatus", reflect.TypeFor[Sale](), "rating_status", "expired sales were not rated in time."},
	{"SaleSort", reflect.TypeFor[BrowseSalesInput](), "sort", ""},
	{"Score", reflect.TypeFor[Rating](), "score", "100 is the best."},
	{"BillStatus", reflect.TypeFor[Bill](), "status", "The first four follow each other; only an unsent bill becomes cancelled."},
	{"PaymentStatus", reflect.TypeFor[Payment](), "status", ""},
	{"BillSort", reflect.TypeFor[BrowseBillsInput](), "sort", ""},
	{"EventType", reflect.TypeFor[Delivery](), "event_type", "What events are about."},
	{"EventPattern", reflect.TypeFor[Webhook](), "events", "An event, a family of events (item.*), or all (*)."},
	{"ResourceType", reflect.TypeFor[EventResource](), "type", "The kind of object that an event is about."},
	{"WebhookFormat", reflect.TypeFor[Webhook](), "format", "How events are written."},
	{"WebhookStatus", reflect.TypeFor[Webhook](), "status", "While a webhook is paused or disabled, its events are held."},
	{"WebhookStatusInput", reflect.TypeFor[WebhookInput](), "status", "The states that a seller can choose."},
	{"DisabledReason", reflect.TypeFor[Webhook](), "disabled_reason", "Why a webhook was disabled."},
	{"DeliveryStatus", reflect.TypeFor[Delivery](), "status", "How far an attempt to send an event has come."},
	{"DeliveryTrigger", reflect.TypeFor[Delivery](), "trigger", "What made the attempt: the event or its schedule, a request to redeliver, or a test."},
	{"DeliveryErrorCode", reflect.TypeFor[DeliveryError](), "code", "Why an attempt failed."},
	{"AccountType", reflect.TypeFor[Account](), "type", ""},
	{"AccountStatus", reflect.TypeFor[Account](), "status", ""},
	{"ShippingModelType", reflect.TypeFor[ShippingModel](), "type", "What shipping costs depend on."},
}

// schema is the enumeration as its member's tags have it.
func (e *enumeration) schema(g *schemas) openjson.Object {
	for i := range e.owner.NumField() {
		field := e.owner.Field(i)
		if memberName(field) != e.member && field.Tag.Get("query") != e.member {
			continue
		}
		schema := g.value(field, inAnswers)
		describe(&schema, field, inBodies)
		if items, isList := schema.Get("items").(openjson.Object); isList {
			schema = items
		}
		out := openjson.Of("type", schema.Get("type"))
		out.Set("description", e.doc)
		out.Set("enum", schema.Get("enum"))
		if since := schema.Get("x-enum-since"); since != nil {
			out.Set("x-enum-since", since)
		}
		return out
	}
	panic(e.owner.Name() + " has no member " + e.member)
}

// namedValues is an enumeration's schema under its name.
type namedValues struct {
	name   string
	schema openjson.Object
}

// nameValues finds the enumerations by their values.
func (g *schemas) nameValues() {
	g.named = map[string]namedValues{}
	for i := range enumerations {
		schema := enumerations[i].schema(g)
		values := valuesOfSchema(schema)
		if other, taken := g.named[values]; taken {
			panic(enumerations[i].name + " has the values of " + other.name)
		}
		g.named[values] = namedValues{enumerations[i].name, schema}
	}
}

func valuesOfSchema(schema openjson.Object) string {
	return string(openjson.Append(nil, []any{schema.Get("type"), schema.Get("enum")}))
}

// byName lets a schema, or that of a list's entries, refer to the enumeration that it would repeat.
func (g *schemas) byName(schema openjson.Object) openjson.Object {
	if items, isList := schema.Get("items").(openjson.Object); isList {
		schema = slices.Clone(schema)
		schema.Set("items", g.byName(items))
		return schema
	}
	values, known := g.named[valuesOfSchema(schema)]
	if !known {
		return schema
	}
	g.components[values.name] = values.schema
	rest := schema.Without("type").Without("enum").Without("x-enum-since")
	return append(openjson.Reference("schemas", values.name), rest...)
}
