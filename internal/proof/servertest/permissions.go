package servertest

import (
	"context"
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
