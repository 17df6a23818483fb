package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sellerd/internal/proof/pgtest"
)

// TestMain lets this test's program run the hidden subcommands, as the bench's own does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains(hiddenSides, os.Args[1]) {
		if err := serveSide(context.Background(), os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestEveryCaseRuns runs all cases at a size at which their figures mean nothing.
func TestEveryCaseRuns(t *testing.T) {
	folder := t.TempDir()
	if _, err := command(t.Context(), "go", "build", "-o", folder, "sellerd/cmd/sellerd"); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(folder, "bench")); err != nil {
		t.Fatal(err)
	}
	for _, database := range databaseNames {
		t.Run(database, func(t *testing.T) {
			t.Parallel() // much of it waits
			var out strings.Builder
			err := run(t.Context(), []string{
				"-folder", t.TempDir(), "-programs", folder, "-databases", database, "-long",
				"-items", "2000", "-rows", "2000", "-rounds", "1", "-duration", "30ms", "-warmup", "10ms", "-published", "200", "-hooked", "500ms", "-durable=false",
			}, &out)
			if errors.Is(err, pgtest.ErrNotInstalled) {
				pgtest.Skip(t, err)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range loadCases() {
				if found := strings.Count(out.String(), "| "+c.name+" | "); c.only == "" && found == 0 {
					t.Errorf("the table has no line for %q", c.name)
				}
				if !c.alone && strings.Contains(out.String(), "| "+c.name+" |  |") {
					t.Errorf("%q is not compared with the limit", c.name)
				}
			}
			for part, only := range map[string]string{
				"| Delivery p50 |": "postgres", "after the start": "sqlite", "readers that wait": "",
			} {
				if !strings.Contains(out.String(), part) && (only == "" || only == database) {
					t.Errorf("the tables have no %q", part)
				}
			}
			t.Log(out.String())
		})
	}
}
