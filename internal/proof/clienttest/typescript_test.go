package clienttest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
)

// TestTypeScriptClients lets openapi-typescript make types, and @hey-api/openapi-ts functions and types, compiles the program that uses
// them, and beside the first one requests that must not compile, and runs it.
func TestTypeScriptClients(t *testing.T) {
	installed.Require(t, "THE TYPESCRIPT CLIENTS WERE NOT TRIED", "node", "npm")
	for _, folder := range []string{"typescript", "heyapi"} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			seller := newSeller(t)
			listItem := newProject(t, folder, seller)
			listItem.run(t, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund")
			listItem.run(t, "npm", "run", "generate")
			listItem.run(t, "npm", "run", "build")

			got := listItem.run(t, "npm", "--silent", "start")

			if diff := cmp.Diff(story(t, seller), got); diff != "" {
				t.Errorf("the program did not print what it should have (-want +got):\n%s", diff)
			}
		})
	}
}
