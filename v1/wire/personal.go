package wire

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// This file takes personal data out of answers. What is personal stands in the types: a member with the tag personal:"true", which
// can be null. So whatever shows such a type hides it, in lists and in stored JSON, too.

// HidePersonal sets the personal members of what v points to, and of all that it holds, to null. It says whether the type has any. An
// error means that stored JSON cannot be read; then v must not be shown.
func HidePersonal(v any) (has bool, err error) {
	value := reflect.ValueOf(v).Elem()
	p := PlanOf(value.Type())
	if !p.personal {
		return false, nil
	}
	return true, p.hide(value)
}

// WithoutPersonal is the JSON of what v points to, with null for each personal member.
func WithoutPersonal(v any) (string, error) {
	text, p := string(EncodeJSON(nil, v)), PlanOf(reflect.TypeOf(v).Elem())
	if !p.personal {
		return text, nil
	}
	return p.hideText(text)
}

// holdsPersonal says whether the type has personal members, or holds a type that has.
func (p *Plan) holdsPersonal() bool {
	switch p.Form {
	case FormRaw:
		return p.held().personal
	case FormOpt, FormSlice:
		return p.Elem.personal
	}
	for i := range p.Fields {
		if p.Fields[i].personal || p.Fields[i].Plan.personal {
			return true
		}
	}
	return false
}

// held is the plan of what the text of a RawText is the JSON of.
func (p *Plan) held() *Plan { return PlanOf(reflect.New(p.Type).Interface().(RawText).Holds()) }

// hide hides what a value holds. The type has personal members.
func (p *Plan) hide(v reflect.Value) error {
	switch p.Form {
	case FormRaw:
		raw := v.Addr().Interface().(RawText)
		text, err := p.held().hideText(raw.jsonText())
		raw.SetJSONText(text)
		return err
	case FormOpt:
		return p.Elem.hide(v.Field(0))
	case FormSlice:
		for i := range v.Len() {
			if err := p.Elem.hide(v.Index(i)); err != nil {
				return err
			}
		}
	}
	for i := range p.Fields {
		switch f := &p.Fields[i]; {
		case f.personal:
			f.Of(v).SetZero()
		case f.Plan.personal:
			if err := f.Plan.hide(f.Of(v)); err != nil {
				return err
			}
		}
	}
	return nil
}

// hideText writes the JSON of a value of the type with null for each personal member, and leaves every other byte as it was. A member
// beside personal ones that this version does not know is hidden, too: a later version has stored it.
func (p *Plan) hideText(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	h := hider{text: text, dec: jsontext.NewDecoder(strings.NewReader(text))}
	if err := h.value(p); err != nil {
		return "", fmt.Errorf("hide personal data in stored JSON: %w", err)
	}
	return h.out.String() + text[h.copied:], nil
}

// hider copies a JSON text without what is hidden.
type hider struct {
	text   string
	copied int // up to here
	out    strings.Builder
	dec    *jsontext.Decoder
}

// value reads the next value, which is of a type.
func (h *hider) value(p *Plan) error {
	for p.Form == FormOpt || p.Form == FormRaw {
		if p.Form == FormOpt {
			p = p.Elem
		} else {
			p = p.held()
		}
	}
	switch kind := h.dec.PeekKind(); {
	case !p.personal || kind == 'n':
		return h.dec.SkipValue()
	case kind == '{' && p.Form == FormStruct:
		return h.parts('}', func() error { return h.member(p) })
	case kind == '[' && p.Form == FormSlice:
		return h.parts(']', func() error { return h.value(p.Elem) })
	default:
		return fmt.Errorf("a %s in the place of a %s", kind, p.Type)
	}
}

// parts reads an object or a list part by part.
func (h *hider) parts(end jsontext.Kind, part func() error) error {
	_, err := h.dec.ReadToken()
	for err == nil && h.dec.PeekKind() != end {
		err = part()
	}
	if err == nil {
		_, err = h.dec.ReadToken()
	}
	return err
}

// member reads a member of an object.
func (h *hider) member(p *Plan) error {
	name, err := h.dec.ReadToken()
	if err != nil {
		return err
	}
	switch i, known := p.byName[name.String()]; {
	case known && !p.Fields[i].personal:
		return h.value(p.Fields[i].Plan)
	case !known && !p.hides:
		return h.dec.SkipValue()
	}
	value, err := h.dec.ReadValue()
	if err != nil {
		return err
	}
	end := int(h.dec.InputOffset())
	h.out.WriteString(h.text[h.copied:end-len(value)] + "null")
	h.copied = end
	return nil
}
