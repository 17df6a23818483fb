//go:build npm

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNPMListsOfModulesAreValid has the list of a release validated by CycloneDX's own library. It needs the network, so it stands behind a
// build tag: make npm
func TestNPMListsOfModulesAreValid(t *testing.T) {
	release, validator := t.TempDir(), t.TempDir()
	if err := buildIn(root, release); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(validator, os.DirFS("testdata/validator")); err != nil {
		t.Fatal(err)
	}
	run := func(program string, arguments ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), program, arguments...)
		command.Dir = validator
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", program, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("npm", "ci", "--no-audit", "--no-fund")
	if got := run("node", "validate.js", filepath.Join(release, here().Modules())); got != "null" {
		t.Errorf("it is not valid: %s", got)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.cdx.json")
	if err := os.WriteFile(wrong, []byte(`{"bomFormat":"CycloneDX","specVersion":"1.6","modules":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run("node", "validate.js", wrong); got == "null" {
		t.Error("a list with an unknown member is valid")
	}
}
