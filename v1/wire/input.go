package wire

import (
	"encoding"
	"errors"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sellerd/v1/refusal"
)

// An operation's input is a struct whose tags say where each field comes from:
//
//	path:"id" missing:"item_not_found"   a part of the path; what does not read as an id is answered as missing
//	query:"status" enum:"open sold"      a query parameter; slices take repeated and comma-joined values
//	body:"json"                          the body
//
// The same tags describe the operation in the reference.

// Input is how one input type is filled.
type Input struct {
	Path         []PathField
	query        []QueryField
	ByName       map[string]int
	Body         int // index of the body's field, -1 for none
	BodyRequired bool
}

// PathField is a field that comes from a part of the path. A part that is not a value of its type is answered with Missing.
type PathField struct {
	index   int
	name    string
	Missing refusal.Code
}

// QueryField is a field that comes from a query parameter.
type QueryField struct {
	index    int
	name     string
	list     bool // it takes several values
	enum     []string
	min, max int64 // of numbers, when max > 0
}

// MaxListValues bounds the values of one list parameter.
const MaxListValues = 100

var inputPlans sync.Map // reflect.Type → *Input

// InputOf is the plan of an input type, made once.
func InputOf(t reflect.Type) *Input {
	if p, ok := inputPlans.Load(t); ok {
		return p.(*Input)
	}
	p := &Input{ByName: map[string]int{}, Body: -1}
	for i := range t.NumField() {
		field := t.Field(i)
		if name := field.Tag.Get("path"); name != "" {
			p.Path = append(p.Path, PathField{i, name, refusal.Code(field.Tag.Get("missing"))})
		}
		if name := field.Tag.Get("query"); name != "" {
			q := QueryField{index: i, name: name, list: field.Type.Kind() == reflect.Slice, enum: strings.Fields(field.Tag.Get("enum"))}
			q.min, _ = strconv.ParseInt(field.Tag.Get("min"), 10, 64)
			q.max, _ = strconv.ParseInt(field.Tag.Get("max"), 10, 64)
			p.ByName[name] = len(p.query)
			p.query = append(p.query, q)
		}
		if body := field.Tag.Get("body"); body != "" {
			p.Body, p.BodyRequired = i, body != "optional"
		}
	}
	actual, _ := inputPlans.LoadOrStore(t, p)
	return actual.(*Input)
}

// BindPath fills the path's fields with the values by their names.
func BindPath(in any, value func(name string) string) error {
	v := reflect.ValueOf(in).Elem()
	for _, f := range InputOf(v.Type()).Path {
		text := value(f.name)
		if err := v.Field(f.index).Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)); err != nil {
			return refusal.New(f.Missing)
		}
	}
	return nil
}

// BindRest fills the fields of the query and the body.
func BindRest(in any, query string, body []byte, problems *refusal.Problems) error {
	if err := BindQuery(query, in, problems); err != nil {
		return err
	}
	return bindBody(body, in, problems)
}

// BindQuery fills the query's fields and collects their problems.
func BindQuery(raw string, in any, problems *refusal.Problems) error {
	if raw == "" {
		return nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return refusal.Newf(refusal.InvalidParameter, "", "The query string is not well-formed.")
	}
	v := reflect.ValueOf(in).Elem()
	plan := InputOf(v.Type())
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i, known := plan.ByName[name]
		if !known {
			problems.Add(refusal.UnknownParameter, Printable(name), "is not a parameter of this operation%s", plan.withoutBrackets(name))
			continue
		}
		bindParameter(v.Field(plan.query[i].index), name, values[name], problems)
	}
	return nil
}

// withoutBrackets says how a parameter is written whose name was sent with brackets, as PHP and jQuery write lists: status[0].
func (p *Input) withoutBrackets(name string) string {
	plain, _, bracketed := strings.Cut(name, "[")
	i, known := p.ByName[plain]
	switch {
	case !bracketed || !known:
		return ""
	case p.query[i].list:
		return "; write " + plain + "= without brackets, with a comma between several values"
	}
	return "; write " + plain + "= without brackets"
}

