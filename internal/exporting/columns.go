package exporting

import (
	"strconv"
	"strings"
	"time"

	"sellerd/internal/sheet"
)

// Columns are the names of the columns of a kind of file.
func Columns(o Options) []string {
	var names []string
	for _, column := range headerOf(columnsFor(o)) {
		names = append(names, column.Name)
	}
	return names
}

func columnsFor(o Options) []column {
	switch {
	case o.Kind == Sales:
		return saleColumns
	case o.Kind == Bills:
		return billColumns
	case o.ForUpdate:
		return changeColumns
	}
	return itemColumns
}

func headerOf(columns []column) []sheet.Column {
	all := make([]sheet.Column, len(columns))
	for i, column := range columns {
		all[i] = column.Column
	}
	return all
}

// column is a column of a file. Its cells have a member of the objects, or what a function makes of them.
type column struct {
	sheet.Column
	path string
	made func(e *Exporter, from object) string // nil for the member
}

// words, whole, cash and at are columns of texts, of whole numbers, of amounts and of instants. They have the members of their names.
func words(name string, width float64) column {
	return column{Column: sheet.Column{Name: name, Width: width}, path: name}
}

func whole(name string) column {
	return column{Column: sheet.Column{Name: name, Kind: sheet.Number}, path: name}
}

func cash(name string) column {
	return column{Column: sheet.Column{Name: name, Kind: sheet.Number, Money: true, Width: 14}, path: name + ".amount"}
}

func at(name string) column {
	return column{Column: sheet.Column{Name: name, Kind: sheet.Date, Width: 20}, path: name}
}

// from is the column with the member at another path.
func (c column) from(path string) column {
	c.path = path
	return c
}

// by is the column with cells that a function makes.
func (c column) by(made func(object) string) column {
	c.made = func(_ *Exporter, from object) string { return made(from) }
	return c
}

// cell is the cell of an object.
func (c column) cell(e *Exporter, from object) string {
	switch {
	case c.made != nil:
		return c.made(e, from)
	case c.Kind == sheet.Date:
		return e.instant(from.text(c.path))
	}
	return from.text(c.path)
}

// instant is an instant of the API in the zone of the export, to the second.
func (e *Exporter) instant(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text // empty
	}
	return at.In(e.Zone).Format(time.RFC3339)
}

// object is an object of the API.
type object map[string]any

// member is the member at a path such as item.title, nil if it or an object on the way is null.
func (o object) member(path string) any {
	name, rest, inside := strings.Cut(path, ".")
	if !inside {
		return o[name]
	}
	inner, _ := o[name].(map[string]any)
	return object(inner).member(rest)
}

// text is a member as a cell, which is empty for null.
func (o object) text(path string) string {
	switch value := o.member(path).(type) {
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return ""
}

// texts are the texts of a member of each object in a list.
func (o object) texts(list, member string) (texts []string) {
	all, _ := o[list].([]any)
	for _, one := range all {
		inner, _ := one.(map[string]any)
		texts = append(texts, object(inner).text(member))
	}
	return texts
}

// money is an amount of the API.
type money struct{ Amount, Currency string }

func (o object) money(path string) money {
	return money{o.text(path + ".amount"), o.text(path + ".currency")}
}
