package openapi

import (
	"reflect"
	"slices"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/wire"
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
	{"Mode", reflect.TypeFor[v1.Item](), "mode", "Data of live keys and of test keys are apart."},
	{"Currency", reflect.TypeFor[wire.Money](), "currency", "ISO 4217 code."},
	{"Language", reflect.TypeFor[v1.BuyerInput](), "language", "ISO 639-1 code."},
	{"SaleType", reflect.TypeFor[v1.Item](), "sale_type", "How an item is sold."},
	{"ItemStatus", reflect.TypeFor[v1.Item](), "status", "scheduled items wait for their start; sold, unsold and closed ones are off sale."},
	{"DurationDays", reflect.TypeFor[v1.ItemInput](), "duration_days", "How many days an item is on sale."},
	{"Weekday", reflect.TypeFor[v1.Item](), "preferred_end_day", ""},
	{"Renewals", reflect.TypeFor[v1.ItemInput](), "renewals", "How often an unsold item goes on; 99 is until sold."},
	{"Site", reflect.TypeFor[v1.ItemInput](), "site", "The national site that shows an item beside .net; net for none."},
	{"CloseReason", reflect.TypeFor[v1.Item](), "close_reason", "Why a seller took an item off sale."},
	{"ImageStatus", reflect.TypeFor[v1.Image](), "status", "Images are fetched when the item is published."},
	{"ImageErrorCode", reflect.TypeFor[v1.Image](), "error_code", "Why an image could not be fetched."},
	{"ItemSort", reflect.TypeFor[v1.BrowseItemsInput](), "sort", ""},
	{"SubmissionStatus", reflect.TypeFor[v1.Submission](), "status", "published, rejected and valid are final."},
	{"SaleStatus", reflect.TypeFor[v1.Sale](), "status", ""},
	{"CancellationStatus", reflect.TypeFor[v1.Cancellation](), "status", "How far the undoing of a sale has come."},
	{"CancellationDecision", reflect.TypeFor[v1.SimulatedCancellation](), "decision", "The next step in the undoing of a sale."},
	{"RatingStatus", reflect.TypeFor[v1.Sale](), "rating_status", "expired sales were not rated in time."},
	{"SaleSort", reflect.TypeFor[v1.BrowseSalesInput](), "sort", ""},
	{"Score", reflect.TypeFor[v1.Rating](), "score", "100 is the best."},
	{"BillStatus", reflect.TypeFor[v1.Bill](), "status", "The first four follow each other; only an unsent bill becomes cancelled."},
	{"PaymentStatus", reflect.TypeFor[v1.Payment](), "status", ""},
	{"BillSort", reflect.TypeFor[v1.BrowseBillsInput](), "sort", ""},
	{"EventType", reflect.TypeFor[v1.Delivery](), "event_type", "What events are about."},
	{"EventPattern", reflect.TypeFor[v1.Webhook](), "events", "An event, a family of events (item.*), or all (*)."},
	{"ItemMember", reflect.TypeFor[v1.Webhook](), "changed", "A member of an item."},
	{"ResourceType", reflect.TypeFor[v1.EventResource](), "type", "The kind of object that an event is about."},
	{"EventVia", reflect.TypeFor[v1.EventCause](), "via", "Where an event was caused; v1 also in the sandbox, marketplace by buyers and by the course of time, system if that is not known."},
	{"WebhookFormat", reflect.TypeFor[v1.Webhook](), "format", "How events are written."},
	{"WebhookStatus", reflect.TypeFor[v1.Webhook](), "status", "While a webhook is paused or disabled, its events are held."},
	{"WebhookStatusInput", reflect.TypeFor[v1.WebhookInput](), "status", "The states that a seller can choose."},
	{"DisabledReason", reflect.TypeFor[v1.Webhook](), "disabled_reason", "Why a webhook was disabled."},
	{"DeliveryStatus", reflect.TypeFor[v1.Delivery](), "status", "How far an attempt to send an event has come."},
	{"DeliveryTrigger", reflect.TypeFor[v1.Delivery](), "trigger", "What made the attempt: the event or its schedule, a request to redeliver, a test, or a recovery."},
	{"DeliveryErrorCode", reflect.TypeFor[v1.DeliveryError](), "code", "Why an attempt failed."},
	{"AccountType", reflect.TypeFor[v1.Account](), "type", ""},
	{"AccountStatus", reflect.TypeFor[v1.Account](), "status", ""},
	{"LegacyState", reflect.TypeFor[v1.LegacyUsage](), "state", "What became of calls to /rest: active ones were made in the last 30 days; done means none since, and requests to /v1; silent means neither."},
	{"Permission", reflect.TypeFor[v1.AccountKey](), "permissions", "What a key permits. A permission to write includes the permission to read the same."},
	{"ShippingModelType", reflect.TypeFor[v1.ShippingModel](), "type", "What shipping costs depend on."},
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
