package gate

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"

	"sellerd/internal/base/openjson"
)

// This file lets a document name limits that an earlier one did not name. Every release has had such limits: of the length
// of texts and the width of whole numbers. Before two documents are compared, such a limit is added to the earlier one if
// it excludes nothing that the earlier release accepted. So the comparison itself needs no exception. The proof is in the
// earlier document (a pattern, a set of values, the size of a body) or in the lists here.

// head is how many bytes the releases read of a request before its body: 16 KiB of headers, 4 KiB that net/http adds, and 4
// KiB that it has read while it waited for the request. One byte more was answered 431.
const head = 24 << 10

// forms are the sizes of the forms that /rest accepted, which its document does not name: three times that of the JSON.
func forms(place string) int {
	if strings.HasPrefix(place, "post /rest/items ") {
		return 3 * 2 << 20
	}
	return 3 * 64 << 10
}

// idLengths are the longest texts of ids, by their patterns. All releases read them as whole numbers of 64 bits, in decimal
// or, after a prefix, without a sign in base 36, and only in their shortest form.
var idLengths = map[string]int{
	`^-?(0|[1-9][0-9]*)$`: len("-9223372036854775808"),
	`^sub_[0-9a-z]+$`:     len("sub_1y2p0ij32e8e7"),
	`^bat_[0-9a-z]+$`:     len("bat_1y2p0ij32e8e7"),
	`^trk_[0-9a-z]+$`:     len("trk_1y2p0ij32e8e7"),
	`^wh_[0-9a-z]+$`:      len("wh_1y2p0ij32e8e7"),
	`^evt_[0-9a-z]+$`:     len("evt_1y2p0ij32e8e7"),
	`^dlv_[0-9a-z]+$`:     len("dlv_1y2p0ij32e8e7"),
}

// targets are the URLs that the service calls. All releases rejected a URL of more than 2048 characters.
var targets = []string{
	"ImageInput", "ImageInput.url", "WebhookInput.url", "WebhookPatch.url",
	"post /rest/item images[][]", "post /rest/items items[].images[][]", "put /rest/item/{id_item} images[][]", "post /rest/notification/settings destination",
}

const targetLength = 2048

// object is a JSON object of a document.
type object = map[string]any

// claim is a limit that a newer document names for a schema and the released one does not. A schema can stand in several
// places.
type claim struct {
	schema object // of the released document
	name   string
	value  any
	proven bool // in every place
}

// silence collects the claims while two documents are walked side by side.
type silence struct {
	released, newer object
	claims          map[string]map[uintptr]*claim
	seen            map[visit]bool
}

type visit struct {
	before, after uintptr
	place         string
	room          int
}

// breakSilence is the released document with the proven limits of the newer one added.
func breakSilence(released, newer []byte) ([]byte, error) {
	s := silence{claims: map[string]map[uintptr]*claim{"maxLength": {}, "format": {}}, seen: map[visit]bool{}}
	if err := json.Unmarshal(released, &s.released); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(newer, &s.newer); err != nil {
		return nil, err
	}
	s.paths(member(s.released, "paths"), member(s.newer, "paths"), true)
	s.paths(member(s.released, "webhooks"), member(s.newer, "webhooks"), false)
	for _, claims := range s.claims {
		for _, c := range claims {
			if c.proven {
				c.schema[c.name] = c.value
			}
		}
	}
	return json.Marshal(s.released)
}

func member(o object, name string) object {
	inner, _ := o[name].(object)
	return inner
}

// resolve follows a reference. name is the component's, empty where there is no reference.
func resolve(document object, value any) (o object, name string) {
	o, _ = value.(object)
	reference, ok := o["$ref"].(string)
	if !ok {
		return o, ""
	}
	o = document
	for part := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
		o, name = member(o, part), part
	}
	return o, name
}

// paths walks the operations. Their inputs are sent to the service, or by it if they are events.
func (s *silence) paths(before, after object, taken bool) {
	for path := range before {
		for method := range member(before, path) {
			was, is := member(member(before, path), method), member(member(after, path), method)
			place := method + " " + path + " "
			room := 0
			if taken {
				room = head
			}
			for _, parameter := range s.parameters(was, is) {
				s.schema(parameter[0]["schema"], parameter[1]["schema"], place, room)
			}
			body, bodyNow := member(was, "requestBody"), member(is, "requestBody")
			if taken {
				room = forms(place)
				if limit, ok := body["x-body-limit"].(float64); ok {
					room = int(limit)
				}
			}
			s.contents(body, bodyNow, place, room)
			for status := range member(was, "responses") {
				answer, _ := resolve(s.released, member(was, "responses")[status])
				answerNow, _ := resolve(s.newer, member(is, "responses")[status])
				s.contents(answer, answerNow, place, 0)
				for name := range member(answer, "headers") {
					header, _ := resolve(s.released, member(answer, "headers")[name])
					headerNow, _ := resolve(s.newer, member(answerNow, "headers")[name])
					s.schema(header["schema"], headerNow["schema"], place, 0)
				}
			}
		}
	}
}

