package translate

import (
	"strings"

	"sellerd/v1"
)

// ErrorRow is what the legacy interface calls a refusal.
type ErrorRow struct {
	Code   v1.Code
	Detail [2]string // holds only for errors with this detail: name, value
	Field  string    // holds only for errors about this /v1 field
	Text   string
}

// ErrorRows are the texts that old programs know. Every other code has /v1's own message, with the legacy name of the
// field before it. The first row that fits counts.
var ErrorRows = []ErrorRow{
	{Code: v1.ItemNotFound, Text: "You are not the owner of this item!"},
	{Code: v1.ItemHasBids, Text: "There is already a bid on this item!"},
	{Code: v1.ItemPartiallySold, Text: "This item is already sold!"},
	{Code: v1.ItemNotOpen, Detail: [2]string{"status", v1.ItemSold}, Text: "This item is already sold!"},
	{Code: v1.ItemNotEditable, Detail: [2]string{"status", v1.ItemSold}, Text: "This item is already sold!"},
	{Code: v1.ItemNotRestartable, Detail: [2]string{"status", v1.ItemSold}, Text: "This item is already sold!"},
	{Code: v1.UnknownEvent, Text: "The asked destination type is not valid!"},
	{Code: v1.InvalidValue, Field: "notificationType", Text: "The asked destination type is not valid!"},
	{Code: v1.InvalidWebhookURL, Text: "The asked destination seems to be invalid!"},
}

// ErrorText is what /rest says of an error: the text that old programs know, or /v1's message behind the legacy name of
// the field it is about.
func (p *Plan) ErrorText(e *v1.Error) string {
	if p != nil && p.Target.Kind == Absent && e.Field == p.Match.Field {
		return e.Message // why there is no such call any more
	}
	for i := range ErrorRows {
		if row := &ErrorRows[i]; row.fits(e) {
			return row.Text
		}
	}
	field := p.LegacyField(e.Field)
	if field == "" {
		return e.Message
	}
	return field + ": " + e.Message
}

func (r *ErrorRow) fits(e *v1.Error) bool {
	if r.Code != e.Code || r.Field != "" && r.Field != e.Field {
		return false
	}
	value, _ := e.Details[r.Detail[0]].(string)
	return r.Detail[0] == "" || value == r.Detail[1]
}

// LegacyField is the legacy name of the field that an error of /v1 is about: images[2].url came from images[2]. A
// name that is no /v1 field stays as it is.
func (p *Plan) LegacyField(field string) string {
	if p == nil || field == "" {
		return field
	}
	if rest, ok := strings.CutPrefix(field, p.Each+"["); ok && p.Each != "" {
		if index, rest, ok := strings.Cut(rest, "]."); ok {
			name, brackets, indexed := strings.Cut(p.LegacyField(rest), "[")
			if name = within(within(p.Each, index), name); indexed {
				name += "[" + brackets
			}
			return name
		}
	}
	name, index, indexed := strings.Cut(field, "[")
	if legacy, ok := p.legacy[name]; ok {
		if number, _, ok := strings.Cut(index, "]"); indexed && ok {
			return legacy + "[" + number + "]"
		}
		return legacy
	}
	if outer, _, nested := strings.Cut(field, "."); nested {
		if legacy, ok := p.legacy[outer]; ok {
			return legacy
		}
	}
	return field
}

// NameUnread says of which part of the path an error is that only says that there is no such thing: /rest does not know
// a number that is none.
func (p *Plan) NameUnread(e *v1.Error, given Fields) {
	for i := range p.in {
		row := &p.in[i]
		if e.Field != "" || row.where != '{' || row.missing != e.Code || row.Convert == nil {
			continue
		}
		if _, err := row.Convert.ToV1(given.Text(row.Legacy)); err != nil {
			e.Field, e.Message = row.Legacy, err.Error()
		}
	}
}

// AppendError writes what stands inside body for a refusal: status, errorMsg, errorCode, and the operation that took
// the call's place, if there is one. p is nil where there is no call.
func (p *Plan) AppendError(b []byte, errs v1.Errors) []byte {
	b = p.appendRefusal(b, errs)
	if p != nil && len(p.Target.Steps) == 1 {
		b = append(b, "<replacement>"...)
		b = AppendText(b, p.main.Method+" "+p.main.Pattern)
		b = append(b, "</replacement>"...)
	}
	return b
}

func (p *Plan) appendRefusal(b []byte, errs v1.Errors) []byte {
	b = append(b, "<status>false</status><errorMsg>"...)
	for i := range errs {
		if i > 0 {
			b = append(b, "; "...)
		}
		b = AppendText(b, p.ErrorText(&errs[i]))
	}
	b = append(b, "</errorMsg><errorCode>"...)
	if len(errs) > 0 {
		b = AppendText(b, string(errs[0].Code))
	}
	return append(b, "</errorCode>"...)
}
