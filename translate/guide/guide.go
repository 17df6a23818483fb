// Package guide makes the migration guide from the tables of package translate: for each call of /rest what to send to /v1
// in its place. New gathers what the guide says; HTML, Markdown and JSON show it. Texts are Markdown of one paragraph: code
// spans, and links, which begin with # inside the guide and with / to other pages of the service.
package guide

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"sellerd/translate"
	"sellerd/v1"
)

// Page is the migration guide of a service.
type Page struct {
	Schema          string         `json:"$schema" doc:"the address of this schema"`
	Title           string         `json:"title"`
	BaseURL         string         `json:"base_url" doc:"where the service is reached"`
	DeprecatedSince time.Time      `json:"deprecated_since"`
	Sunset          time.Time      `json:"sunset" doc:"from then on /rest answers 410"`
	Opening         []string       `json:"opening" doc:"what this is about"`
	Timeline        []Moment       `json:"timeline"`
	Stays           []string       `json:"stays" doc:"what does not change, or need not"`
	Begin           []Setup        `json:"begin" doc:"the shell variables of all commands"`
	Differences     []Difference   `json:"differences" doc:"what is different in every call"`
	Conversions     []Conversion   `json:"conversions" doc:"how values are written; enumerations are told with the calls"`
	Latin1          Section        `json:"latin1" doc:"for programs whose texts are not UTF-8"`
	Phases          []Phase        `json:"phases" doc:"an order in which to move"`
	Calls           []*Call        `json:"calls" doc:"in the order of the phases"`
	Notifications   []Event        `json:"notifications" doc:"types of notifications and their events"`
	NewEvents       []Event        `json:"new_events" doc:"events that no notification tells of"`
	Refusals        Refusals       `json:"refusals"`
	Gone            []Gone         `json:"gone" doc:"what has no successor"`
	New             []NewEndpoints `json:"new" doc:"what no call of /rest leads to"`

	places map[string]string // the path of each anchor
	texts  texts
}

// Moment is a date of the end of /rest and what changes then.
type Moment struct {
	When string `json:"when"`
	What string `json:"what"`
}

// Setup is commands that a reader runs before the commands of the calls.
type Setup struct {
	Text     string `json:"text"`
	Commands string `json:"commands" doc:"for a POSIX shell with curl"`
}

// Section is a part of the guide that is not about one call.
type Section struct {
	Text  []string `json:"text"`
	Setup []Setup  `json:"setup" doc:"commands to try"`
}

// Difference is a topic on which the two interfaces differ.
type Difference struct {
	Topic  string `json:"topic"`
	Legacy string `json:"legacy"`
	V1     string `json:"v1"`
}

// Conversion is a kind of value and how both interfaces write it.
type Conversion struct {
	ID     string `json:"id" doc:"anchor"`
	Name   string `json:"name"`
	About  string `json:"about"`
	Legacy string `json:"legacy" doc:"an example"`
	V1     string `json:"v1" doc:"the same in /v1"`
}

// Phase is a step of the migration.
type Phase struct {
	ID    translate.Phase `json:"id" doc:"anchor"`
	Title string          `json:"title"`
	Short string          `json:"short" doc:"in a sentence"`
	Text  []string        `json:"text"`
	Setup []Setup         `json:"setup" doc:"commands to try"`
	Calls []string        `json:"calls" doc:"ids"`
}

