package clienttest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
)

// root is the module's root, seen from here.
const root = "../../.."

// handwritten are the clients that docs/seller/clients.md offers, by the language of the fenced blocks on its pages. All
// blocks of a language are one program.
var handwritten = []struct {
	language string
	pages    []string          // in docs
	program  string            // without which it cannot run
	file     string            // of the program
	copied   map[string]string // the client, by where it goes
	also     map[string]string // more files
	run      []string
}{
	{"python", []string{"clients-python.md"}, "python3", "sale.py", map[string]string{"sellerd.py": "docs/clients/sellerd.py"}, nil, []string{"python3", "-W", "error", "sale.py"}},
	{"php", []string{"clients-php.md"}, "php", "sale.php", map[string]string{"Sellerd.php": "docs/clients/Sellerd.php"}, nil, []string{"php", "-d", "display_errors=stderr", "-d", "error_reporting=-1", "sale.php"}},
	{"js", []string{"clients-javascript.md"}, "node", "sale.mjs", map[string]string{"sellerd.mjs": "docs/clients/sellerd.mjs"}, nil, []string{"node", "sale.mjs"}},
	{
		"go",
		[]string{"clients-go.md", "clients-go-more.md"},
		"go", "main.go",
		map[string]string{"client/client.go": "v1/client/client.go", "client/lists.go": "v1/client/lists.go", "client/webhook.go": "v1/client/webhook.go"},
		map[string]string{"go.mod": "module shop\n\ngo 1.24\n"},
		[]string{"go", "run", "."},
	},
}

// TestTheProgramsOfThePages runs the program that the page of each client shows: a first sale, and more, in the sandbox.
func TestTheProgramsOfThePages(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		runProgramsOfThePages(t, "sqlite:"+filepath.Join(t.TempDir(), "sellerd.db"))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		runProgramsOfThePages(t, pgtest.URL(t, nil))
	})
}

func runProgramsOfThePages(t *testing.T, database string) {
	t.Helper()
	server := blackbox.NewServer(t, database)
	server.Start(t)
	for _, c := range handwritten {
		t.Run(c.language, func(t *testing.T) {
			installed.Require(t, "THE CLIENT FOR "+strings.ToUpper(c.program)+" WAS NOT TRIED", c.program)
			seller := blackbox.NewSeller(t, server, "copied-"+c.language)
			p := &project{folder: t.TempDir(), env: append(os.Environ(), "SELLERD_BASE_URL="+server.URL(), "SELLERD_KEY="+seller.Key, withModules)}
			var text strings.Builder
			for _, name := range c.pages {
				for _, block := range regexp.MustCompile("(?s)```"+c.language+"\n(.*?)```").FindAllStringSubmatch(read(t, "docs/seller/"+name), -1) {
					text.WriteString(block[1] + "\n")
				}
			}
			p.write(t, c.file, text.String())
			p.copyClient(t, c.copied, c.also)

			got := p.run(t, c.run[0], c.run[1:]...)

			want := "the bill is sent\n422 too_short quantity, title\nlisted once\nsold 1 to test-klara\nitem.published\nitem.sold\n"
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the program did not print what it should have (-want +got):\n%s", diff)
			}
			if bill := oneBill(t, seller); bill != "sent" {
				t.Errorf("the seller's bill is %s", bill)
			}
		})
	}
}

// copyClient writes a client and more files into the project.
func (p *project) copyClient(t *testing.T, copied, also map[string]string) {
	t.Helper()
	for name, content := range also {
		p.write(t, name, content)
	}
	for name, source := range copied {
		p.write(t, name, read(t, source))
	}
}

// read is a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// write writes a file of the project.
func (p *project) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// oneBill is the status of the only bill that a seller has.
func oneBill(t *testing.T, seller *blackbox.Seller) (status string) {
	t.Helper()
	count := 0
	for bill := range blackbox.Walk[struct{ Status string }](t, seller.Client, "/v1/bills?limit=200") {
		status = bill.Status
		count++
	}
	if count != 1 {
		t.Errorf("there are %d bills, want one", count)
	}
	return status
}
