package translate

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// TestValuesAreReadAsReflectReadsThem goes through every row of every call and notification, for every example.
func TestValuesAreReadAsReflectReadsThem(t *testing.T) {
	table, compared := NewTable(t), 0
	compare := func(where string, rows []outRow, result reflect.Value) {
		for i := range rows {
			row := &rows[i]
			if row.accessor == nil {
				continue
			}
			compared++
			want, wanted := reflected(result, row.V1)
			v, found := row.find(readable(result, result.Type()))
			if found != wanted {
				t.Errorf("%s, row %s: there is %v, not %v", where, row.V1, found, wanted)
				continue
			}
			if !found {
				continue
			}
			a := *row.accessor
			if a.form == formLocalTime {
				a.form = formTime // which shows what was read
			}
			if got := string(a.append(nil, v)); got != want {
				t.Errorf("%s, row %s: %q, not %q", where, row.V1, got, want)
			}
		}
	}
	for _, p := range table.Plans {
		for _, example := range SampleResults()[p.result] {
			v := reflect.Indirect(reflect.ValueOf(example.Result))
			if p.list && v.Type() != p.result {
				v = v.FieldByName("Results")
			}
			if v.Kind() != reflect.Slice {
				compare(p.ID+", "+example.Name, p.out, v)
				continue
			}
			for i := range v.Len() {
				compare(p.ID+", "+example.Name, p.out, v.Index(i))
			}
		}
	}
	for _, event := range SampleEvents() {
		notice := Notice{Item: event.Data.Item, Sale: event.Data.Sale, Submission: event.Data.Submission, Seller: "seller"}
		compare(event.Type, table.Notifications.byEvent[event.Type].out, reflect.ValueOf(&notice).Elem())
	}
	if compared < 300 {
		t.Errorf("only %d values were compared", compared)
	}
}

func TestAResultOfAnotherTypeIsRefused(t *testing.T) {
	defer func() {
		if got, want := fmt.Sprint(recover()), "translate: the result is of type translate.Word, not items.Item"; got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}()
	NewTable(t).Lookup("item").AppendBody(nil, &Word{"stamps"})
}

// reflected is the text at a path, by names alone, and whether there is a value.
func reflected(v reflect.Value, path string) (string, bool) {
	if path != "" {
		name, rest, _ := strings.Cut(path, ".")
		field, _ := member(v.Type(), strings.TrimSuffix(name, "[]"))
		v = v.FieldByIndex(field.Index)
		if v.Kind() == reflect.Struct && v.NumField() == 2 && v.Type().Field(1).Name == "Set" {
			if !v.FieldByName("Set").Bool() {
				return "", false
			}
			v = v.FieldByName("V")
		}
		if !strings.HasSuffix(name, "[]") {
			return reflected(v, rest)
		}
		texts := make([]string, v.Len())
		for i := range texts {
			texts[i], _ = reflected(v.Index(i), rest)
		}
		return strings.Join(texts, ListSeparator), true
	}
	if text, ok := v.Addr().Interface().(encoding.TextAppender); ok {
		b, _ := text.AppendText(nil)
		return string(b), true
	}
	if v.Kind() == reflect.Float64 {
		return strconv.FormatFloat(v.Float(), 'f', -1, 64), true
	}
	return fmt.Sprint(v.Interface()), true
}
