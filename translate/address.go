package translate

import (
	"net/url"
	"strings"
)

// This file fills the {names} in patterns and queries with what a request gives.

// Address is the path of a request with the parts that a sample gives.
func (c *Call) Address(sample *Sample) string { return FillPath(c.Pattern, sample.Path) }

// Asks is the query of a step that is not the main one, with the fields that were given.
func (s *Step) Asks(given Fields) string { return FillNames(s.Query, given) }

// FillPath is a pattern with its {parts} filled in.
func FillPath(pattern string, parts map[string]string) string {
	for name, text := range parts {
		pattern = strings.ReplaceAll(pattern, "{"+name+"}", url.PathEscape(text))
	}
	return pattern
}

// FillNames replaces the {names} of fields that were given.
func FillNames(text string, given Fields) string {
	for _, field := range given {
		if field.Text != "" {
			text = strings.ReplaceAll(text, "{"+field.Name+"}", url.QueryEscape(field.Text))
		}
	}
	return text
}

// nameSteps notes the fields that steps before the main one ask by: an error about item_id is about id_item.
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
