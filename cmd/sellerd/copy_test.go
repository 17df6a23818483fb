package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/store"
)

func TestACopyThatIsStoppedSaysHowToGoOn(t *testing.T) {
	from := "sqlite:" + filepath.Join(t.TempDir(), "from.db")
	db, err := store.Open(t.Context(), store.Config{URL: from})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, test := range []struct {
		copy copyCmd
		want string
	}{
		{copyCmd{From: from, To: from + ".copy"}, "stopped; run the same command again, and it goes on where it stopped"},
		{copyCmd{From: from, To: from, Compare: true}, "stopped"},
	} {
		err := test.copy.Run(ctx)
		if err == nil {
			t.Fatal("it was not stopped")
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Error(diff)
		}
	}
}
