package translate

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"sellerd/v1"
)

// Calls is the whole legacy interface, in the order of its documentation.
var Calls = slices.Concat(accountCalls, itemCalls, saleCalls, referenceCalls, notificationCalls)

// Call is one call of the legacy interface and its counterpart in /v1.
type Call struct {
	ID      string // anchor in the guide, label of metrics, name of the transcript
	Title   string // its purpose, as a heading
	Method  string
	Pattern string // a pattern of chi, with {name} for parts of the path
	Match   Match  // the requests of the route that it takes, when several calls share the route
	Target  Target

	In      []Row  // fields of the request
	Each    string // of a bulk: the list field whose entries have the fields of In
	Element string // element around each result inside body; "" for none
	Out     []Row  // elements of the answer

	Names     []Place // where /v1 has the title and the reference of what was sold
	Open      bool    // needs no key
	Paged     bool    // takes startingItem, numberOfItems and order
	Successor bool    // reads one resource of /v1, to which the header Link leads
	Notes     []string
	Samples   []Sample

	// The fields below serve the readers of the tables. They are not among the promises that are hashed: the documents made of
	// them are.
	Guide    Guidance    `contract:"no"`
	TakesKey bool        `contract:"no"` // opens a session: takes a key in the field apikey, and needs no token
	ListOf   string      `contract:"no"` // of a call that answers everything where /v1 answers a page: the field that selects it
	Refuses  []v1.Code   `contract:"no"` // codes of the call itself, besides those that follow from its rows and steps
	Handles  []v1.Code   `contract:"no"` // codes of its operations that the call handles itself
	Never    []Exception `contract:"no"` // codes of the sealed document that cannot occur, besides those that Unreachable derives
}

// formFactor is how much longer a form can be than the JSON that it stands for: percent-encoding takes three bytes for one.
const formFactor = 3

// BodyLimit is the size of the largest form that the route of a call accepts, in bytes. All calls of a route have the same
// limit, because only the form says which of them takes the request. Calls about one item keep the limit that they always had,
// although /v1 takes more: release 1.0.0 promises it. A description of very many tags does not fit.
func (c *Call) BodyLimit() int64 {
	limit := int64(v1.BodyLimit)
	for _, call := range append(c.Variants(), c) {
		if o := call.Target.Operation(); o != nil && o.Batch {
			limit = max(limit, o.BodyLimit)
		}
	}
	return formFactor * limit
}

// Variants returns the other calls of the same route.
func (c *Call) Variants() []*Call {
	return slices.DeleteFunc(slices.Clone(Calls), func(other *Call) bool {
		return other == c || other.Method != c.Method || other.Pattern != c.Pattern
	})
}

// Acknowledges says whether the answer only acknowledges the request.
func (c *Call) Acknowledges() bool {
	return len(c.Out) > 0 && c.Out[0].Legacy == acknowledgement[0].Legacy && c.Out[0].Const == acknowledgement[0].Const
}

// Match narrows a route to the requests in which a field begins with a prefix, in any case of letters. The zero Match takes
// every request.
type Match struct{ Field, Prefix string }

// Takes says whether a request with these fields matches.
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
	Local    Kind = "local"    // no operation: the answer comes from the tables or the session
	Absent   Kind = "absent"   // refused: /v1 has no counterpart
)

// Target is the counterpart of a call in /v1.
type Target struct {
	Kind    Kind
	Steps   []Step       // of direct (one) and composed calls
	Result  reflect.Type // the type in which Out's paths are resolved; of direct calls the operation's result, of lists an entry
	Why     string       // local and absent: why there is no operation
	Instead string       // local and absent: what to use in /v1 instead
}

// Step is one operation of a call. The main step takes its parameters from the rows of the request, and the other steps
// take them from Query. Values that the step before finds are in Path.
type Step struct {
	Operation *v1.Operation
	Main      bool              // takes the rows of the request
	Purpose   string            // what it finds for the next step, or does with each result of the step before
	Query     string            // of a step that is not the main one, with {names} for values that are known by then
	Path      map[string]string // parts of the path, by name, and the names of the values that the step before finds for them
	Body      string            // of a main step whose body comes from no row, with {names}
	Act       string            // of a POST: what it does to which object, for the Idempotency-Key, with {names} of path parts and fields
}

func direct(o *v1.Operation) Target {
	return Target{Kind: Direct, Steps: []Step{{Operation: o, Main: true}}}
}

func composed[Result any](steps ...Step) Target {
	return Target{Kind: Composed, Steps: steps, Result: reflect.TypeFor[Result]()}
}

func local[Result any]() Target { return Target{Kind: Local, Result: reflect.TypeFor[Result]()} }

// keyed adds an act to a target whose only operation is a POST.
func (t Target) keyed(act string) Target {
	t.Steps[0].Act = act
	return t
}

// check rejects steps of which none is the main one, a POST without an act, and an act on any other method.
func (t *Target) check() error {
	if t.Operation() == nil && len(t.Steps) > 0 {
		return fmt.Errorf("none of its steps is the main one")
	}
	for i := range t.Steps {
		if step := &t.Steps[i]; (step.Act != "") != (step.Operation.Method == http.MethodPost) {
			return fmt.Errorf("its step %s %s has the act %q: every POST needs one, and nothing else", step.Operation.Method, step.Operation.Pattern, step.Act)
		}
	}
	return nil
}

// Operation returns the main operation of the call, nil when there is none.
func (t *Target) Operation() *v1.Operation {
	for i := range t.Steps {
		if t.Steps[i].Main {
			return t.Steps[i].Operation
		}
	}
	return nil
}

// Needs returns the permissions that a key needs for the call: those of all its operations.
func (t *Target) Needs() (needed v1.Permissions) {
	for i := range t.Steps {
		needed |= t.Steps[i].Operation.Needs
	}
	return needed
}

