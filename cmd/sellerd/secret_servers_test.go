package main_test

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/pgtest"
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
	createAnna(t, third)
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

func TestTheLogSaysWhereSecretsAreFromAndNotWhatTheyAre(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	const token = "a-token-from-a-vault"
	for name, test := range map[string]struct {
		variables []string
		want      origins
	}{
		"made":      {nil, origins{"data/sellerd.secret, made now", "data/operator-token, made now"}},
		"variables": {[]string{"SELLERD_SECRET=" + oneSecret, "SELLERD_OPERATOR_TOKEN=" + token}, origins{"SELLERD_SECRET", "SELLERD_OPERATOR_TOKEN"}},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), path, "serve", "--addr", "127.0.0.1:0", "--operator-addr", "127.0.0.1:0", "--log-level", "debug")
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), test.variables...)
			stderr, err := cmd.StderrPipe()
			if err != nil || cmd.Start() != nil {
				t.Fatal("cannot start the program", err)
			}
			var log strings.Builder
			var from origins
			for lines := bufio.NewScanner(stderr); lines.Scan(); {
				log.Write(lines.Bytes())
				if servingLine.Match(lines.Bytes()) {
					if err := errors.Join(json.Unmarshal(lines.Bytes(), &from), cmd.Process.Signal(os.Interrupt)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, from); diff != "" {
				t.Errorf("where they come from (-want +got):\n%s", diff)
			}
			secrets := []string{oneSecret, token}
			if test.variables == nil {
				secret, err1 := os.ReadFile(secretFile(cmd.Dir))
				token, err2 := os.ReadFile(filepath.Join(cmd.Dir, "data", "operator-token"))
				if err := errors.Join(err1, err2); err != nil {
					t.Fatal(err)
				}
				secrets = []string{base64.StdEncoding.EncodeToString(secret), hex.EncodeToString(secret), strings.TrimSpace(string(token))}
			}
			for _, secret := range secrets {
				if strings.Contains(log.String(), secret) {
					t.Errorf("the log shows %s", secret)
				}
			}
		})
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
