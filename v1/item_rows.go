package v1

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/v1/rows"
)

// This file stores the items of a set with one statement of a fixed text. ent's builders write a text for every number of
// items, and cost the publisher a third more for each (internal/bench measures publication end to end).

var itemInsert = rows.NewInsert(item.Table, nil, item.Columns, nil)

// itemFields are the fields of ent's item that hold itemInsert's columns.
var itemFields = fieldsOf(reflect.TypeFor[ent.Item](), item.Columns)

// fieldsOf finds the fields of an ent value that hold columns.
func fieldsOf(t reflect.Type, columns []string) []int {
	fields := make([]int, len(columns))
	for n, column := range columns {
		fields[n] = -1
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name == column {
				fields[n] = i
			}
		}
		if fields[n] < 0 {
			panic(fmt.Sprintf("%s has no field for column %s", t, column))
		}
	}
	return fields
}

// insertItems stores new items, and returns their rows. What is not set is 0, empty or null, as the schema's defaults are.
func (tx *Change) insertItems(ctx context.Context, creates []*ent.ItemCreate) ([]*ent.Item, error) {
	items := make([]*ent.Item, len(creates))
	values := make([]any, 0, len(item.Columns)*len(creates))
	for i, create := range creates {
		items[i] = new(ent.Item)
		row := reflect.ValueOf(items[i]).Elem()
		m := create.Mutation()
		items[i].ID, _ = m.ID()
		for n, column := range item.Columns {
			field := row.Field(itemFields[n])
			if value, set := m.Field(column); set {
				setField(field, reflect.ValueOf(value))
			}
			values = append(values, fieldValue(field))
		}
	}
	return items, itemInsert.Rows(ctx, tx.Client, nil, values)
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
