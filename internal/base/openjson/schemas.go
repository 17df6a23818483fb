package openjson

import (
	"math"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// This file walks the JSON Schemas of documents, and adds the limits that follow from other parts.

// EachSchema copies a document, or a part of one. change gets every schema in it, inner ones first, and returns its
// replacement. References and examples stay.
func EachSchema(part Object, change func(schema Object) Object) Object {
	return each(part, change).(Object)
}

func each(value any, change func(Object) Object) any {
	switch v := value.(type) {
	case Object:
		out := make(Object, len(v))
		for i, m := range v {
			switch m.Name {
			case "schema":
				m.Value = inSchema(m.Value, change)
			case "schemas":
				m.Value = inMembers(m.Value, change)
			case "examples", "example":
			default:
				m.Value = each(m.Value, change)
			}
			out[i] = m
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = each(element, change)
		}
		return out
	}
	return value
}

// inSchema is each for a schema, and what is none: false, where additional members are refused.
func inSchema(value any, change func(Object) Object) any {
	schema, ok := value.(Object)
	if !ok || schema.Get("$ref") != nil {
		return value
	}
	out := make(Object, len(schema))
	for i, m := range schema {
		switch m.Name {
		case "properties":
			m.Value = inMembers(m.Value, change)
		case "items", "additionalProperties":
			m.Value = inSchema(m.Value, change)
		case "oneOf", "anyOf", "allOf":
			choices := slices.Clone(m.Value.([]any))
			for j := range choices {
				choices[j] = inSchema(choices[j], change)
			}
			m.Value = choices
		}
		out[i] = m
	}
	return change(out)
}

// inMembers is each for schemas by their names.
func inMembers(value any, change func(Object) Object) any {
	schemas := slices.Clone(value.(Object))
	for i := range schemas {
		schemas[i].Value = inSchema(schemas[i].Value, change)
	}
	return schemas
}

// LimitTexts gives every text of a schema without a maximum length one: that of its pattern, or else most, the size of the
// body or head that it is sent in.
func LimitTexts(schema Object, most int) Object {
	return inSchema(schema, func(s Object) Object {
		if !isOf(s, "string") || s.Get("maxLength") != nil || s.Get("enum") != nil || s.Get("const") != nil {
			return s
		}
		limit := most
		if pattern, ok := s.Get("pattern").(string); ok {
			if longest, bounded := LongestMatch(pattern); bounded {
				limit = longest
			}
		}
		s.Set("maxLength", limit)
		return s
	}).(Object)
}

// FormatIntegers adds the format of the whole numbers of a document: int32 where the schema's bounds allow it, int64
// elsewhere.
func FormatIntegers(document Object) Object {
	return EachSchema(document, func(s Object) Object {
		if !isOf(s, "integer") || s.Get("format") != nil {
			return s
		}
		s.Set("format", "int64")
		if values := extremes(s); len(values) > 0 && slices.Min(values) >= math.MinInt32 && slices.Max(values) <= math.MaxInt32 {
			s.Set("format", "int32")
		}
		return s
	})
}

// extremes are numbers between which the schema keeps all others, none where there is no such bound.
func extremes(schema Object) (values []int) {
	if n, ok := schema.Get("const").(int); ok {
		return []int{n}
	}
	if listed, ok := schema.Get("enum").([]any); ok {
		for _, n := range listed {
			values = append(values, n.(int))
		}
		return values
	}
	least, bounded := schema.Get("minimum").(int)
	if most, ok := schema.Get("maximum").(int); ok && bounded {
		return []int{least, most}
	}
	return nil
}

// isOf says whether a schema lets through values of a type, alone or beside null.
func isOf(schema Object, name string) bool {
	types, ok := schema.Get("type").([]any)
	return ok && slices.Contains(types, any(name)) || schema.Get("type") == name
}

// LongestMatch is how many characters a text has at most that matches an anchored pattern. bounded is false when it may
// have any number, or when the pattern cannot be read.
func LongestMatch(pattern string) (characters int, bounded bool) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, false
	}
	parsed = parsed.Simplify()
	if parsed.Op != syntax.OpConcat || parsed.Sub[0].Op != syntax.OpBeginText || parsed.Sub[len(parsed.Sub)-1].Op != syntax.OpEndText {
		return 0, false
	}
	return longest(parsed)
}

func longest(r *syntax.Regexp) (characters int, bounded bool) {
	switch r.Op {
	case syntax.OpLiteral:
		return utf8.RuneCountInString(string(r.Rune)), true
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, true
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return 0, true
	case syntax.OpCapture, syntax.OpQuest:
		return longest(r.Sub[0])
	case syntax.OpConcat, syntax.OpAlternate:
		for _, sub := range r.Sub {
			n, ok := longest(sub)
			switch {
			case !ok:
				return 0, false
			case r.Op == syntax.OpConcat:
				characters += n
			default:
				characters = max(characters, n)
			}
		}
		return characters, true
	default: // repetitions without end
		return 0, false
	}
}