func bindParameter(v reflect.Value, name string, values []string, problems *refusal.Problems) {
	if v.Kind() == reflect.Slice {
		for _, value := range values {
			for part := range strings.SplitSeq(value, ",") {
				if v.Len() >= MaxListValues {
					problems.Add(refusal.InvalidParameter, name, "takes at most %d values", MaxListValues)
					return
				}
				element := reflect.New(v.Type().Elem()).Elem()
				if !bindText(element, name, part, problems) {
					return
				}
				v.Set(reflect.Append(v, element))
			}
		}
		return
	}
	if len(values) > 1 {
		problems.Add(refusal.InvalidParameter, name, "must be given once")
		return
	}
	bindText(v, name, values[0], problems)
}

// cursorParameter is the parameter of every list that goes on at a cursor.
const cursorParameter = "after"

// bindText reads one value of a parameter.
func bindText(v reflect.Value, name, text string, problems *refusal.Problems) bool {
	refuse := func(message string) bool {
		problems.Add(refusal.InvalidParameter, name, "%s", message)
		return false
	}
	if _, ok := v.Interface().(optional); ok {
		v.Field(1).SetBool(true)
		return bindText(v.Field(0), name, text, problems)
	}
	if text == "" {
		return refuse("must not be empty")
	}
	if strings.IndexByte(text, 0) >= 0 || strings.ToValidUTF8(text, "") != text {
		if name == cursorParameter {
			problems.Add(refusal.InvalidCursor, name, "%s", refusal.DamagedCursor)
			return false
		}
		return refuse("must be valid text")
	}
	if reader, ok := v.Addr().Interface().(interface{ UnmarshalQuery([]byte) error }); ok {
		if err := reader.UnmarshalQuery([]byte(text)); err != nil {
			return refuse(err.Error())
		}
		return true
	}
	if reader, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := reader.UnmarshalText([]byte(text)); err != nil {
			return refuse(err.Error())
		}
		return true
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return refuse("must be true or false")
		}
		v.SetBool(text == "true")
	case reflect.Int:
		n, err := strconv.ParseInt(text, 10, 32)
		if errors.Is(err, strconv.ErrRange) && n > 0 {
			return refuse("is too large a number")
		}
		if err != nil || strconv.FormatInt(n, 10) != text {
			return refuse("must be a whole number")
		}
		v.SetInt(n)
	default:
		panic("parameter " + name + " has a type that cannot be read")
	}
	return true
}

// CheckParameters checks enumerations and ranges of the query's fields, for every stack.
func CheckParameters(in any, problems *refusal.Problems) {
	v := reflect.ValueOf(in).Elem()
	plan := InputOf(v.Type())
	for i := range plan.query {
		f := &plan.query[i]
		if len(f.enum) == 0 && f.max == 0 {
			continue
		}
		value := v.Field(f.index)
		if _, ok := value.Interface().(optional); ok {
			if !value.Field(1).Bool() {
				continue
			}
			value = value.Field(0)
		}
		switch {
		case len(f.enum) > 0 && value.Kind() == reflect.String:
			f.checkEnum(value.String(), problems)
		case len(f.enum) > 0 && value.Kind() == reflect.Slice:
			for j := range value.Len() {
				f.checkEnum(value.Index(j).String(), problems)
			}
		case f.max > 0 && (value.Int() < f.min || value.Int() > f.max):
			problems.Add(refusal.InvalidParameter, f.name, "must be between %d and %d", f.min, f.max)
		}
	}
}

func (f *QueryField) checkEnum(value string, problems *refusal.Problems) {
	if value != "" && !slices.Contains(f.enum, value) {
		problems.Add(refusal.InvalidParameter, f.name, "must be one of: %s", strings.Join(f.enum, ", "))
	}
}

// bindBody fills the body's field. An absent body is an empty object where the body is optional.
func bindBody(body []byte, in any, problems *refusal.Problems) error {
	v := reflect.ValueOf(in).Elem()
	plan := InputOf(v.Type())
	switch {
	case plan.Body < 0 && len(body) > 0:
		var nothing struct{}
		return BindInto(body, &nothing, problems)
	case plan.Body < 0, len(body) == 0 && !plan.BodyRequired:
		return nil
	case len(body) == 0:
		return refusal.Newf(refusal.MalformedJSON, "", "The body is empty.")
	}
	if err := BindInto(body, v.Field(plan.Body).Addr().Interface(), problems); err != nil {
		return err
	}
	if problems.Has("") { // the body is not an object, so its missing members are not reported
		return problems.Err()
	}
	return nil
}
