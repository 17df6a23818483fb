package exporting

import (
	"strconv"
	"time"

	"sellerd/internal/sheet"
)

// Columns are the names of the columns of a kind of file.
func Columns(o Options) []string {
	var names []string
	for _, column := range headerOf(o) {
		names = append(names, column.Name)
	}
	return names
}

func headerOf(o Options) []sheet.Column {
	switch {
	case o.Kind == Sales:
		return header(saleColumns)
	case o.Kind == Bills:
		return header(billColumns)
	case o.ForUpdate:
		return header(changeColumns)
	}
	return header(itemColumns)
}

// column is a column of a file, and how an object becomes its cell.
type column[T any] struct {
	sheet.Column
	of func(e *Exporter, object *T) string
}

func header[T any](columns []column[T]) []sheet.Column {
	all := make([]sheet.Column, len(columns))
	for i, column := range columns {
		all[i] = column.Column
	}
	return all
}

// words, whole, cash and at are columns of texts, of whole numbers, of amounts and of instants.
func words[T any](name string, width float64, of func(*T) string) column[T] {
	return column[T]{sheet.Column{Name: name, Width: width}, func(_ *Exporter, object *T) string { return of(object) }}
}

func whole[T any](name string, of func(*T) string) column[T] {
	return column[T]{sheet.Column{Name: name, Kind: sheet.Number}, func(_ *Exporter, object *T) string { return of(object) }}
}

func cash[T any](name string, of func(*T) money) column[T] {
	return column[T]{
		sheet.Column{Name: name, Kind: sheet.Number, Money: true, Width: 14},
		func(_ *Exporter, object *T) string { return of(object).Amount },
	}
}

func at[T any](name string, of func(*T) string) column[T] {
	return column[T]{
		sheet.Column{Name: name, Kind: sheet.Date, Width: 20},
		func(e *Exporter, object *T) string { return e.instant(of(object)) },
	}
}

// instant is an instant of the API in the zone of the export, to the second.
func (e *Exporter) instant(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text // empty
	}
	return at.In(e.Zone).Format(time.RFC3339)
}

// money is an amount of the API; null has no amount.
type money struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// unlessNull is a number of the API that is never 0: null is read as 0, and is an empty cell.
func unlessNull(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
