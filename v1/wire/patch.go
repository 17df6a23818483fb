package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Patch is a JSON Merge Patch (RFC 7396) for a T: the members it names, and their new values. Absent members keep
// what is there, null clears, objects merge, arrays replace.
type Patch[T any] struct {
	To     T
	Fields []string // dotted paths of the members named, in the order of the body
}

func (p *Patch[T]) named() *[]string { return &p.Fields }

type patch interface{ named() *[]string }

// Names says whether the patch names a member or something inside it.
func (p *Patch[T]) Names(member string) bool {
	return slices.ContainsFunc(p.Fields, func(path string) bool {
		return path == member || strings.HasPrefix(path, member+".")
	})
}

// Apply merges the patch into a value.
func (p *Patch[T]) Apply(into *T) {
	plan := PlanOf(reflect.TypeFor[T]())
	from, to := reflect.ValueOf(&p.To).Elem(), reflect.ValueOf(into).Elem()
	for _, path := range p.Fields {
		plan.lookup(to, path).Set(plan.lookup(from, path))
	}
}

// lookup finds the value at a dotted path, and creates missing optional objects on the way.
func (p *Plan) lookup(v reflect.Value, path string) reflect.Value {
	name, rest, deeper := strings.Cut(path, ".")
	i, ok := p.byName[name]
	if !ok {
		panic(fmt.Sprintf("%s has no member %q", p.Type, name))
	}
	f := &p.Fields[i]
	value := f.Of(v)
	if !deeper {
		return value
	}
	inner := f.Plan
	if inner.Form == FormOpt {
		value.Field(1).SetBool(true)
		value, inner = value.Field(0), inner.Elem
	}
	return inner.lookup(value, rest)
}