// ResultType returns the type in which the rows of the answer are resolved, nil when the call answers nothing. page says
// whether the operation answers a page of it.
func (t *Target) ResultType() (result reflect.Type, page bool) {
	o := t.Operation()
	if t.Result != nil || o == nil {
		return t.Result, false
	}
	return resultOf(o.Out)
}

// resultOf returns the type of a list's entries, or the type of the result itself.
func resultOf(out reflect.Type) (reflect.Type, bool) {
	if field, ok := out.FieldByName("Results"); ok && field.Type.Kind() == reflect.Slice {
		return field.Type.Elem(), true
	}
	return out, false
}

// Direction says in which way a row translates.
type Direction int

// The directions of rows.
const (
	Both Direction = iota
	In             // from the request only
	Out            // into the answer only
)

// Root is the first part of every pattern. On its old host the interface had no such part.
const Root = "rest"

// OldHost is the former address of the interface.
const OldHost = "https://rest.delcampe.net"

// Row pairs a legacy field with a /v1 field.
type Row struct {
	Legacy  string // name of the form field and of the XML element; "" when /v1 alone has it
	V1      string // path, see the package comment; "" when /v1 has no such field
	Convert *Converter
	Dir     Direction

	Required bool   // a request without it is refused
	Default  string // the text of /v1 when the request does not have the field; in an answer, the legacy text when /v1 has no value
	Zero     string // when a text such as 0 says that the field was not sent: Always, or together with this legacy field
	Const    string // a fixed text: /v1's in a request, the legacy one in an answer
	When     string // the row applies only when the request has this legacy field too
	Unless   string // the row is ignored when the request has this legacy field too
	Beside   bool   // the row applies only beside a sibling that another row set: the currency of an amount that was given
	Loss     Loss
	Caution  Caution
	Doc      string
}

// Always lets a zero say that a field was not sent, whatever the other fields are.
const Always = "always"

// Caution is about values that programs send and /v1 does not take: a program has to change them when it moves.
type Caution struct {
	Of  func(text string) bool
	Why string
}

// Parameter returns the query parameter of /v1 that a row of a request sets. ok is false when it sets none.
func (r *Row) Parameter() (name string, ok bool) { return r.inputAt("?") }

// Header returns the header of /v1 that a row of a request sets. ok is false when it sets none.
func (r *Row) Header() (name string, ok bool) { return r.inputAt("@") }

func (r *Row) inputAt(mark string) (string, bool) {
	name, ok := strings.CutPrefix(r.V1, mark)
	return name, ok && r.Dir != Out
}

// FormName is the name of the field in forms and queries. The name of a list ends with brackets, as in PHP.
func (r *Row) FormName() string {
	if r.Legacy == "images" {
		return ImagesField
	}
	return r.Legacy
}

// ImagesField is the form name of the list of images.
const ImagesField = "images[]"

// Loss is what a row loses, and why.
type Loss struct {
	Kind LossKind
	Why  string
}

// LossKind is how a value changes between the interfaces.
type LossKind string

// The kinds of losses.
const (
	None        LossKind = ""
	Dropped     LossKind = "dropped"     // the other side has no such field
	Synthesised LossKind = "synthesised" // the other side needs a value that this side does not have
	Narrowed    LossKind = "narrowed"    // the other side has fewer values
)

// Sample is a legacy request as an example, with its meaning in /v1.
type Sample struct {
	Name string
	Path map[string]string
	Form string   // query or body, application/x-www-form-urlencoded
	V1   []string // for each step its method, path and query, and its body, as the guide prints them; for a refusal its code and its field
	Note []string // field and kind of each note
}

// Guidance is what the migration guide says of a call besides its rows. Texts are Markdown of one paragraph.
type Guidance struct {
	Phase   Phase
	Later   int // the calls of a phase are in the order of the tables; calls with a higher number follow those with a lower one
	Example Example
	Note    string // an explanation for readers who compare the two commands, "" for none
	Answer  string // what /v1 answers instead of an acknowledgement, "" for a call that does not only acknowledge
}

// Phase is a step of the migration. Its text is the anchor of the step in the guide.
type Phase string

// The phases, in the order of the guide. PhaseOff has no calls.
const (
	PhaseKeys          Phase = "phase-keys"
	PhaseReading       Phase = "phase-reading"
	PhaseListing       Phase = "phase-listing"
	PhaseSales         Phase = "phase-sales"
	PhaseNotifications Phase = "phase-notifications"
	PhaseOff           Phase = "phase-off"
)

// Example is the request that the commands of a call show. Texts such as $ITEM are variables in the reader's shell.
type Example struct {
	Path map[string]string
	Form []Pair
	V1   string // of a call without an operation: the command for /v1, with {base} for the address of the service
}

// define makes a call with its words and its samples.
func define(call Call) *Call {
	call.read()
	return &call
}

// complete returns an error when a call lacks something that readers of the tables need.
func (c *Call) complete() error {
	g := &c.Guide
	switch o := c.Target.Operation(); {
	case !slices.Contains([]Phase{PhaseKeys, PhaseReading, PhaseListing, PhaseSales, PhaseNotifications}, g.Phase):
		return fmt.Errorf("the guide has no place for it in %q", g.Phase)
	case (o == nil) != (g.Example.V1 != ""):
		return errors.New("a command for /v1 is its own if it has no operation, and else made of its rows")
	case c.Acknowledges() != (g.Answer != ""):
		return errors.New("a call that acknowledges says what /v1 answers in place of that, and no other one does")
	case len(c.Samples) == 0:
		return errors.New("it has no samples")
	case c.ListOf != "" && c.Paged:
		return errors.New("it answers either all there is or a window")
	default:
		return nil
	}
}
