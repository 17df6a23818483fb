package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/pgtest"
)

// copyStage is a folder with a database in use, source.db, and a new account's key.
func copyStage(t *testing.T) (folder, key string) {
	t.Helper()
	folder = t.TempDir()
	account := must(t, folder, "accounts", "create", "--db", "sqlite:"+makeDatabase(t, folder), "--nickname", "anna", "--email", "anna@example.com")
	id := strings.Split(strings.Split(account, `"id": "`)[1], `"`)[0]
	return folder, must(t, folder, "keys", "create", "--db", "sqlite:source.db", "--account", id, "--mode", "test")
}

func makeDatabase(t *testing.T, folder string) string {
	t.Helper()
	must(t, folder, "migrate", "--db", "sqlite:source.db")
	return "source.db"
}

func TestACopyServesUnderTheSameSecret(t *testing.T) {
	folder, key := copyStage(t)
	first := serve(t, folder, "--db", "sqlite:source.db", "--secret", oneSecret)
	out, err := command(t, folder, "copy", "--from", "sqlite:source.db", "--to", "sqlite:beside-a-server.db")
	const was = "A server was running on the source meanwhile: what it has changed since that moment is not in the copy"
	if err != nil || !strings.Contains(out, "sqlite:source.db and sqlite:beside-a-server.db are equal as of ") || !strings.HasSuffix(out, was) {
		t.Errorf("beside a server on the source: %v\n%s", err, out)
	}
	first.end(t)

	postgres := pgtest.URL(t, nil)
	out = must(t, folder, "copy", "--from", "sqlite:source.db", "--to", postgres)
	if !strings.HasSuffix(out, " are equal") {
		t.Errorf("without a server on the source:\n%s", out)
	}
	if strings.Contains(out, "anna") || strings.Contains(out, "password") || strings.Contains(out, strings.Split(postgres, "@")[0]) {
		t.Errorf("the output shows too much:\n%s", out)
	}
	must(t, folder, "copy", "--from", postgres, "--to", "sqlite:back.db")
	must(t, folder, "copy", "--compare", "--from", "sqlite:source.db", "--to", "sqlite:back.db")
	for _, url := range []string{postgres, "sqlite:back.db"} {
		refused(t, folder, "the secret from --secret is not the one that this database belongs to: "+giveRight, "--db", url, "--secret", otherSecret)
		server := serve(t, folder, "--db", url, "--secret", oneSecret)
		if got := server.status(t, key); got != 200 {
			t.Errorf("a key of the source: %d", got)
		}
		server.end(t)
	}
	status, said := mistake(t, folder, "copy", "--compare", "--from", "sqlite:source.db", "--to", postgres) // which was served meanwhile
	if status != 1 || !strings.Contains(said, "sellerd: the databases differ in ") {
		t.Errorf("status %d: %s", status, said)
	}
}

func TestMistakesOfACopySayWhatToDo(t *testing.T) {
	folder, _ := copyStage(t)
	must(t, folder, "migrate", "--db", "sqlite:empty.db")
	must(t, folder, "copy", "--from", "sqlite:source.db", "--to", "sqlite:full.db")
	if err := os.WriteFile(filepath.Join(folder, "notes.txt"), []byte(strings.Repeat("This is no database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	served := serve(t, folder, "--db", "sqlite:served.db", "--secret", oneSecret)
	const rows = "a copy needs one without rows, so name a new one; are --from and --to swapped? If an earlier run copied everything and then failed, check the copy with --compare\n"
	for _, test := range []struct {
		name, line string
		status     int
		want       string
	}{
		{"no target", "--from sqlite:source.db", 2, "missing flags: --to=URL (or the variable SELLERD_COPY_TO)\nRun `sellerd copy --help` for its commands and flags.\n"},
		{"onto itself", "--from sqlite:source.db --to sqlite:./../" + filepath.Base(folder) + "/source.db", 2, "--from and --to name the same database\n"},
		{"from a path that is mistyped", "--from sqlite:sorce.db --to sqlite:new.db", 1, "there is no database at sorce.db: is --from mistyped?\n"},
		{"from no kind of database", "--from source.db --to sqlite:new.db", 2, "--from must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, and special " +
			"characters of the password percent-encoded\n"},
		{"to a URL that cannot be read", "--from sqlite:source.db --to postgres://anna:hunter2@127.0.0.1:port/x", 2, "--to must be sqlite:PATH or " +
			"postgres://USER:PASSWORD@HOST/NAME, and special characters of the password percent-encoded\n"},
		{"to no PostgreSQL", "--from sqlite:source.db --to postgres://anna:hunter2@127.0.0.1:1/shop", 1, "no PostgreSQL answers at 127.0.0.1:1: does it run, " +
			"and is --to right? (connection refused)\n"},
		{"from a file of something else", "--from sqlite:notes.txt --to sqlite:new.db", 1, "notes.txt is no SQLite database: is --from mistyped?\n"},
		{"to a folder that is not there", "--from sqlite:source.db --to sqlite:notes.txt/new.db", 1, "there is no folder notes.txt: make it first, or is --to mistyped?\n"},
		{"onto rows", "--from sqlite:source.db --to sqlite:full.db", 1, "the database in --to has rows in accounts, api_keys, number_ranges and 3 more tables: " + rows},
		{"onto a server", "--from sqlite:source.db --to sqlite:served.db", 1, "a server is running on served.db: stop it first, or name another file with --to "},
		{"a comparison with nothing", "--compare --from sqlite:source.db --to sqlite:new.db", 1, "there is no database at new.db: is --to mistyped?\n"},
		{"a comparison that finds something", "--compare --from sqlite:source.db --to sqlite:empty.db", 1, "the databases differ in accounts, api_keys, " +
			"number_ranges and 3 more tables\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, said := mistake(t, folder, append([]string{"copy"}, strings.Fields(test.line)...)...)
			_, said, _ = strings.Cut(said, "sellerd: ") // behind the lines of progress
			if !strings.HasSuffix(test.want, "\n") {
				said = said[:min(len(said), len(test.want))]
			}
			if diff := cmp.Diff(test.want, said); diff != "" || status != test.status {
				t.Errorf("status %d, (-want +got):\n%s", status, diff)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(folder, "new.db")); err == nil {
		t.Error("a copy that was refused made its target")
	}
	served.end(t)
}
