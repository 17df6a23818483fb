package database

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/command"
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
		copy Copy
		want string
	}{
		{Copy{From: from, To: from + ".copy"}, "stopped; run the same command again, and it goes on where it stopped"},
		{Copy{From: from, To: from, Compare: true}, "stopped"},
	} {
		err := test.copy.Run(ctx, &command.Program{Now: time.Now})
		if err == nil {
			t.Fatal("it was not stopped")
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Error(diff)
		}
	}
}
