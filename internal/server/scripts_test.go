package server_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"sellerd/internal/proof/installed"
)

// TestScriptsAreWellFormed lets node read every script that pages load.
func TestScriptsAreWellFormed(t *testing.T) {
	installed.Require(t, "THE SCRIPTS OF THE PAGES WERE NOT READ", "node")
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
