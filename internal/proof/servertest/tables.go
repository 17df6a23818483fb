package servertest

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sellerd/ent/itemword"
	schema "sellerd/ent/migrate"
)

// This file reads what callers do not see.

// tableColumns are those of every table of the schema, by the table's name.
var tableColumns = func() map[string][]string {
	all := map[string][]string{itemword.Table: itemword.Columns} // which the migrations make, and not ent
	for _, table := range schema.Tables {
		for _, column := range table.Columns {
			all[table.Name] = append(all[table.Name], column.Name)
		}
	}
	return all
}()

// Columns are those of a table of the schema.
func Columns(table string) []string { return tableColumns[table] }

// Tables are the names of all tables of the schema, sorted.
func Tables() []string { return slices.Sorted(maps.Keys(tableColumns)) }

// EachRow runs a query, and calls each with the values of every row.
func (w *World) EachRow(tb testing.TB, text string, each func(values []any)) {
	tb.Helper()
	query(tb, w.Store, text, func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		each(values)
		return nil
	})
}

// Fingerprint is the fingerprint of the service's secret in the database, or nil if there is none.
func (w *World) Fingerprint(tb testing.TB) []byte {
	tb.Helper()
	rows, err := w.Store.Reader().SecretFingerprint.Query().All(context.Background())
	if err != nil || len(rows) > 1 {
		tb.Fatalf("%d fingerprints: %v", len(rows), err)
	}
	if len(rows) == 0 {
		return nil
	}
	return rows[0].Fingerprint
}

// Dump is all rows of some tables as texts, or of all tables without any name. Columns that are named, such as
// api_keys.last_used_at, are left out.
func (w *World) Dump(tb testing.TB, tables []string, without ...string) map[string][]string {
	tb.Helper()
	dump := map[string][]string{}
	for table, all := range tableColumns {
		if len(tables) > 0 && !slices.Contains(tables, table) {
			continue
		}
		var shown []string
		for _, column := range all {
			if !slices.Contains(without, table+"."+column) {
				shown = append(shown, column)
			}
		}
		dump[table] = []string{}
		w.EachRow(tb, "SELECT "+strings.Join(shown, ", ")+" FROM "+table, func(values []any) {
			row := make([]string, len(values))
			for i, value := range values {
				row[i] = fmt.Sprintf("%s=%v", shown[i], value)
			}
			dump[table] = append(dump[table], strings.Join(row, " "))
		})
		slices.Sort(dump[table])
	}
	return dump
}
