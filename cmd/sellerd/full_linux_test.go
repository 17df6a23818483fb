package main_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestWhatCannotBePrintedIsAnError prints to a disk that is full. Nothing can show a new key again, so the error names the key to revoke.
func TestWhatCannotBePrintedIsAnError(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	createAnna(t, folder)
	key := strings.TrimSpace(must(t, folder, "keys", "create", "--account", "5001", "--mode", "test"))
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"keys create --account 5001 --mode test": "revoke it with `sellerd keys revoke ",
		"keys rotate " + key:                     "rotate it with `sellerd keys rotate ",
		"translate GET?/rest/seller":             "no space left on device",
		"translate --json GET?/rest/seller":      "no space left on device",
		"accounts list":                          "no space left on device",
	} {
		t.Run(line, func(t *testing.T) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer full.Close()
			args := strings.Fields(line)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "?", " ")
			}
			cmd := exec.Command(path, args...)
			cmd.Dir = folder
			var said strings.Builder
			cmd.Stdout, cmd.Stderr = full, &said
			_ = cmd.Run() // the status says it
			if status := cmd.ProcessState.ExitCode(); status != 1 || !strings.Contains(said.String(), want) || strings.Contains(said.String(), "dk_test_") {
				t.Errorf("status %d, it says %q", status, said.String())
			}
		})
	}
}
