package translate

import (
	"strings"

	"sellerd/v1"
)

// ErrorRow is the legacy text of an error of /v1.
type ErrorRow struct {
	Code   v1.Code
	Detail [2]string // the row applies only to errors with this detail: name, value
	Field  string    // the row applies only to errors about this /v1 field
	Text   string
}

// ErrorRows are the texts that old programs know. The first row that matches an error applies. Other errors have /v1's message
// after the legacy name of the field.
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

// ErrorText returns the text of an error on /rest: a text that old programs know, or /v1's message after the legacy name of its
// field.
func (p *Plan) ErrorText(e *v1.Error) string {
	if p != nil && p.Target.Kind == Absent && e.Field == p.Match.Field {
		return e.Message // the reason why the call is gone
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

// LegacyField returns the legacy name of the field of a /v1 error: images[2].url came from images[2]. A name that is no /v1
// field stays as it is.
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

// NameUnread names the part of the path that an error is about, when the part is not valid. The error itself only says that the
// thing does not exist, because for /rest an id that is not a number matches nothing.
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

// AppendError appends the inside of body for a refusal: status, errorMsg, errorCode, and the operation that replaces the call,
// if there is exactly one. p is nil when no call was found.
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
