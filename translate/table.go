package translate

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"sellerd/v1"
)

// Table is the compiled calls and notifications.
type Table struct {
	Plans         []*Plan
	Notifications *Notifications
	byID          map[string]*Plan
}

// Plan is a call whose paths are resolved.
type Plan struct {
	*Call
	main   *v1.Operation
	result reflect.Type
	list   bool // the operation answers a page
	reads  bool // some row reads the result

	held    func(text string, bare bool) string // see Holding
	in      []inRow
	out     []outRow
	sort    string // the value of /v1's parameter sort that lists the newest first, of a paged call
	element struct{ open, close string }
	legacy  map[string]string // names of body members, query parameters and path parts of /v1, and the legacy fields that they came from
}

type inRow struct {
	*Row
	place
	beside []place // of a row with Beside
}

type outRow struct {
	*Row
	*accessor
	open, close, empty string
	literal            string     // of a row without a path, the whole element
	yes, no            string     // of a boolean, either whole element
	convert            *Converter // nil for one that writes what /v1 has
	plain              bool       // its texts need no escaping
}

// New returns the table of all calls. It is compiled once, and shared: do not change it. The error names a call that is incomplete
// or has an invalid row.
func New() (*Table, error) { return compiled() }

var compiled = sync.OnceValues(func() (*Table, error) {
	for _, call := range Calls {
		if err := call.complete(); err != nil {
			return nil, fmt.Errorf("translate: call %s: %w", call.ID, err)
		}
	}
	return Compile(Calls, NotificationTypes)
})

// Compile checks calls and notifications and resolves their paths. Its error names the call and the row whose path /v1's types
// do not have.
func Compile(calls []*Call, types []*Notification) (*Table, error) {
	t := &Table{byID: map[string]*Plan{}}
	for _, call := range calls {
		if t.byID[call.ID] != nil {
			return nil, fmt.Errorf("translate: there are two calls %q", call.ID)
		}
		p, err := compile(call)
		if err != nil {
			return nil, fmt.Errorf("translate: call %s: %w", call.ID, err)
		}
		t.Plans = append(t.Plans, p)
		t.byID[call.ID] = p
	}
	notifications, err := compileNotifications(types)
	t.Notifications = notifications
	return t, err
}

// Lookup returns the plan of a call by its id, nil when there is none.
func (t *Table) Lookup(id string) *Plan { return t.byID[id] }

// Successors returns the main operation of each call, by the id of the call, for v1.Config.LegacyCalls.
func (t *Table) Successors() map[string]v1.LegacySuccessor {
	successors := map[string]v1.LegacySuccessor{}
	for _, p := range t.Plans {
		var s v1.LegacySuccessor
		if o := p.Target.Operation(); o != nil {
			s.Method, s.Path = o.Method, o.Pattern
		}
		successors[p.ID] = s
	}
	return successors
}

func compile(call *Call) (*Plan, error) {
	p := &Plan{Call: call, main: call.Target.Operation(), legacy: map[string]string{}}
	p.result, p.list = call.Target.ResultType()
	if call.Element != "" {
		p.element.open, p.element.close = "<"+call.Element+">", "</"+call.Element+">"
	}
	err := call.Target.check()
	for i := range call.Names {
		err = cmp.Or(err, call.Names[i].check())
	}
	for i := range call.In {
		if row := &call.In[i]; row.Dir != Out {
			in, wrong := p.resolveIn(row)
			if wrong != nil {
				err = cmp.Or(err, fmt.Errorf("row %s → %s: %w", row.Legacy, row.V1, wrong))
			}
			p.in = append(p.in, in)
		}
	}
	p.nameSteps()
	err = cmp.Or(err, p.resolveSort(), p.checkSuccessor())
	if err != nil {
		return nil, err
	}
	p.out, err = resolveOut(p.result, call.Out)
	p.reads = slices.ContainsFunc(p.out, func(row outRow) bool { return row.accessor != nil })
	return p, err
}

