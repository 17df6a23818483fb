package clienttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sellerd/internal/proof/blackbox"
)

func TestMain(m *testing.M) { blackbox.Main(m) }

// earlier is how many items the seller has on sale already. With the new one they fill more than one page.
const earlier = 2

// newSeller returns a seller on a fresh server of their own.
func newSeller(t *testing.T) *blackbox.Seller {
	t.Helper()
	server := blackbox.NewServer(t, "sqlite:"+filepath.Join(t.TempDir(), "sellerd.db"))
	server.Start(t)
	seller := blackbox.NewSeller(t, server, "generated")
	seller.Publish(t, earlier)
	return seller
}

// project is a copy of a client's folder, in which it can be generated and built.
type project struct {
	folder string
	env    []string // for the commands: where the service is, and the seller's key
}

// withModules is the variable with which go fetches the modules of a project. Other flags stay, so that nothing is compiled anew for them.
var withModules = "GOFLAGS=" + os.Getenv("GOFLAGS") + " -mod=mod"

func newProject(t *testing.T, source string, seller *blackbox.Seller) *project {
	t.Helper()
	p := &project{folder: filepath.Join(t.TempDir(), source), env: append(os.Environ(),
		"SELLERD_BASE_URL="+seller.Server.URL(), "SELLERD_KEY="+seller.Key)}
	if err := os.CopyFS(p.folder, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs a command, which must succeed, and returns what it printed.
func (p *project) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	var stderr strings.Builder
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir, command.Env, command.Stderr = p.folder, p.env, &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", command, err, out, &stderr)
	}
	return string(out)
}

// story is what a client's program must have printed when the seller's items are as they are now.
func story(t *testing.T, seller *blackbox.Seller) string {
	t.Helper()
	type item struct {
		ID, Title, Status string
		Price             struct{ Amount, Currency string }
	}
	var (
		last   item
		onSale strings.Builder
		count  int
	)
	for last = range blackbox.Walk[item](t, seller.Client, "/v1/items?limit=200") {
		fmt.Fprintf(&onSale, "on sale %s: %s\n", last.ID, last.Title)
		count++
	}
	if last.Status != "sold" {
		t.Errorf("the item is %s", last.Status)
	}
	if count != earlier+1 {
		t.Errorf("there are %d items, want the %d of before and one new", count, earlier)
	}
	return "submitted once\n" +
		"changed 1 of 2\nnot changed 1: item_not_found\n" +
		fmt.Sprintf("published %s: %s, %s %s, %s\n", last.ID, last.Title, last.Price.Amount, last.Price.Currency, "open") +
		onSale.String() +
		fmt.Sprintf("event item.published of item %[1]s\nevent item.updated of item %[1]s\n", last.ID) +
		"refused: price is missing\n" +
		"sold 1 to test-klara, the bill is " + oneBill(t, seller) + "\n"
}
