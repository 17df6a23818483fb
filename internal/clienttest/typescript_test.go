package clienttest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/installed"
)

// TestTypeScriptClient lets openapi-typescript make types, compiles the program that uses them, and beside it requests
// that must not compile, and runs it.
func TestTypeScriptClient(t *testing.T) {
	installed.Require(t, "THE TYPESCRIPT CLIENT WAS NOT TRIED", "node", "npm")
	t.Parallel()
	seller := newSeller(t)
	listItem := newProject(t, "typescript", seller)
	listItem.run(t, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund")
	listItem.run(t, "npm", "run", "generate")
	listItem.run(t, "npm", "run", "build")

	got := listItem.run(t, "npm", "--silent", "start")

	if diff := cmp.Diff(story(t, seller), got); diff != "" {
		t.Errorf("the program did not print what it should have (-want +got):\n%s", diff)
	}
}