// Call is the section about a call.
type Call struct {
	ID           string          `json:"id" doc:"anchor, and the id in GET /v1/account/legacy-usage"`
	URL          string          `json:"url" doc:"of the page about the call"`
	Title        string          `json:"title"`
	Phase        translate.Phase `json:"phase" doc:"id"`
	Kind         translate.Kind  `json:"kind"`
	Legacy       Endpoint        `json:"legacy"`
	V1           []Step          `json:"v1" doc:"the operations that take its place, in order"`
	Why          string          `json:"why" doc:"why no operation does, else empty"`
	Instead      string          `json:"instead" doc:"what to do in place of it, else empty"`
	Example      CommandPair     `json:"example"`
	Notes        []string        `json:"notes"`
	Each         string          `json:"each" doc:"the list whose entries have the fields, else empty"`
	FieldsAs     string          `json:"fields_as" doc:"id of the call that shows the same fields, else empty"`
	Fields       []Field         `json:"fields" doc:"of the request"`
	Objects      []Object        `json:"objects" doc:"what the paths of elements begin with"`
	Element      string          `json:"element" doc:"of each result inside body, else empty"`
	ElementsAs   string          `json:"elements_as" doc:"id of the call that shows the same elements, else empty"`
	Elements     []Field         `json:"elements" doc:"of the answer"`
	Acknowledges bool            `json:"acknowledges" doc:"whether the answer only says that the request was taken"`
	Values       []ValueTable    `json:"values" doc:"enumerations that this call is the first to use"`
	Refusals     []Refusal       `json:"refusals" doc:"besides those of every call"`
	More         []MoreSample    `json:"more" doc:"further requests and what they mean"`

	answer    string       // what /v1 answers in place of an acknowledgement
	main      Step         // the operation that takes the fields, if there is one
	allValues []ValueTable // every enumeration of the call, for its own page

	search string // the words by which a reader may search for it
}

// Endpoint is a method and a path.
type Endpoint struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// Step is an operation of /v1.
type Step struct {
	Method  string `json:"method"`
	Path    string `json:"path"`
	Purpose string `json:"purpose" doc:"empty when it is the only one"`
}

// CommandPair is the same request on both sides, as commands for a shell.
type CommandPair struct {
	Legacy  string `json:"legacy"`
	V1      string `json:"v1"`
	Refused bool   `json:"refused" doc:"whether /rest refuses it"`
	Changes bool   `json:"changes" doc:"whether it changes something, so that it is done by either command alone"`
}

// Object is what /v1 answers, by the name with which paths begin.
type Object struct {
	Name string `json:"name" doc:"such as sale"`
	Is   string `json:"is" doc:"where it stands in an answer"`
}

// Field is a row about a field of a request or an element of an answer.
type Field struct {
	Legacy   string   `json:"legacy" doc:"empty when only /v1 has it"`
	V1       string   `json:"v1" doc:"{id} in the path, ?status in the query, @Accept-Language a header, else a member; empty when only /rest has it"`
	Path     string   `json:"path" doc:"where the value stands, in full: as v1, but with the list around it in a request (items[].title), and with its object in an answer (sale.item.title); empty when only /rest has it"`
	Also     []string `json:"also" doc:"further places of the value, as it was at the time of the sale"`
	Of       string   `json:"of" doc:"what the member is of, where a call becomes several requests, else empty"`
	Required bool     `json:"required"`
	Value    string   `json:"value" doc:"how the value is written in /v1"`
	Default  string   `json:"default" doc:"what /rest takes without it"`
	Loss     string   `json:"loss" doc:"dropped, synthesised or narrowed, else empty"`
	Words    string   `json:"words" doc:"what else there is to know"`
}

// ValueTable is an enumeration.
type ValueTable struct {
	ID    string  `json:"id" doc:"anchor"`
	Name  string  `json:"name"`
	About string  `json:"about"`
	Pairs []Value `json:"pairs"`
}

// Value is a value of an enumeration on both sides.
type Value struct {
	Legacy string `json:"legacy"`
	V1     string `json:"v1"`
}

// Refusal is a code with which requests are refused.
type Refusal struct {
	Code    v1.Code `json:"code"`
	Status  int     `json:"status" doc:"HTTP status"`
	Meaning string  `json:"meaning"`
	Says    string  `json:"says" doc:"the errorMsg of /rest that programs compare, empty when there is none"`
	When    string  `json:"when" doc:"when it says so, empty for always"`
	Remedy  string  `json:"remedy"`
}

