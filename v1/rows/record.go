package rows

import (
	"fmt"
	"reflect"
	"strings"

	"sellerd/ent"
)

// Record is which fields of an ent value hold which columns of its table. It turns what a builder of ent has collected into
// the values of an Insert. ent's own bulk builders write a text for every number of rows, and cost the publisher a third more
// for each item (internal/bench measures publication end to end).
type Record[T any] struct {
	columns []string
	fields  []int
}

// NewRecord finds the fields. It panics if T has no field for a column.
func NewRecord[T any](columns []string) *Record[T] {
	return &Record[T]{columns, fieldsOf(reflect.TypeFor[T](), columns)}
}

// fieldsOf finds the fields of an ent value that hold columns.
func fieldsOf(t reflect.Type, columns []string) []int {
	byColumn := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		byColumn[name] = i
	}
	fields := make([]int, len(columns))
	for n, column := range columns {
		i, ok := byColumn[column]
		if !ok {
			panic(fmt.Sprintf("%s has no field for column %s", t, column))
		}
		fields[n] = i
	}
	return fields
}

// Mutation is what a builder of ent has collected.
type Mutation interface {
	// Field is what a column is set to, if it is.
	Field(column string) (ent.Value, bool)
}

// Fill sets the fields of a row to what a mutation has set, and appends the row's values to those of other rows, in the order
// of the columns. What is not set keeps its value, or is null.
func (r *Record[T]) Fill(row *T, mutation Mutation, values []any) []any {
	v := reflect.ValueOf(row).Elem()
	for n, column := range r.columns {
		field := v.Field(r.fields[n])
		if value, set := mutation.Field(column); set {
			setField(field, reflect.ValueOf(value))
		}
		values = append(values, fieldValue(field))
	}
	return values
}

// setField sets a field, or makes what it points to.
func setField(field, value reflect.Value) {
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	field.Set(value)
}

// fieldValue is a field's value for a database, nil for a pointer that is nil.
func fieldValue(field reflect.Value) any {
	if field.Kind() != reflect.Pointer {
		return field.Interface()
	}
	if field.IsNil() {
		return nil
	}
	return field.Elem().Interface()
}
