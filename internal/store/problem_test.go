package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store/migrations"
)

func TestOpenNamesItsProblem(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for name, text := range map[string]string{"empty.db": "", "notes.txt": strings.Repeat("This is no database. ", 100)} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server, err := Open(t.Context(), Config{URL: "sqlite:" + at("served.db"), Server: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	if err := syscall.Mkfifo(at("device"), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := openPool("file:"+at("foreign.db"), 1, nil)
	if _, err := foreign.ExecContext(t.Context(), "CREATE TABLE cookies (name TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := foreign.Close(); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		config Config
		want   Problem
	}{
		"an unknown kind":                      {Config{URL: "mysql://127.0.0.1/shop"}, ProblemURL},
		"SQLite without a file":                {Config{URL: "sqlite:"}, ProblemURL},
		"a malformed PostgreSQL URL":           {Config{URL: "postgres://127.0.0.1:port/shop"}, ProblemURL},
		"a password with an @":                 {Config{URL: "postgres://anna:hun@ter2@127.0.0.1:1/shop"}, ProblemURL},
		"a certificate that is not there":      {Config{URL: "postgres://anna:hunter2@127.0.0.1:1/shop?sslmode=verify-full&sslrootcert=/none.pem"}, ProblemSetting},
		"a mode that TLS does not have":        {Config{URL: "postgres://anna:hunter2@127.0.0.1:1/shop?sslmode=on"}, ProblemSetting},
		"no file where one must be":            {Config{URL: "sqlite:" + at("none.db"), Existing: true}, ProblemMissing},
		"an empty file where tables must be":   {Config{URL: "sqlite:" + at("empty.db"), Existing: true}, ProblemMissing},
		"somebody else's tables":               {Config{URL: "sqlite:" + at("foreign.db"), Existing: true}, ProblemTables},
		"tables among somebody else's":         {Config{URL: "sqlite:" + at("foreign.db")}, ProblemTables},
		"a file that another server serves":    {Config{URL: "sqlite:" + at("served.db"), Server: true}, ProblemServed},
		"a file of something else":             {Config{URL: "sqlite:" + at("notes.txt")}, ProblemForeign},
		"a device":                             {Config{URL: "sqlite:" + at("device")}, ProblemForeign},
		"a server on something else":           {Config{URL: "sqlite:" + at("notes.txt"), Server: true}, ProblemForeign},
		"a path through a file":                {Config{URL: "sqlite:" + at("notes.txt/x.db")}, ProblemFolder},
		"a folder in the place of the file":    {Config{URL: "sqlite:" + folder}, ProblemFiles},
		"a PostgreSQL that nobody has started": {Config{URL: "postgres://anna:hunter2@127.0.0.1:1/shop"}, ProblemUnreachable},
	} {
		t.Run(name, func(t *testing.T) { wantProblem(t, test.config, test.want) })
	}
	if _, err := os.Stat(at("none.db")); err == nil {
		t.Error("looking for a database made one")
	}
	for _, name := range []string{"notes.txt.server", "notes.txt.start", "device.start"} {
		if _, err := os.Stat(at(name)); err == nil {
			t.Error("a file that is no database got the lock file", name)
		}
	}
}

func TestOpenNamesThePostgreSQLsProblem(t *testing.T) {
	url := pgtest.URL(t, nil)
	name := url[strings.LastIndex(url, "/"):]
	name, _, _ = strings.Cut(name, "?")
	t.Run("no tables", func(t *testing.T) {
		wantProblem(t, Config{URL: url, Existing: true}, ProblemMissing)
	})
	t.Run("no such database", func(t *testing.T) {
		wantProblem(t, Config{URL: strings.Replace(url, name, "/typo", 1)}, ProblemNoDatabase)
	})
	t.Run("no such user", func(t *testing.T) {
		_, rest, _ := strings.Cut(url, "@")
		wantProblem(t, Config{URL: "postgres://nobody:hunter2@" + rest}, ProblemLogin)
	})
	t.Run("none, once it was migrated", func(t *testing.T) {
		for _, existing := range []bool{false, true} {
			db, err := Open(t.Context(), Config{URL: url, Existing: existing})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestOpenNamesWhatPostgreSQLRefuses opens databases that are there, and that cannot be used as they are.
func TestOpenNamesWhatPostgreSQLRefuses(t *testing.T) {
	cluster := pgtest.Own(t, pgtest.Options{})
	for name, test := range map[string]struct {
		role, database string // what follows their names
		want           Problem
	}{
		"stranger": {"", "", ProblemRights},
		"reader":   {"; ALTER ROLE reader SET default_transaction_read_only = on", " OWNER reader", ProblemReadOnly},
		"excluded": {" CONNECTION LIMIT 0", " OWNER excluded", ProblemRefused},
		"latin":    {"", " OWNER latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0", ProblemEncoding},
	} {
		t.Run(name, func(t *testing.T) {
			statements := strings.Split("CREATE ROLE "+name+" LOGIN PASSWORD 'hunter2'"+test.role+"; CREATE DATABASE "+name+test.database, "; ")
			if err := cluster.Execute(t.Context(), statements...); err != nil {
				t.Fatal(err)
			}
			wantProblem(t, Config{URL: strings.Replace(cluster.URL(name), "postgres:"+cluster.Password()+"@", name+":hunter2@", 1)}, test.want)
		})
	}
}

// Letters beyond ASCII would otherwise be stored as others, and other programs would read them so.
func TestTheEncodingIsOurs(t *testing.T) {
	plain := pgtest.URL(t, nil)
	with := "?"
	if strings.Contains(plain, "?") {
		with = "&"
	}
	for _, url := range []string{plain, plain + with + "client_encoding=latin1", plain + with + "options=-c%20client_encoding%3Dlatin1"} {
		config, err := readURL(url)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := pgx.ConnectConfig(t.Context(), config.ConnConfig)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := conn.QueryRow(t.Context(), "SHOW client_encoding").Scan(&got); err != nil || got != "UTF8" {
			t.Errorf("%s: the encoding is %q, %v", url, got, err)
		}
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// wantProblem opens a database that cannot be opened.
func wantProblem(t *testing.T, c Config, want Problem) {
	t.Helper()
	db, err := Open(t.Context(), c)
	if err == nil {
		_ = db.Close()
		t.Fatal("it was opened")
	}
	var problem *OpenError
	if !errors.As(err, &problem) {
		t.Fatalf("want problem %d, got an error without one: %v", want, err)
	}
	if problem.Problem != want || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("want problem %d and no password, got %d: %v", want, problem.Problem, err)
	}
}

func TestTheSchemaVersionIsThatOfTheLastMigration(t *testing.T) {
	files, err := filepath.Glob("migrations/sqlite/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := migrations.SchemaVersion(); err != nil || got != int64(len(files)) {
		t.Errorf("want %d, got %d, %v", len(files), got, err)
	}
}
