package clienttest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGoClient lets oapi-codegen make a client, builds the program that uses it, and runs it.
func TestGoClient(t *testing.T) {
	t.Parallel()
	seller := newSeller(t)
	listitem := newProject(t, "go", seller)
	listitem.run(t, "go", "generate", "./...")
	listitem.run(t, "go", "vet", "./...")
	listitem.run(t, "go", "build", "-o", "listitem", ".")

	got := listitem.run(t, "./listitem")

	if diff := cmp.Diff(story(t, seller), got); diff != "" {
		t.Errorf("the program did not print what it should have (-want +got):\n%s", diff)
	}
}
