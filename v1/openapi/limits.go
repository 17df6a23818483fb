package openapi

import (
	"math"
	"reflect"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/wire"
)

// This file gives the texts of requests the limits that do not stand in their tags: those of their types, and of what they
// are sent in.

// idSchema is that of ids, of which no other is as long as the longest.
func idSchema(pattern, longest string) openjson.Object {
	return openjson.Of("type", "string", "pattern", pattern, "maxLength", len(longest))
}

// textSchemas are the types that are written as strings.
var textSchemas = map[reflect.Type]openjson.Object{
	reflect.TypeFor[wire.ID]():           idSchema(numberPattern, wire.ID(math.MinInt64).String()),
	reflect.TypeFor[wire.SubmissionID](): idSchema("^sub_[0-9a-z]+$", wire.SubmissionID(math.MaxInt64).String()),
	reflect.TypeFor[wire.BatchID]():      idSchema("^bat_[0-9a-z]+$", wire.BatchID(math.MaxInt64).String()),
	reflect.TypeFor[wire.TrackingID]():   idSchema("^trk_[0-9a-z]+$", wire.TrackingID(math.MaxInt64).String()),
	reflect.TypeFor[wire.WebhookID]():    idSchema("^wh_[0-9a-z]+$", wire.WebhookID(math.MaxInt64).String()),
	reflect.TypeFor[wire.EventID]():      idSchema("^evt_[0-9a-z]+$", wire.EventID(math.MaxInt64).String()),
	reflect.TypeFor[wire.DeliveryID]():   idSchema("^dlv_[0-9a-z]+$", wire.DeliveryID(math.MaxInt64).String()),
	reflect.TypeFor[wire.DrillID]():      idSchema("^drl_[0-9a-z]+$", wire.DrillID(math.MaxInt64).String()),
	reflect.TypeFor[v1.KeyID]():          idSchema("^[0-9A-Za-z]{12}$", "abcdefghijkl"),
	reflect.TypeFor[wire.Amount]():       openjson.Of("type", "string", "pattern", amountPattern),
	reflect.TypeFor[wire.CostAmount]():   openjson.Of("type", "string", "pattern", amountPattern),
	reflect.TypeFor[wire.TotalAmount]():  openjson.Of("type", "string", "pattern", amountPattern),
	reflect.TypeFor[wire.Currency]():     openjson.Of("type", "string", "enum", openjson.Array(wire.Currencies)),
	reflect.TypeFor[wire.Time]():         openjson.Of("type", "string", "format", "date-time"),
	reflect.TypeFor[v1.ItemURL]():        openjson.Of("type", "string", "format", "uri"),
}

// limitHead bounds the texts of a parameter by what it is sent in.
func limitHead(parameter openjson.Object) openjson.Object {
	parameter.Set("schema", openjson.LimitTexts(parameter.Get("schema").(openjson.Object), v1.HeadLimit))
	return parameter
}

// limitBodies bounds the texts of bodies by the largest body in which they can stand.
func (g *schemas) limitBodies(operations []*v1.Operation) {
	most := map[string]int{}
	for _, o := range operations {
		if o.HasBody() {
			g.reach(g.of(o.In.Field(wire.InputOf(o.In).Body).Type, inBodies), int(o.BodyLimit), most)
		}
	}
	for name, limit := range most {
		g.components[name] = openjson.LimitTexts(g.components[name], limit)
	}
}

// reach notes for each component to which a part of a schema refers the largest body that can hold it.
func (g *schemas) reach(part any, limit int, most map[string]int) {
	switch v := part.(type) {
	case openjson.Object:
		if reference, ok := v.Get("$ref").(string); ok {
			if name := strings.TrimPrefix(reference, "#/components/schemas/"); most[name] < limit {
				most[name] = limit
				g.reach(g.components[name], limit, most)
			}
			return
		}
		for _, m := range v {
			g.reach(m.Value, limit, most)
		}
	case []any:
		for _, element := range v {
			g.reach(element, limit, most)
		}
	}
}
