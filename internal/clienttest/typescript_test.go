package clienttest

import (
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// envRequireNPM is 1 where a test must fail, and not be skipped, for want of npm.
const envRequireNPM = "SELLERD_REQUIRE_NPM"

// TestTypeScriptClient lets openapi-typescript make types, compiles the program that uses them, and beside it requests
// that must not compile, and runs it.
func TestTypeScriptClient(t *testing.T) {
	requireNPM(t)
	t.Parallel()
	seller := newSeller(t)
	listItem := newProject(t, "typescript", seller)
	listItem.run(t, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund")
	listItem.run(t, "npm", "run", "generate")
	listItem.run(t, "npm", "run", "build")

	got := listItem.run(t, "npm", "--silent", "start")

	if diff := cmp.Diff(story(t, seller), got); diff != "" {
		t.Errorf("the program did not tell what it should have (-want +got):\n%s", diff)
	}
}

// requireNPM skips the test where npm is missing and not required.
func requireNPM(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if os.Getenv(envRequireNPM) == "1" {
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("THE TYPESCRIPT CLIENT WAS NOT TRIED: %s is not installed.", program)
	}
}
