package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMigrateLogsAsServeDoes: a supervisor reads both.
func TestMigrateLogsAsServeDoes(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "migrate")
	cmd.Dir, cmd.Env = t.TempDir(), withoutSettings(os.Environ())
	var logged strings.Builder
	cmd.Stderr = &logged
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &logged)
	}
	lines := strings.Split(strings.TrimSpace(logged.String()), "\n")
	for _, text := range lines {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("the line %q is not JSON: %v", text, err)
		}
		got := map[string]bool{"time": line["time"] != nil, "level": line["level"] == "INFO", "msg": line["msg"] != nil}
		if diff := cmp.Diff(map[string]bool{"time": true, "level": true, "msg": true}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
