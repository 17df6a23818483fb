package paste

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
)

// This file has what the expressions of programs are: texts, lists and maps, how they become the fields of a form, and what is doubtful
// of them.

// value is what an expression is: a text, a list or a map.
type value struct {
	text   string
	list   []*value
	pairs  []pair
	isList bool
	isMap  bool
	isJSON bool   // a text in JSON was made of it
	isForm bool   // it was encoded as a form
	doubt  string // what changed it and is not understood here, "" if nothing did
	branch bool   // it was set under a condition

	request *pasted // which it is
	open    bool    // the request is not sent yet
}

// like takes over what is doubtful of other values.
func (v *value) like(others ...*value) *value {
	for _, other := range others {
		v.doubt, v.branch = cmp.Or(v.doubt, other.doubt), v.branch || other.branch
	}
	return v
}

type pair struct {
	name  string
	value *value
}

// member returns a member of a map by its name, whatever its case, nil when there is none.
func (v *value) member(names ...string) *value {
	for _, name := range names {
		for i := range v.pairs {
			if strings.EqualFold(v.pairs[i].name, name) {
				return v.pairs[i].value
			}
		}
	}
	return nil
}

// asJSON is a copy of a value, as JSON.
func (v *value) asJSON() *value {
	copied := *v
	copied.isJSON = true
	return &copied
}

func (v *value) add(name string, member *value) {
	v.isMap, v.isList = true, false
	v.pairs = append(v.pairs, pair{name, member})
}

// fieldOf adds the field that a call of append or set has.
func (v *value) fieldOf(args *value) {
	switch v.like(args); {
	case len(args.list) > 1:
		v.add(args.list[0].text, args.list[1])
	case v.isList && len(args.list) == 1:
		v.list = append(v.list, args.list[0])
	default:
		v.doubt = "a field that is added"
	}
}

// form returns the fields of a value, encoded, under a name if it is a part of a map.
func (s *script) form(name string, v *value, depth int) (form []string) {
	if depth > maxDepth/4 {
		s.keep(s.notUnderstood("what is nested so deeply"))
	}
	if s.err != nil || !s.spend(1+len(name)+len(v.text)) {
		return nil
	}
	switch {
	case v.isMap:
		for _, member := range v.pairs {
			inner := member.name
			if name != "" {
				inner = name + "[" + inner + "]"
			}
			form = append(form, s.form(inner, member.value, depth+1)...)
		}
	case v.isList:
		for i, entry := range v.list {
			if len(entry.list) == 2 && name == "" { // a field as a list of two
				form = append(form, s.form(entry.list[0].text, entry.list[1], depth+1)...)
			} else {
				form = append(form, s.form(strings.TrimSuffix(name, "[]")+"["+strconv.Itoa(i)+"]", entry, depth+1)...)
			}
		}
	case name != "":
		form = append(form, url.QueryEscape(name)+"="+url.QueryEscape(v.text))
	case v.text != "":
		form = append(form, v.text)
	}
	return form
}

// escapedText is a text as a part of an address.
func escapedText(v *value) *value { return (&value{text: url.QueryEscape(v.text)}).like(v) }
