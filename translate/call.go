package translate

import (
	"reflect"
	"strings"

	"sellerd/v1"
)

// Call is one call of the legacy interface and what became of it.
type Call struct {
	ID      string // anchor in the guide, label of metrics, name of its transcript
	Title   string // what it is for, as a heading
	Method  string
	Pattern string // as chi has it, with {name} for parts of the path
	Match   Match  // which requests of the route it takes, when several calls share it
	Target  Target

	In      []Row  // fields of the request
	Each    string // the list field that In's rows are inside of, once for each entry: items
	Element string // element of each result inside body; "" puts the rows right into it
	Out     []Row  // elements of the answer

	Names     []Place // where /v1 has the title and the reference of what was sold
	Open      bool    // is answered to anybody, without a key
	Paged     bool    // takes startingItem, numberOfItems and order
	Successor bool    // reads one /v1 resource, to which a Link leads
	Notes     []string
	Samples   []Sample

	// What readers of the tables need besides. The contract has what they make of it, and so not these fields.
	Guide    Guidance    `contract:"no"`
	TakesKey bool        `contract:"no"` // opens a session: takes a key in the field apikey, and needs no token
	ListOf   string      `contract:"no"` // the field that says of what, of a call that answers all there is where /v1 answers a page
	Refuses  []v1.Code   `contract:"no"` // codes of the call's own, besides those that follow from its rows and steps
	Handles  []v1.Code   `contract:"no"` // codes of its operations that the call sees to by itself
	Never    []Exception `contract:"no"` // codes that the sealed document has and that cannot come about, besides those of every such call
}

// formFactor is how much longer a form can be than the JSON it stands for: three bytes for one.
const formFactor = 3

// BodyLimit is the largest form accepted where the call is, in bytes. It does not depend on which of the calls of a route
// takes a request, since that shows only in the form.
func (c *Call) BodyLimit() int64 {
	limit := v1.SubmitItem.BodyLimit
	for _, call := range append(c.Variants(), c) {
		if o := call.Target.Operation(); o != nil {
			limit = max(limit, o.BodyLimit)
		}
	}
	return formFactor * limit
}

// Variants are the other calls of the same route, which take some requests away from this one.
func (c *Call) Variants() (others []*Call) {
	for _, other := range Calls {
		if other != c && other.Method == c.Method && other.Pattern == c.Pattern {
			others = append(others, other)
		}
	}
	return others
}

// Acknowledges says whether the answer only says that the request was taken.
func (c *Call) Acknowledges() bool {
	return len(c.Out) > 0 && c.Out[0].Legacy == acknowledgement[0].Legacy && c.Out[0].Const == acknowledgement[0].Const
}

// Match narrows a route to requests one of whose fields begins with a prefix, whatever its case. The zero Match takes
// all of them.
type Match struct{ Field, Prefix string }

// Takes says whether a request with these fields is one of them.
func (m Match) Takes(fields Fields) bool {
	text := fields.Text(m.Field)
	return len(text) >= len(m.Prefix) && strings.EqualFold(text[:len(m.Prefix)], m.Prefix)
}

// Kind is how a legacy call is answered.
type Kind string

// The kinds of calls.
const (
	Direct   Kind = "direct"   // one /v1 operation
	Composed Kind = "composed" // several, in declared steps
	Local    Kind = "local"    // without any: the answer is in the tables or the session
	Absent   Kind = "absent"   // refused: /v1 has no such thing
)

// Target is where a call leads.
type Target struct {
	Kind    Kind
	Steps   []Step       // of direct (one) and composed calls
	Result  reflect.Type // what Out's paths lead into; of direct calls the operation's result, of lists one of it
	Why     string       // local and absent: why there is no operation
	Instead string       // local and absent: what to do with /v1
}

// Step is one operation of a call. Its paths and parameters are the rows' when it is the call's main step, and else
// what Finds tells.
type Step struct {
	Operation *v1.Operation
	Main      bool   // takes the rows of the request
	Purpose   string // what it finds for the following step, or does for each result of the one before
	Query     string // of a step that is not the main one, with {names} for what is known by then
	Path      map[string]string
	Body      string // of a main step that no row fills, with {names}
	Act       string // of a POST what is done to what, for its Idempotency-Key, with {names} of the path and of fields
}

