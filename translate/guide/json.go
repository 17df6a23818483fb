package guide

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/openjson"
	"sellerd/translate"
	"sellerd/v1"
)

// SchemaPath is the path of the schema of the guide's JSON.
const SchemaPath = "/migration.schema.json"

// JSON returns the guide for programs, as its schema (Schema) says. Links to other pages are absolute.
func (g *Page) JSON() ([]byte, error) {
	text, err := json.Marshal(g, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("write the migration guide: %w", err)
	}
	return append([]byte(strings.ReplaceAll(string(text), "](/", "]("+g.BaseURL+"/")), '\n'), nil
}

// Schema returns the JSON Schema (2020-12) of the guide. Later versions may have further members.
func Schema(baseURL string) []byte {
	s := &schema{}
	root := s.object(reflect.TypeFor[Page]())
	head := openjson.Of(
		"$schema", "https://json-schema.org/draft/2020-12/schema",
		"$id", strings.TrimSuffix(baseURL, "/")+SchemaPath,
		"title", "The migration guide of the seller API",
	)
	return openjson.Print(append(append(head, root...), openjson.Member{Name: "$defs", Value: s.definitions}))
}

// definitionOf returns the name of a struct's definition. Names that are too general for a schema begin with Guide.
func definitionOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Call](), reflect.TypeFor[Step](), reflect.TypeFor[Field]():
		return "Guide" + t.Name()
	default:
		return t.Name()
	}
}

// schema collects the definitions of structs.
type schema struct{ definitions openjson.Object }

func (s *schema) object(t reflect.Type) openjson.Object {
	var required []any
	var properties openjson.Object
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		property := s.of(field.Type)
		property.Set("description", field.Tag.Get("doc"))
		required = append(required, name)
		properties.Set(name, property)
	}
	return openjson.Of("type", "object", "required", required, "properties", properties)
}

func (s *schema) of(t reflect.Type) openjson.Object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return openjson.Of("type", "string", "format", "date-time")
	case t == reflect.TypeFor[translate.Kind]():
		return openjson.Of("type", "string", "enum", []any{translate.Direct, translate.Composed, translate.Local, translate.Absent})
	case t == reflect.TypeFor[v1.Code]():
		return openjson.Of("type", "string", "pattern", "^[a-z0-9_]+$")
	case t.Kind() == reflect.Pointer:
		return s.of(t.Elem())
	case t.Kind() == reflect.Slice:
		return openjson.Of("type", "array", "items", s.of(t.Elem()))
	case t.Kind() == reflect.Struct:
		name := definitionOf(t)
		if s.definitions.Get(name) == nil {
			s.definitions.Set(name, s.object(t))
		}
		return openjson.Of("$ref", "#/$defs/"+name)
	}
	if name, ok := map[reflect.Kind]string{reflect.Bool: "boolean", reflect.Int: "integer", reflect.String: "string"}[t.Kind()]; ok {
		return openjson.Of("type", name)
	}
	panic("guide: the schema has no words for " + t.String())
}
