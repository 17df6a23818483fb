package servertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	schema "sellerd/ent/migrate"
)

// This file reads what callers do not see.

// EachRow runs a query, and calls each with the values of every row.
func (w *World) EachRow(tb testing.TB, query string, each func(values []any)) {
	tb.Helper()
	rows, err := w.Store.Reader().QueryContext(context.Background(), query)
	if err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		tb.Fatal(err)
	}
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			tb.Fatal(err)
		}
		each(values)
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
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
	for _, table := range schema.Tables {
		if len(tables) > 0 && !slices.Contains(tables, table.Name) {
			continue
		}
		var columns []string
		for _, column := range table.Columns {
			if !slices.Contains(without, table.Name+"."+column.Name) {
				columns = append(columns, column.Name)
			}
		}
		dump[table.Name] = []string{}
		w.EachRow(tb, "SELECT "+strings.Join(columns, ", ")+" FROM "+table.Name, func(values []any) {
			row := make([]string, len(values))
			for i, value := range values {
				row[i] = fmt.Sprintf("%s=%v", columns[i], value)
			}
			dump[table.Name] = append(dump[table.Name], strings.Join(row, " "))
		})
		slices.Sort(dump[table.Name])
	}
	return dump
}
