package main

import (
	"testing"

	"sellerd/internal/pgtest"
)

func TestRun(t *testing.T) {
	t.Run("the command finds the address of a cluster, and its exit status is returned", func(t *testing.T) {
		t.Setenv(pgtest.EnvAdminURL, "")
		pgtest.Own(t, pgtest.Options{}) // skips the test where there is no PostgreSQL
		status, err := run([]string{"/bin/sh", "-c", `case "$` + pgtest.EnvAdminURL + `" in postgres://*) exit 7;; esac`})
		if err != nil {
			t.Fatal(err)
		}
		if status != 7 {
			t.Errorf("the status is %d, want 7", status)
		}
	})

	t.Run("an address that is set already is passed on", func(t *testing.T) {
		t.Setenv(pgtest.EnvAdminURL, "postgres://example.org/admin")
		status, err := run([]string{"/bin/sh", "-c", `[ "$` + pgtest.EnvAdminURL + `" = postgres://example.org/admin ]`})
		if err != nil {
			t.Fatal(err)
		}
		if status != 0 {
			t.Errorf("the status is %d, want 0", status)
		}
	})

	t.Run("a command that does not exist is an error", func(t *testing.T) {
		t.Setenv(pgtest.EnvAdminURL, "postgres://example.org/admin")
		if status, err := run([]string{"/no/such/command"}); err == nil || status != 1 {
			t.Errorf("status %d and error %v, want 1 and an error", status, err)
		}
	})
}
