package v1_test

import (
	"reflect"
	"testing"

	v1 "sellerd/v1"
	"sellerd/v1/wire"
)

// TestEveryTagHasRulesThatExist makes the rules of all types that operations take. A rule that does not exist for a type panics.
func TestEveryTagHasRulesThatExist(t *testing.T) {
	seen := map[reflect.Type]bool{}
	checked := 0
	var look func(reflect.Type)
	look = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Slice, reflect.Pointer:
			look(typ.Elem())
		case reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			tagged := false
			for i := range typ.NumField() {
				_, has := typ.Field(i).Tag.Lookup("validate")
				tagged = tagged || has
				look(typ.Field(i).Type)
			}
			if tagged {
				var problems v1.Problems
				wire.CheckRules(reflect.New(typ).Interface(), "", &problems)
				checked++
			}
		}
	}
	for _, operations := range [][]*v1.Operation{v1.Operations, v1.OperatorOperations} {
		for _, o := range operations {
			look(o.In)
		}
	}
	if checked < 25 {
		t.Errorf("only %d types have rules", checked)
	}
}