// resolveIn resolves the paths of a row of the request, and remembers the legacy names of their places.
func (p *Plan) resolveIn(row *Row) (inRow, error) {
	in := inRow{Row: row}
	switch {
	case row.V1 == "" && row.Loss.Kind == None:
		return in, fmt.Errorf("leads nowhere and declares no loss")
	case row.Convert != nil && row.Convert.ToV1 == nil:
		return in, fmt.Errorf("its converter %q only goes to /rest", row.Convert.Name)
	case row.V1 == "":
		return in, nil
	case p.main == nil:
		return in, fmt.Errorf("has a path, but the call has no operation")
	}
	for _, path := range strings.Fields(row.V1) {
		at, err := p.resolvePath(path)
		if err != nil {
			return in, err
		}
		if row.Beside {
			in.beside = append(in.beside, at)
		}
		in.place = at
		p.nameLegacy(row, strings.Join(at.path, "."))
	}
	if row.Convert == nil && row.Const == "" && in.where == '.' && in.bare {
		return in, fmt.Errorf("needs a converter, which makes sure that it is a number or a boolean")
	}
	return in, nil
}

// resolvePath resolves a path in the input of the operation. Paths of a bulk begin inside the entries of its list.
func (p *Plan) resolvePath(path string) (place, error) {
	if p.Each == "" || strings.ContainsAny(path[:1], "{?@") {
		return resolveInput(p.main.In, path)
	}
	at, err := resolveInput(p.main.In, p.Each+"[]."+path)
	if err == nil {
		at.path = at.path[1:]
	}
	return at, err
}

// nameLegacy remembers the legacy field that errors about a place in /v1 name.
func (p *Plan) nameLegacy(row *Row, name string) {
	known := p.legacy[name]
	switch {
	case row.Unless != "" && known != "": // errors name the field by its usual name
	case row.Legacy != "":
		p.legacy[name] = row.Legacy
		// An error about price names the field of price.amount.
		if outer, _, nested := strings.Cut(name, "."); nested && !row.Beside && p.legacy[outer] == "" {
			p.legacy[outer] = row.Legacy
		}
	case row.When != "" && known != "":
		p.legacy[name] = known + " or " + row.When
	case row.When != "":
		p.legacy[name] = row.When // an error that it is missing means that this field is
	}
}

// resolveOut resolves the rows of an answer in the type of a result.
func resolveOut(result reflect.Type, rows []Row) (out []outRow, err error) {
	for i := range rows {
		if rows[i].Dir == In {
			continue
		}
		row, err := newOutRow(result, &rows[i])
		if err != nil {
			return nil, fmt.Errorf("row %s ← %s: %w", rows[i].Legacy, rows[i].V1, err)
		}
		out = append(out, row)
	}
	return out, nil
}

func newOutRow(result reflect.Type, row *Row) (out outRow, err error) {
	out = outRow{Row: row, open: "<" + row.Legacy + ">", close: "</" + row.Legacy + ">", empty: "<" + row.Legacy + "/>"}
	if text := row.Const + row.Default; text != "" {
		out.empty = out.open + string(AppendText(nil, text)) + out.close
	}
	if row.V1 == "" {
		out.literal = out.empty
	} else if out.accessor, err = resolveResult(result, row.V1); err != nil {
		return out, err
	}
	switch {
	case row.Convert != nil && row.Convert.AppendLegacy == nil:
		return out, fmt.Errorf("its converter %q only goes to /v1", row.Convert.Name)
	case row.Convert == nil && out.accessor != nil && out.form == formList:
		return out, fmt.Errorf("needs a converter, which joins the list")
	}
	if row.Convert != nil && !row.Convert.verbatim {
		out.convert = row.Convert
	}
	if out.accessor != nil {
		out.shorten()
	}
	return out, nil
}

// shorten prepares what is the same for every value of the row.
func (r *outRow) shorten() {
	switch {
	case r.Convert == Boolean && r.form == formBool:
		r.yes, r.no = r.open+"1"+r.close, r.open+"0"+r.close
	case r.Convert == LocalTime && r.form == formTime:
		r.form, r.convert = formLocalTime, nil
	}
	r.plain = r.convert == nil && r.form.isPlain()
}

// NewestFirst returns the value of /v1's parameter sort with which a paged call lists the newest first.
func (p *Plan) NewestFirst() string { return p.sort }

// Reads says whether the call changes nothing.
func (p *Plan) Reads() bool { return p.Method == http.MethodGet }
