package main

import (
	"context"
	"path/filepath"
	"testing"
)

// A server that is stopped before it serves ends as any other: its supervisor must not take that for a failure.
func TestAStopDuringTheStartIsNoError(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	command := &serveCmd{Addr: "127.0.0.1:0", OperatorAddr: "127.0.0.1:0", LogLevel: "error"}
	command.DB = "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db")
	if err := command.Run(ctx); err != nil {
		t.Errorf("it ended with %v", err)
	}
	command.DB = "sqlite:" + t.TempDir()
	if err := command.Run(ctx); err == nil {
		t.Error("a folder in place of the database is an error, stopped or not")
	}
}
