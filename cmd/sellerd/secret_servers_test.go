package main_test

import (
	"bufio"
	"encoding/base64"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/pgtest"
)

// TestOfThreeServersTheOneWithAnotherSecretIsRefused has three servers on one PostgreSQL, each in a folder of its own.
func TestOfThreeServersTheOneWithAnotherSecretIsRefused(t *testing.T) {
	database := pgtest.URL(t, nil)
	t.Setenv("SELLERD_DB", database)
	folder := t.TempDir()
	first := serve(t, folder)
	if diff := cmp.Diff("data/sellerd.secret, made now", first.from.Secret); diff != "" {
		t.Error(diff)
	}
	own, err := os.ReadFile(secretFile(folder))
	if err != nil {
		t.Fatal(err)
	}
	second := serve(t, t.TempDir(), "--secret", base64.StdEncoding.EncodeToString(own))
	refused(t, t.TempDir(), "the secret from --secret is not the one that this database belongs to: "+giveRight, "--secret", otherSecret)
	third := t.TempDir()
	refused(t, third, missingHere)
	noSecret(t, third, "a server that was refused")
	must(t, third, "accounts", "create", "--nickname", "anna", "--email", "anna@example.com")
	noSecret(t, third, "a command")

	t.Setenv("SELLERD_SECRET", base64.StdEncoding.EncodeToString(own))
	last := serve(t, third)
	if diff := cmp.Diff("SELLERD_SECRET", last.from.Secret); diff != "" {
		t.Error(diff)
	}
	for _, server := range []*child{first, second, last} {
		server.end(t)
	}
}

// TestOfServersThatStartTogetherOneGivesTheSecret starts servers on an empty PostgreSQL at the same moment, none of them with a secret.
func TestOfServersThatStartTogetherOneGivesTheSecret(t *testing.T) {
	t.Setenv("SELLERD_DB", pgtest.URL(t, nil))
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	folders, said := make([]string, 4), make([]string, 4)
	var all sync.WaitGroup
	for i := range folders {
		folders[i] = t.TempDir()
		cmd := exec.CommandContext(t.Context(), path, "serve", "--addr", "127.0.0.1:0", "--operator-addr", "127.0.0.1:0")
		cmd.Dir = folders[i]
		stderr, err := cmd.StderrPipe()
		if err != nil || cmd.Start() != nil {
			t.Fatal("cannot start the program", err)
		}
		all.Go(func() {
			defer func() { _ = cmd.Wait() }()
			for lines := bufio.NewScanner(stderr); lines.Scan(); {
				said[i] = lines.Text()
				if servingLine.MatchString(said[i]) {
					_ = cmd.Process.Signal(os.Interrupt)
				}
			}
		})
	}
	all.Wait()
	winners := 0
	for i, folder := range folders {
		switch {
		case strings.Contains(said[i], `"msg":"stopped"`):
			winners++
			if secret, err := os.ReadFile(secretFile(folder)); err != nil || len(secret) != 32 {
				t.Errorf("the server that won has %d bytes: %v", len(secret), err)
			}
		case strings.Contains(said[i], "another server made the secret of this database at the same time"), strings.Contains(said[i], "its secret is not here"):
			noSecret(t, folder, "a server that was refused")
		default:
			t.Errorf("server %d: %s", i, said[i])
		}
	}
	if winners != 1 {
		t.Errorf("%d servers served", winners)
	}
}
