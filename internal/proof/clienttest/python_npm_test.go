//go:build npm

package clienttest

import (
	"fmt"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
)

// TestNPMPythonClient lets quicktype make Python classes, and runs the program that uses them.
func TestNPMPythonClient(t *testing.T) {
	installed.Require(t, "THE PYTHON CLIENT WAS NOT TRIED", "node", "npm", "python3")
	seller := newSeller(t)
	firstSale := newProject(t, "python", seller)
	firstSale.run(t, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund")
	firstSale.run(t, "npm", "run", "generate")

	got := firstSale.run(t, pythonWith(t, "dateutil"), "-W", "error", "first_sale.py")

	type item struct {
		ID, Title, Status string
		Price             struct{ Amount, Currency string }
	}
	var last item
	for last = range blackbox.Walk[item](t, seller.Client, "/v1/items?limit=200") {
		continue
	}
	want := "submitted once\n" +
		fmt.Sprintf("published %s: %s, %s %s, open\n", last.ID, last.Title, last.Price.Amount, last.Price.Currency) +
		"refused: price missing_field\n" +
		"sold 1 to test-klara, the bill is " + oneBill(t, seller) + "\n"
	if diff := cmp.Diff(want, got); diff != "" || last.Status != "sold" {
		t.Errorf("the item is %s, and the program did not print what it should have (-want +got):\n%s", last.Status, diff)
	}
}

// pythonWith is a Python that has a module. A module of Debian is installed for Debian's own Python, which need not be the first one in
// PATH.
func pythonWith(t *testing.T, module string) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import "+module).Run() == nil {
			return python
		}
	}
	t.Fatalf("no python3 has the module %s; Debian's package is python3-%s", module, module)
	return ""
}
