package server_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sellerd/internal/pgtest"
)

// TestScriptsAreWellFormed lets node read every script that pages load.
func TestScriptsAreWellFormed(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv(pgtest.EnvRequire) == "1" {
			t.Fatal("node is not installed")
		}
		t.Skip("THE SCRIPTS OF THE PAGES WERE NOT READ: node is not installed.")
	}
	scripts, err := filepath.Glob("assets/*.js")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	for _, script := range scripts {
		if out, err := exec.CommandContext(t.Context(), "node", "--check", script).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
