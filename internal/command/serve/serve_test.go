package serve

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sellerd/internal/command"
	"sellerd/internal/proof/pgtest"
)

// A server that is stopped before it serves ends as any other: its supervisor must not take that for a failure.
func TestAStopDuringTheStartIsNoError(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	serve := &Command{Addr: "127.0.0.1:0", OperatorAddr: "127.0.0.1:0", LogLevel: "error"}
	serve.DB = "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db")
	program := &command.Program{Commands: func() any { return &struct{}{} }, Now: time.Now}
	if err := serve.Run(ctx, program); err != nil {
		t.Errorf("it ended with %v", err)
	}
	serve.DB = "sqlite:" + t.TempDir()
	if err := serve.Run(ctx, program); err == nil {
		t.Error("a folder in place of the database is an error, stopped or not")
	}
}

// A folder that is no release stops the start before a database is made.
func TestAFolderWithoutSumsIsRefused(t *testing.T) {
	folder := t.TempDir()
	database := filepath.Join(folder, "sellerd.db")
	serve := &Command{Addr: "127.0.0.1:0", OperatorAddr: "127.0.0.1:0", LogLevel: "error", Downloads: folder}
	serve.DB = "sqlite:" + database
	err := serve.Run(t.Context(), &command.Program{Commands: func() any { return &struct{}{} }, Now: time.Now})
	want := "--downloads: " + folder + " has no file SHA256SUMS that can be read, so it is no folder of a release: no such file or directory"
	if err == nil || err.Error() != want {
		t.Errorf("it says %v, want %s", err, want)
	}
	if _, err := os.Stat(database); err == nil {
		t.Error("a database was made")
	}
}

// TestAServerThatIsRefusedLeavesNoToken starts a server with another secret than that of the database.
func TestAServerThatIsRefusedLeavesNoToken(t *testing.T) {
	c := healthy(t, pgtest.URL(t, nil), nil).doctor.Command
	c.Addr, c.OperatorAddr, c.OperatorToken = "127.0.0.1:0", "127.0.0.1:0", ""
	c.Secret = "B" + strings.Repeat("A", 42) + "="
	if err := c.Run(t.Context(), program()); err == nil || !strings.Contains(err.Error(), "is not the one that this database belongs to") {
		t.Errorf("it ended with %v", err)
	}
	if _, err := os.Stat("data/operator-token"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a token: %v", err)
	}
}
