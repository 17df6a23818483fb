package guide

import (
	"fmt"
	"reflect"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/translate/openapi"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// This file describes in each row how a value is written on both sides.

// conversions returns the kinds of values without enumerations.
func conversions() (all []Conversion) {
	for _, c := range translate.Converters {
		if c.Pairs != nil {
			continue
		}
		legacy, word := "`"+c.Example[0]+"`", "`"+c.Example[1]+"`"
		if strings.Contains(c.Example[1], translate.ListSeparator) {
			word = "`[\"" + strings.ReplaceAll(c.Example[1], translate.ListSeparator, "\", \"") + "\"]`"
		}
		all = append(all, Conversion{c.Anchor, c.Name, marked(c.Doc), legacy, word})
	}
	return all
}

// written describes how a row's value is written in /v1: by its converter, or by the JSON type of the member.
func written(row *translate.Row, schema string) string {
	switch c := row.Convert; {
	case c != nil && c.Pairs != nil:
		return fmt.Sprintf("[one of these](#%s): `%s` → `%s`", c.Anchor, c.Pairs[0][0], c.Pairs[0][1])
	case c != nil:
		return fmt.Sprintf("[%s](#%s)", c.Becomes, c.Anchor)
	case row.V1 == "" || row.Const != "":
		return ""
	case schema == "number" || schema == "integer":
		return "number"
	default:
		return "the same text"
	}
}

// ofRequests corrects the description of ids in the path or the query, where they are no JSON strings.
func ofRequests(row *translate.Row, value string) string {
	if row.Convert == translate.Identifier && strings.ContainsAny(row.V1[:1], "{?") {
		return strings.Replace(value, ", as a string", "", 1)
	}
	return value
}

// typeOfResult returns the JSON type of the member that an element comes from, "" when it is not known.
func typeOfResult(result reflect.Type, path string) string {
	schema, _ := v1openapi.ResultSchema(result, path)
	name, _ := schema.Get("type").(string)
	return name
}

// valueTables returns the enumerations of rows that no earlier section shows.
func valueTables(rows []translate.Row, seen map[*translate.Converter]string, id string) (tables []ValueTable) {
	for i := range rows {
		c := rows[i].Convert
		if c == nil || c.Pairs == nil || seen[c] != "" {
			continue
		}
		seen[c] = id
		table := ValueTable{ID: c.Anchor, Name: c.Name, About: marked(c.Doc)}
		for _, pair := range c.Pairs {
			table.Pairs = append(table.Pairs, Value{pair[0], pair[1]})
		}
		tables = append(tables, table)
	}
	return tables
}

// requestRow describes a field of a request.
func requestRow(call *translate.Call, row *translate.Row) Field {
	f := Field{
		Legacy: row.Legacy, V1: row.V1, Required: row.Required || row.Legacy != "" && openapi.Required(call, row), Value: ofRequests(row, written(row, "")),
		Loss: string(row.Loss.Kind),
	}
	if row.Legacy == "images" {
		f.Legacy, f.Value = row.FormName(), "list: `[\"https://…/1.jpg\", \"https://…/2.jpg\"]`"
	}
	if row.Legacy != "" && row.V1 != "" && !row.Beside && !row.Required {
		f.Default = openapi.Default(call, row)
	}
	if row.Default != "" {
		f.Default = row.Default
	}
	var first []string
	switch {
	case row.When != "":
		first = append(first, fmt.Sprintf("`%s` when `%s` is given", row.Const, row.When))
	case row.Const != "":
		first = append(first, "always `"+row.Const+"`")
	}
	f.Words = rowWords(first, row)
	return f
}

// rowWords joins a row's texts: what comes first, its description, and why it loses something. Names are code spans.
func rowWords(first []string, row *translate.Row) string {
	for _, text := range []string{row.Doc, row.ZeroWords(), row.Loss.Why, row.Caution.Why} {
		if text != "" {
			first = append(first, marked(text))
		}
	}
	return strings.ReplaceAll(strings.Join(first, ". "), ".. ", ". ")
}

// answerRow describes an element of an answer.
func answerRow(call *translate.Call, row *translate.Row, result reflect.Type) Field {
	f := Field{Legacy: row.Legacy, Loss: string(row.Loss.Kind)}
	var from *v1.Operation
	if f.V1, f.Of, from = memberOf(call, row.V1); f.V1 != "" {
		if from != nil {
			f.Path = objectOf(from).Name + "." + f.V1
		}
		f.Also = alsoAt(call, row)
		f.Value = written(row, typeOfResult(result, row.V1))
	}
	var first []string
	if row.V1 == "" && row.Const != "" {
		first = append(first, "always `"+row.Const+"`")
	}
	f.Words = rowWords(first, row)
	return f
}

// pathRow describes a part of the path without a row: the number in the query of the first step, or the kind of sale.
func pathRow(call *translate.Call, name string) Field {
	f := Field{Legacy: name, Required: true}
	for i := range call.Target.Steps {
		step := &call.Target.Steps[i]
		for pair := range strings.SplitSeq(step.Query, "&") {
			if parameter, value, _ := strings.Cut(pair, "="); value == "{"+name+"}" {
				f.V1, f.Value = "?"+parameter, "the same digits"
				f.Words = "in the first request"
			}
		}
	}
	if name == translate.SettingField {
		f.Words = "the number that the list of settings shows; in `/v1` the webhook, by `data.results[].id` of the first request"
	}
	if name == "sale_type" {
		f.Words = "`auction` or `fixedprice`"
	}
	return f
}

// pagingRows describes the fields of a window.
func pagingRows(p *translate.Plan) []Field {
	ascending := strings.TrimSuffix(p.NewestFirst(), "_desc") + "_asc"
	return []Field{
		{Legacy: "startingItem", V1: "?after", Default: "0", Loss: string(translate.Narrowed), Words: "`/v1` knows no positions: begin without `after`, then " +
			"pass the `next_cursor` of each page"},
		{
			Legacy: "numberOfItems", V1: "?limit", Value: "number", Default: fmt.Sprint(translate.DefaultWindow), Loss: string(translate.Narrowed),
			Words: fmt.Sprintf("at most %d, in `/v1` %d; without it `/v1` answers %d", translate.MaxWindow, v1.MaxPageSize, v1.DefaultPageSize),
		},
		{Legacy: "order", V1: "?sort", Value: fmt.Sprintf("`ASC` → `%s`, `DESC` → `%s`", ascending, p.NewestFirst()), Default: "ASC"},
	}
}

// nameLike says whether a word of the tables' texts can only be the name of a field or a value.
func nameLike(word string) bool {
	word = strings.Trim(word, ".,:;")
	if strings.ContainsAny(word, "`()") {
		return false
	}
	switch word {
	case translate.ImagesField, "startingItem", "numberOfItems", "idParent", "qty", "delcampeNotification", "Idempotency-Key", "X-Api-Key", "X-Request-Id",
		"Retry-After", "X-RateLimit", "ETag", "Authorization", "after=latest":
		return true
	default:
		return strings.Contains(word, "_") || namePrefix().MatchString(word) || eventName().MatchString(word)
	}
}

var (
	namePrefix = pattern.Late(`^(/v1|/rest|details\.|application/)`)
	eventName  = pattern.Late(`^(item|sale|payment)\.[a-z_]+$`)
	operation  = pattern.Late("\\b(GET|POST|PUT|PATCH|DELETE) `(/)")
)

// fieldWords are names in the remedies of errors, and in notes, that read like ordinary words.
var fieldWords = strings.NewReplacer("named in field", "named in `field`", "selectable true", "`selectable` true", "only description ", "only `description` ",
	"without after.", "without `after`.", "become limit (at most 200) and after:", "become `limit` (at most 200) and `after`:", "with limit:", "with `limit`:",
	"look at status before", "look at `status` before", "the Allow header", "the `Allow` header")

// marked returns a text of the tables, or of the catalogue of errors, as Markdown, with names as code spans.
func marked(text string) string {
	words := strings.Split(fieldWords.Replace(text), " ")
	inCode := false
	for i, word := range words {
		if !inCode && nameLike(word) {
			name := strings.TrimRight(word, ".,:;")
			words[i] = "`" + name + "`" + word[len(name):]
		}
		if strings.Count(word, "`")%2 == 1 {
			inCode = !inCode
		}
	}
	return operation().ReplaceAllString(strings.Join(words, " "), "`$1 $2")
}
