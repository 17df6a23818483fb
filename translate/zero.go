package translate

import (
	"slices"
	"strings"

	"sellerd/internal/base/pattern"
)

// zero matches what programs send for an optional number or date that they do not have. PHP's http_build_query writes false as
// 0, and a database of that time has 0000-00-00 for no date.
var zero = pattern.Late(`^(?i:0+([.,]0*)?|[.,]0+|0000-00-00([ T]00:00(:00)?)?|false|null)$`)

// IsZero says whether a text says that there is no value.
func IsZero(text string) bool { return zero().MatchString(text) }

// ZeroWords says what a zero means, for the guide. It is empty when a zero is a value, or when the row says what it means.
func (r *Row) ZeroWords() string {
	switch {
	case r.Zero == "" || r.Caution.Of != nil || strings.HasPrefix(r.Doc, "0 "):
		return ""
	case r.Zero == Always:
		return "0 counts as not sent"
	default:
		return "0 counts as not sent when " + r.Zero + " is given"
	}
}

// sent returns the fields without those whose zero says that they were not sent (see Row.Zero).
func (p *Plan) sent(given Fields) Fields {
	absent := func(field Field) bool {
		return field.Parts == nil && IsZero(field.Text) && slices.ContainsFunc(p.in, func(row inRow) bool {
			return row.Legacy == field.Name && (row.Zero == Always || row.Zero != "" && len(given.list(row.Zero)) > 0)
		})
	}
	if !slices.ContainsFunc(given, absent) {
		return given
	}
	return slices.DeleteFunc(slices.Clone(given), absent)
}