func direct(o *v1.Operation) Target {
	return Target{Kind: Direct, Steps: []Step{{Operation: o, Main: true}}}
}

func composed[Result any](steps ...Step) Target {
	return Target{Kind: Composed, Steps: steps, Result: reflect.TypeFor[Result]()}
}

func local[Result any](why, instead string) Target {
	return Target{Kind: Local, Result: reflect.TypeFor[Result](), Why: why, Instead: instead}
}

func absent(why, instead string) Target { return Target{Kind: Absent, Why: why, Instead: instead} }

// Operation is the main operation behind the call, nil without one.
func (t *Target) Operation() *v1.Operation {
	for i := range t.Steps {
		if t.Steps[i].Main {
			return t.Steps[i].Operation
		}
	}
	return nil
}

// ResultType is what the rows of the answer lead into, nil when nothing is answered, and whether an operation answers a
// page of it.
func (t *Target) ResultType() (result reflect.Type, page bool) {
	o := t.Operation()
	if t.Result != nil || o == nil {
		return t.Result, false
	}
	return resultOf(o.Out)
}

// resultOf is what a list is a list of, or the result itself.
func resultOf(out reflect.Type) (reflect.Type, bool) {
	if field, ok := out.FieldByName("Results"); ok && field.Type.Kind() == reflect.Slice {
		return field.Type.Elem(), true
	}
	return out, false
}

// Direction says which way a row translates.
type Direction int

// The directions of rows.
const (
	Both Direction = iota
	In             // from the request only
	Out            // into the answer only
)

// Root is the first part of every pattern. On its old host the interface had all of the address for itself.
const Root = "rest"

// OldHost is the host where the interface was before.
const OldHost = "https://rest.delcampe.net"

// Row pairs a legacy field with a /v1 field.
type Row struct {
	Legacy  string // name of the form field and of the XML element; "" when /v1 alone has it
	V1      string // path, see the package comment; "" when /v1 has no such field
	Convert *Converter
	Dir     Direction

	Required bool   // a request without it is refused
	Default  string // v1's text of it when the request does not have it
	Const    string // the text it always has: /v1's in a request, the legacy one in an answer
	When     string // holds only when the request has this legacy field too
	Unless   string // means nothing when the request has this legacy field too
	Beside   bool   // set only beside a sibling that another row set: the currency of an amount that was given
	Loss     Loss
	Doc      string
}

// Parameter is the parameter of the query that a row of a request leads to, if it leads to one.
func (r *Row) Parameter() (name string, ok bool) { return r.inputAt("?") }

// Header is the header that a row of a request leads to, if it leads to one.
func (r *Row) Header() (name string, ok bool) { return r.inputAt("@") }

func (r *Row) inputAt(mark string) (string, bool) {
	name, ok := strings.CutPrefix(r.V1, mark)
	return name, ok && r.Dir != Out
}

// FormName is how forms and queries name the field: a list's name ends with brackets, as in PHP.
func (r *Row) FormName() string {
	if r.Legacy == "images" {
		return ImagesField
	}
	return r.Legacy
}

// ImagesField is how a list of images is named among other fields.
const ImagesField = "images[]"

// Loss is what a row cannot carry over, and why.
type Loss struct {
	Kind LossKind
	Why  string
}

// LossKind is how a value suffers on its way.
type LossKind string

// The kinds of losses.
const (
	None        LossKind = ""
	Dropped     LossKind = "dropped"     // the other side has no place for it
	Synthesised LossKind = "synthesised" // the other side wants what this one does not have
	Narrowed    LossKind = "narrowed"    // fewer values fit
)

// Sample is a legacy request that shows something, with what it means in /v1.
type Sample struct {
	Name string
	Path map[string]string
	Form string   // query or body, application/x-www-form-urlencoded
	V1   []string // method, path and query, and body of each step, as the guide prints them; of refusals the code and the field
	Note []string // field and kind of each note
}