// Refusals are those that are not of one call.
type Refusals struct {
	Texts  []Refusal `json:"texts" doc:"texts of /rest that programs compare, and their codes"`
	Every  []Refusal `json:"every" doc:"what every call may be refused with"`
	OnlyV1 []Refusal `json:"only_v1" doc:"codes that only /v1 answers"`
}

// MoreSample is a further request and its meaning.
type MoreSample struct {
	Name  string   `json:"name"`
	Path  string   `json:"path" doc:"of the request, without its fields"`
	Form  string   `json:"form" doc:"its fields"`
	V1    []string `json:"v1" doc:"request lines, headers and bodies; of a refusal status, code and field"`
	Notes []string `json:"notes" doc:"fields, and what happened to them"`
}

// Event is a type of notification and its event in /v1.
type Event struct {
	Type   string  `json:"type"`
	Event  string  `json:"event"`
	When   string  `json:"when"`
	Words  string  `json:"words" doc:"what else there is to know"`
	Fields []Field `json:"fields" doc:"elements of the notification, and members of the event's data"`
}

// Gone is something of /rest without a successor.
type Gone struct {
	What    string `json:"what"`
	Call    string `json:"call" doc:"id of the call it belongs to"`
	Why     string `json:"why"`
	Instead string `json:"instead" doc:"empty when there is nothing to do"`
}

// NewEndpoints is a group of operations.
type NewEndpoints struct {
	Title      string         `json:"title"`
	Operations []NewOperation `json:"operations"`
}

// NewOperation is an operation that replaces no call.
type NewOperation struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Does   string `json:"does"`
}

// New makes the guide of the service at baseURL. It panics when the tables hold something that the guide has no words for;
// tests make sure that they do not.
func New(table *translate.Table, baseURL string) *Page {
	baseURL = strings.TrimSuffix(baseURL, "/")
	t := newTexts(baseURL)
	g := &Page{
		Title: "From /rest to /v1", Schema: baseURL + SchemaPath, BaseURL: baseURL, DeprecatedSince: translate.Deprecated, Sunset: translate.Sunset,
		Opening: t["opening"][0].text, Timeline: t.timeline(), Stays: t["stays"][0].text, Begin: t["begin"][0].setup, Differences: t.differences(),
		Conversions: conversions(), Latin1: Section{t["latin-1"][0].text, t["latin-1"][0].setup}, Phases: t.phases(),
		Refusals: sharedRefusals(), Gone: withoutSuccessor(table), New: newOperations(table), texts: t,
	}
	seen := &alreadyShown{fields: map[string]string{}, elements: map[string]string{}, values: map[*translate.Converter]string{}, samples: map[string]bool{}}
	for i := range g.Phases {
		for _, p := range callsOf(table, g.Phases[i].ID) {
			g.Phases[i].Calls = append(g.Phases[i].Calls, p.ID)
			g.Calls = append(g.Calls, newCall(p, g, &g.Phases[i], seen))
		}
	}
	g.Notifications, g.NewEvents = notifications(), newEvents()
	g.places = g.addresses()
	for _, c := range g.Calls {
		c.search = c.searchWords()
	}
	return g
}

// callsOf returns the calls of a phase, in the order of the guide.
func callsOf(table *translate.Table, phase translate.Phase) []*translate.Plan {
	plans := slices.DeleteFunc(slices.Clone(table.Plans), func(p *translate.Plan) bool { return p.Guide.Phase != phase })
	slices.SortStableFunc(plans, func(a, b *translate.Plan) int { return cmp.Compare(a.Guide.Later, b.Guide.Later) })
	return plans
}

// Call returns the section of a call, nil when there is none.
func (g *Page) Call(id string) *Call {
	if i := slices.IndexFunc(g.Calls, func(c *Call) bool { return c.ID == id }); i >= 0 {
		return g.Calls[i]
	}
	return nil
}
