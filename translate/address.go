package translate

import (
	"net/url"
	"strings"
)

// This file replaces the {names} in patterns and queries by the values of a request.

// Address returns the path of a sample's request.
func (c *Call) Address(sample *Sample) string { return FillPath(c.Pattern, sample.Path) }

// Asks returns the query of a step that is not the main one, with the values of the given fields.
func (s *Step) Asks(given Fields) string { return FillNames(s.Query, given) }

// FillPath replaces the {parts} of a pattern and escapes their values.
func FillPath(pattern string, parts map[string]string) string {
	for name, text := range parts {
		pattern = strings.ReplaceAll(pattern, "{"+name+"}", url.PathEscape(text))
	}
	return pattern
}

// FillNames replaces the {names} of fields that the request has, and escapes their values.
func FillNames(text string, given Fields) string {
	for _, field := range given {
		if field.Text != "" {
			text = strings.ReplaceAll(text, "{"+field.Name+"}", url.QueryEscape(field.Text))
		}
	}
	return text
}

// nameSteps remembers the fields that the steps before the main one use in their query, so that an error about item_id names
// id_item.
func (p *Plan) nameSteps() {
	for i := range p.Target.Steps {
		for pair := range strings.SplitSeq(p.Target.Steps[i].Query, "&") {
			name, field, _ := strings.Cut(pair, "=")
			if field = strings.Trim(field, "{}"); name != "" && strings.Contains(p.Pattern, "{"+field+"}") {
				p.legacy[name] = field
			}
		}
	}
}
