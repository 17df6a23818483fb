package rows

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sellerd/ent"
)

// Record is which fields of an ent value hold which columns of its table. It turns what a builder of ent has collected into
// the values of an Insert. ent's own bulk builders write a text for every number of rows, and cost the publisher a third more
// for each item (internal/proof/bench measures publication end to end).
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

// Update is a Mutation of a row that exists.
type Update interface {
	Mutation
	// FieldCleared says whether a column is set to null.
	FieldCleared(column string) bool
	// AddedFields are the columns to which something is added.
	AddedFields() []string
}

// Apply is a copy of a row with what an update has set or cleared. It does not know what the database adds.
func (r *Record[T]) Apply(row *T, update Update) (*T, error) {
	if added := update.AddedFields(); len(added) > 0 {
		return nil, fmt.Errorf("an update adds to %v, which only the database can", added)
	}
	changed := *row
	v := reflect.ValueOf(&changed).Elem()
	for n, column := range r.columns {
		if value, set := update.Field(column); set {
			setField(v.Field(r.fields[n]), reflect.ValueOf(value))
		} else if update.FieldCleared(column) {
			v.Field(r.fields[n]).SetZero()
		}
	}
	return &changed, nil
}

// Changed are the columns in which two rows differ, with the values of the second, nil for null.
func (r *Record[T]) Changed(before, after *T) (columns []string, values []any) {
	was, is := reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem()
	for n, column := range r.columns {
		old, new := fieldValue(was.Field(r.fields[n])), fieldValue(is.Field(r.fields[n]))
		if old != new {
			columns, values = append(columns, column), append(values, new)
		}
	}
	return columns, values
}

// Append appends the values of a row in some columns, nil for null.
func (r *Record[T]) Append(values []any, row *T, columns []string) []any {
	v := reflect.ValueOf(row).Elem()
	for _, column := range columns {
		values = append(values, fieldValue(v.Field(r.fields[slices.Index(r.columns, column)])))
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
