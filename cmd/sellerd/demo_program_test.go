package main_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sellerd/internal/proof/pgtest"
)

var printedTestKey = regexp.MustCompile(`test key +(dk_test_\S+)`)

func TestTheDemoPrintsTheSameKeysAtEveryStart(t *testing.T) {
	folder := t.TempDir()
	var keys []string
	for range 2 {
		server := serve(t, folder, "--demo", "--allow-private-targets")
		for {
			line, err := server.stdout.ReadString('\n')
			if err != nil {
				t.Fatalf("the demo printed no key: %v", err)
			}
			if found := printedTestKey.FindStringSubmatch(line); found != nil {
				keys = append(keys, found[1])
			}
			if strings.Contains(line, "Open in a browser") {
				break
			}
		}
		if got := server.status(t, keys[0]); got != 200 {
			t.Errorf("the printed key answers %d", got)
		}
		checkPages(t, server)
		server.end(t)
	}
	if keys[0] != keys[1] {
		t.Errorf("two starts printed two keys")
	}
	info, err := os.Stat(filepath.Join(folder, "data", "sellerd.secret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret's file must be its owner's alone: %v %v", info, err)
	}
}

func TestTheDemoAsksFirstWhereOthersMayBe(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	createAnna(t, folder)
	const advice = ": leave --demo out, name another database with --db, or add --demo-anyway\n"
	for _, test := range []struct{ name, db, want string }{
		{"beside another account", "sqlite:data/sellerd.db", "the database has other accounts, such as anna"},
		{"in PostgreSQL", pgtest.URL(t, nil), "the database is a PostgreSQL, which others may share"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, said := mistake(t, folder, "serve", "--demo", "--db", test.db, "--secret", strings.Repeat("A", 43)+"=", "--addr", "127.0.0.1:0", "--operator-addr", "127.0.0.1:0")
			if want := "sellerd: --demo makes a seller with items, sales and bills, and " + test.want + advice; status != 1 || !strings.HasSuffix(said, want) {
				t.Errorf("status %d, it says %q, not %q", status, said, want)
			}
			if strings.Contains(said, `"msg":"serving"`) {
				t.Error("it says that it serves")
			}
			if made := must(t, folder, "accounts", "list", "--nickname", "demo-seller", "--db", test.db); strings.TrimSpace(made) != "[]" {
				t.Errorf("the demo seller is made: %s", made)
			}
		})
	}
	t.Run("with --demo-anyway the seller is made", func(t *testing.T) {
		for _, flags := range [][]string{{"--demo", "--demo-anyway"}, {"--demo"}} { // the second start is not asked about
			server := serve(t, folder, append(flags, "--secret", strings.Repeat("A", 43)+"=")...)
			for printed := ""; !strings.Contains(printed, "test key"); {
				line, err := server.stdout.ReadString('\n')
				if err != nil {
					t.Fatalf("%v: the demo printed no key: %v", flags, err)
				}
				printed = line
			}
			go func() { _, _ = io.Copy(io.Discard, server.stdout) }()
			server.end(t)
		}
	})
}

// checkPages opens what the rest of the demo's welcome lists.
func checkPages(t *testing.T, server *child) {
	t.Helper()
	opened := 0
	for {
		line, err := server.stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("the welcome ended early: %v", err)
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			if opened > 0 {
				break
			}
			continue
		}
		response, err := http.Get(words[0])
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("the page %s answers %s", words[0], response.Status)
		}
		opened++
	}
	go func() { _, _ = io.Copy(io.Discard, server.stdout) }()
	if opened < 3 {
		t.Errorf("the welcome lists %d pages only", opened)
	}
}
