package servertest

import (
	"context"
	"testing"
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
