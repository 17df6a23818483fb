package translate

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// This file replaces the {names} in patterns and queries by the values of a request.

// Address returns the path of a sample's request.
func (c *Call) Address(sample *Sample) string { return FillPath(c.Pattern, sample.Path) }

// Asks returns the query of a step that is not the main one, with the values of the given fields.
func (s *Step) Asks(given Fields) string { return FillNames(s.Query, given) }

// PathParts returns the names of the {parts} of a pattern.
func PathParts(pattern string) (names []string) {
	for part := range strings.SplitSeq(pattern, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

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

// SuccessorAt returns the path of the resource of /v1 that a request reads. ok is false when the call or the request has none.
func (p *Plan) SuccessorAt(path map[string]string) (address string, ok bool) {
	if !p.Successor {
		return "", false
	}
	address = p.main.Pattern
	for i := range p.in {
		if row := &p.in[i]; row.where == '{' {
			text, err := row.Convert.ToV1(path[row.Legacy])
			if err != nil {
				return "", false
			}
			address = strings.Replace(address, row.V1, text, 1)
		}
	}
	return address, true
}

// checkSuccessor rejects a call whose successor has parts of its path that no row has.
func (p *Plan) checkSuccessor() error {
	if !p.Successor || p.main == nil {
		return nil
	}
	for _, name := range PathParts(p.main.Pattern) {
		if !slices.ContainsFunc(p.in, func(row inRow) bool { return row.V1 == "{"+name+"}" && row.Convert != nil }) {
			return fmt.Errorf("no row leads to {%s}, so its successor has no address", name)
		}
	}
	return nil
}
