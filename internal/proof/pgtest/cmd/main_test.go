package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
)

// root is the module's root, seen from here.
const root = "../../../.."

func TestRun(t *testing.T) {
	t.Run("the command finds the address and the name of a cluster, and its exit status is returned", func(t *testing.T) {
		t.Setenv(pgtest.EnvAdminURL, "")
		pgtest.Own(t, pgtest.Options{}) // skips the test where there is no PostgreSQL
		expect(t, choice{}, `case "$`+pgtest.EnvAdminURL+` $`+pgtest.EnvEngine+`" in postgres://*" PostgreSQL "*", read committed") exit 7;; esac`, 7)
	})

	t.Run("an isolation level is that of the cluster and of those of tests", func(t *testing.T) {
		t.Setenv(pgtest.EnvAdminURL, "")
		t.Setenv(pgtest.EnvIsolation, "") // puts back what run sets
		pgtest.Own(t, pgtest.Options{})
		expect(t, choice{isolation: "serializable"}, `case "$`+pgtest.EnvIsolation+` $`+pgtest.EnvEngine+`" in "serializable PostgreSQL "*", serializable") exit 7;; esac`, 7)
	})

	t.Run("a pooler is before the cluster and not in the place of it", func(t *testing.T) {
		t.Setenv(pgtest.EnvAdminURL, "")
		installed.Path(t, "THE POOLER WAS NOT TRIED", "pgbouncer")
		t.Chdir(root)
		pgtest.Own(t, pgtest.Options{})
		expect(t, choice{pooler: true}, `[ "$`+pgtest.EnvAdminURL+`" != "$`+pgtest.EnvPooler+`" ] && case "$`+pgtest.EnvPooler+` $`+pgtest.EnvEngine+`" in `+
			`postgres://*"default_query_exec_mode=exec PostgreSQL "*", behind PgBouncer in transaction mode") exit 7;; esac`, 7)
	})

	t.Run("a server that is there is used", func(t *testing.T) {
		given := pgtest.Own(t, pgtest.Options{}).AdminURL()
		t.Setenv(pgtest.EnvAdminURL, given)
		expect(t, choice{}, `case "$`+pgtest.EnvAdminURL+` $`+pgtest.EnvEngine+`" in "`+given+` PostgreSQL "*", read committed") exit 7;; esac`, 7)
		expect(t, choice{isolation: "serializable"}, `case "$`+pgtest.EnvEngine+`" in "PostgreSQL "*", serializable") exit 7;; esac`, 7)
	})

	t.Run("a server that cannot be used ends it before the command", func(t *testing.T) {
		t.Setenv(pgtest.EnvAdminURL, "postgres://tester@127.0.0.1:1/postgres")
		for name, engine := range map[string]choice{"it does not answer": {}, "it has no pooler": {pooler: true}, "it has a version": {newest: true}, "the level is unknown": {isolation: "total"}} {
			if status, err := engine.run([]string{"/bin/sh", "-c", "exit 7"}); err == nil || status != 2 || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: status %d and error %v, want 2 and a single line", name, status, err)
			}
		}
	})

	t.Run("a command that does not exist is an error", func(t *testing.T) {
		t.Setenv(pgtest.EnvAdminURL, pgtest.Own(t, pgtest.Options{}).AdminURL())
		if status, err := (choice{}).run([]string{"/no/such/command"}); err == nil || status != 1 {
			t.Errorf("status %d and error %v, want 1 and an error", status, err)
		}
	})
}

func expect(t *testing.T, engine choice, script string, want int) {
	t.Helper()
	status, err := engine.run([]string{"/bin/sh", "-c", script})
	if err != nil {
		t.Fatal(err)
	}
	if status != want {
		t.Errorf("the status is %d, want %d", status, want)
	}
}

// TestMakeTest runs `make test` on a server that is there, as docs/operator/scaling.md has it, with a single test.
func TestMakeTest(t *testing.T) {
	installed.Require(t, "MAKE TEST WAS NOT TRIED", "make")
	cluster := pgtest.Own(t, pgtest.Options{})
	makeTest := func(t *testing.T, address string) (string, error) {
		t.Helper()
		command := exec.Command("make", "-C", root, "test", "DATABASE="+address, "PACKAGES=./internal/proof/pgtest -run ^TestURL$$")
		for _, variable := range os.Environ() {
			if name, _, _ := strings.Cut(variable, "="); !strings.HasPrefix(name, "SELLERD_") && !strings.HasPrefix(name, "MAKE") {
				command.Env = append(command.Env, variable)
			}
		}
		out, err := command.CombinedOutput()
		return string(out), err
	}
	t.Run("it names the engine", func(t *testing.T) {
		out, err := makeTest(t, cluster.AdminURL())
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if !regexp.MustCompile(`(?m)^on SQLite and on PostgreSQL [^\n]*, read committed\n[1-9]\d* passed, 0 failed, 0 skipped$`).MatchString(out) {
			t.Errorf("it says\n%s", out)
		}
	})
	t.Run("a server that does not answer is a line, and no test runs", func(t *testing.T) {
		out, err := makeTest(t, "postgres://tester:hunter2@127.0.0.1:1/postgres")
		if err == nil {
			t.Fatal("it passed")
		}
		if !regexp.MustCompile(`(?m)^pgtest: the server cannot be used: [^\n]*connection refused`).MatchString(out) || strings.Contains(out, "hunter2") || strings.Contains(out, "passed") {
			t.Errorf("it says\n%s", out)
		}
	})
}