// parameters are those that both operations have.
func (s *silence) parameters(was, is object) (both [][2]object) {
	before, _ := was["parameters"].([]any)
	after, _ := is["parameters"].([]any)
	for _, one := range before {
		p, _ := resolve(s.released, one)
		for _, other := range after {
			if q, _ := resolve(s.newer, other); q["name"] == p["name"] && q["in"] == p["in"] {
				both = append(both, [2]object{p, q})
			}
		}
	}
	return both
}

func (s *silence) contents(before, after object, place string, room int) {
	for media := range member(before, "content") {
		s.schema(member(member(before, "content"), media)["schema"], member(member(after, "content"), media)["schema"], place, room)
	}
}

// schema compares two schemas. room is how many bytes the described value can have, 0 if the service sends it.
func (s *silence) schema(before, after any, place string, room int) {
	was, component := resolve(s.released, before)
	is, _ := resolve(s.newer, after)
	if was == nil || is == nil {
		return
	}
	if component != "" {
		place = component
	}
	v := visit{reflect.ValueOf(was).Pointer(), reflect.ValueOf(is).Pointer(), place, room}
	if s.seen[v] {
		return
	}
	s.seen[v] = true
	s.claim(was, is, "maxLength", func(value any) bool { return keepsLength(was, value, place, room) })
	s.claim(was, is, "format", func(value any) bool { return keepsFormat(was, value) })
	for name := range member(was, "properties") {
		s.schema(member(was, "properties")[name], member(is, "properties")[name], join(place, name), room)
	}
	s.schema(was["items"], is["items"], place+"[]", room)
	s.schema(was["additionalProperties"], is["additionalProperties"], place+".*", room)
	for _, list := range []string{"oneOf", "anyOf", "allOf"} {
		choices, _ := was[list].([]any)
		now, _ := is[list].([]any)
		for i := range min(len(choices), len(now)) {
			s.schema(choices[i], now[i], place, room)
		}
	}
}

func join(place, name string) string {
	if strings.HasSuffix(place, " ") {
		return place + name
	}
	return place + "." + name
}

// claim records a limit that only the newer schema has. It is proven only if it is proven at every place of the older
// schema.
func (s *silence) claim(was, is object, name string, proven func(value any) bool) {
	value, says := is[name]
	if _, said := was[name]; said || !says {
		return
	}
	at := reflect.ValueOf(was).Pointer()
	known := s.claims[name][at]
	if known == nil {
		known = &claim{was, name, value, true}
		s.claims[name][at] = known
	}
	known.proven = known.proven && reflect.DeepEqual(known.value, value) && proven(value)
}

// keepsLength says whether no longer text was accepted.
func keepsLength(was object, value any, place string, room int) bool {
	limit, ok := value.(float64)
	if !ok {
		return false
	}
	pattern, _ := was["pattern"].(string)
	longest, bounded := openjson.LongestMatch(pattern)
	if !bounded {
		longest, bounded = idLengths[pattern]
	}
	switch {
	case bounded && limit >= float64(longest):
		return true
	case slices.Contains(targets, place) && limit >= targetLength:
		return true
	default: // a text is no longer than the body or head that it is sent in
		return room > 0 && limit >= float64(room)
	}
}

// keepsFormat says whether a format has room for all numbers that the schema accepts. The service reads and writes no whole
// number of more than 64 bits.
func keepsFormat(was object, value any) bool {
	types, _ := was["type"].([]any)
	if was["type"] != "integer" && !slices.Contains(types, any("integer")) {
		return false
	}
	if value == "int64" {
		return true
	}
	var ends []any
	if number, ok := was["const"]; ok {
		ends = []any{number}
	} else if ends, ok = was["enum"].([]any); !ok {
		ends = []any{was["minimum"], was["maximum"]}
	}
	return value == "int32" && !slices.ContainsFunc(ends, func(end any) bool {
		number, ok := end.(float64)
		return !ok || number < math.MinInt32 || number > math.MaxInt32
	})
}
