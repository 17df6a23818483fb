package wire

import (
	"reflect"
	"slices"
	"strings"
)

// Members returns the fields of a struct type that are members in JSON, embedded ones included, in their order.
func Members(t reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	for _, f := range PlanOf(t).Fields {
		fields = append(fields, t.FieldByIndex(f.Index))
	}
	return fields
}

// IsRequired says whether a body is rejected that lacks the member of this field. The tag required:"true" says it of a
// list, alone:"true" of a member that is sent without the others.
func IsRequired(field reflect.StructField) bool {
	rules, checked := field.Tag.Lookup("validate")
	switch {
	case field.Tag.Get("required") == "true", field.Tag.Get("alone") == "true":
		return true
	case field.Type.Implements(OptionalType):
		return checked && !strings.HasPrefix(rules, "omitnil")
	default:
		return slices.Contains(strings.Split(rules, ","), "required")
	}
}
