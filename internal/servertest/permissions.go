package servertest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sellerd/ent"
	"sellerd/v1"
)

// This file is for tests of keys that may do less.

// LesserKey makes a test key of the world's account that has some permissions only.
func (w *World) LesserKey(tb testing.TB, permissions v1.Permissions) string {
	tb.Helper()
	key, _, err := w.Service.CreateKey(context.Background(), v1.NewKey{Account: w.Account, Mode: "test", Permissions: v1.Some(permissions)})
	if err != nil {
		tb.Fatalf("create key: %v", err)
	}
	return key
}

// Permit changes in the database what a key permits, which no request can. Tests need more kinds of keys than an account may
// have keys.
func (w *World) Permit(tb testing.TB, key string, permissions v1.Permissions) {
	tb.Helper()
	err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
		return tx.APIKey.UpdateOneID(strings.Split(key, "_")[2]).SetPermissions(permissions.String()).Exec(ctx)
	})
	if err != nil {
		tb.Fatalf("change the permissions of a key: %v", err)
	}
}

// Dump is all rows of some tables as text, without the columns named, such as api_keys.last_used_at.
func (w *World) Dump(tb testing.TB, tables []string, without ...string) map[string][]string {
	tb.Helper()
	dump := map[string][]string{}
	for _, table := range tables {
		dump[table] = []string{}
		rows, err := w.Store.Reader().QueryContext(context.Background(), "SELECT * FROM "+table)
		if err != nil {
			tb.Fatalf("read %s: %v", table, err)
		}
		columns, err := rows.Columns()
		for err == nil && rows.Next() {
			values, targets := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				targets[i] = &values[i]
			}
			err = rows.Scan(targets...)
			row := ""
			for i, column := range columns {
				if !slices.Contains(without, table+"."+column) {
					row += fmt.Sprintf("%s=%v ", column, values[i])
				}
			}
			dump[table] = append(dump[table], row)
		}
		if err = cmp.Or(err, rows.Err(), rows.Close()); err != nil {
			tb.Fatalf("read %s: %v", table, err)
		}
		slices.Sort(dump[table])
	}
	return dump
}
