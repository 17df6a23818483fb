package main_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store"
)

// Two secrets as the command line takes them.
var (
	oneSecret   = base64.StdEncoding.EncodeToString([]byte("one secret of thirty-two bytes.."))
	otherSecret = base64.StdEncoding.EncodeToString([]byte("other secret of thirty-two bytes"))
)

// secretFile is the secret beside a SQLite database, and of a server on PostgreSQL that is given none.
func secretFile(folder string) string { return filepath.Join(folder, "data", "sellerd.secret") }

// noSecret fails the test if there is a secret's file in a folder.
func noSecret(t *testing.T, folder, when string) {
	t.Helper()
	if _, err := os.Stat(secretFile(folder)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s left a secret behind: %v", when, err)
	}
}

// refused starts a server that must not serve, and expects what it says last.
func refused(t *testing.T, folder string, want string, flags ...string) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, append([]string{"serve", "--addr", "127.0.0.1:0", "--operator-addr", "127.0.0.1:0"}, flags...)...)
	cmd.Dir = folder
	stderr, err := cmd.StderrPipe()
	if err != nil || cmd.Start() != nil {
		t.Fatal("cannot start the program", err)
	}
	said := ""
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		said = lines.Text()
		if servingLine.MatchString(said) {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	if diff := cmp.Diff("sellerd: "+want, said); diff != "" || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("status %d, (-want +got):\n%s", cmd.ProcessState.ExitCode(), diff)
	}
}

const (
	putBack = "from the backup, or give the secret with --secret or SELLERD_SECRET; if there is none any more, `sellerd secret replace` makes one, " +
		"and its help says what that costs"
	giveRight = "the backup or another server has the right one; if that is lost or has leaked, `sellerd secret replace` goes on with this one, and " +
		"its help says what that costs"
	missingHere = "this database is in use, and its secret is not here: put it back as data/sellerd.secret " + putBack +
		"; or, if this database was never served, run `sellerd secret replace`"
)

func TestCommandsThatProtectNothingMakeNoSecret(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	account := createAnna(t, folder)
	key := must(t, folder, "keys", "create", "--account", account, "--mode", "test")
	successor := must(t, folder, "keys", "rotate", key)
	must(t, folder, "keys", "list", "--account", account)
	must(t, folder, "keys", "revoke", successor)
	must(t, folder, "keys", "list", "--account", account, "--secret", otherSecret) // as scripts for release 1.2.0 say
	noSecret(t, folder, "a command")

	t.Run("and a server makes none for the accounts that are there", func(t *testing.T) {
		refused(t, folder, missingHere)
		noSecret(t, folder, "a server that was refused")
	})
}

func TestASQLiteDatabaseStaysWithItsSecret(t *testing.T) {
	folder := t.TempDir()
	first := serve(t, folder)
	if diff := cmp.Diff("data/sellerd.secret, made now", first.from.Secret); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("data/operator-token, made now", first.from.Token); diff != "" {
		t.Error(diff)
	}
	first.end(t)
	again := serve(t, folder, "--operator-token", "a-token-from-a-vault")
	if diff := cmp.Diff(origins{"data/sellerd.secret", "--operator-token"}, again.from); diff != "" {
		t.Errorf("where they come from (-want +got):\n%s", diff)
	}
	again.end(t)

	own, err := os.ReadFile(secretFile(folder))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("another secret is refused", func(t *testing.T) {
		refused(t, folder, "the secret from --secret is not the one that this database belongs to: "+giveRight, "--secret", otherSecret)
		if err := os.WriteFile(secretFile(folder), []byte("other secret of thirty-two bytes"), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, folder, "the secret from data/sellerd.secret is not the one that this database belongs to: "+giveRight)
	})
	t.Run("without its file it is refused, and no other is made, though there is no account yet", func(t *testing.T) {
		if err := os.Remove(secretFile(folder)); err != nil {
			t.Fatal(err)
		}
		refused(t, folder, missingHere)
		noSecret(t, folder, "a server that was refused")
	})
	t.Run("with the file from the backup it starts", func(t *testing.T) {
		if err := os.WriteFile(secretFile(folder), own, 0o600); err != nil {
			t.Fatal(err)
		}
		serve(t, folder).end(t)
	})
	t.Run("a damaged file is reported", func(t *testing.T) {
		if err := os.WriteFile(secretFile(folder), own[:31], 0o600); err != nil {
			t.Fatal(err)
		}
		damaged := "the file data/sellerd.secret must hold the secret, 32 bytes: put it back " +
			strings.Replace(putBack, "any more, ", "any more, move the file away, and ", 1)
		refused(t, folder, damaged)
		if status, said := mistake(t, folder, "secret", "replace"); status != 1 || said != "sellerd: "+damaged+"\n" {
			t.Errorf("secret replace: status %d, it says %q", status, said)
		}
		if err := errors.Join(os.Remove(secretFile(folder)), os.Mkdir(secretFile(folder), 0o700)); err != nil {
			t.Fatal(err)
		}
		refused(t, folder, "the secret in data/sellerd.secret cannot be read: is a directory: it must be a file that this user may read")
	})
}

func TestReplacingASecretIsACommandOfItsOwn(t *testing.T) {
	folder := t.TempDir()
	first := serve(t, folder)
	status, said := mistake(t, folder, "secret", "replace")
	if status != 1 || !strings.Contains(said, "another server is running on ./data/sellerd.db: stop it first") {
		t.Errorf("beside a server: %d %s", status, said)
	}
	first.end(t)
	old, err := os.ReadFile(secretFile(folder))
	if err != nil {
		t.Fatal(err)
	}
	status, said = mistake(t, folder, "secret", "replace")
	if diff := cmp.Diff("sellerd: this database belongs to the secret from data/sellerd.secret already: give another with --secret or SELLERD_SECRET, or "+
		"move the file away and another is made\n", said); diff != "" || status != 1 {
		t.Errorf("status %d, (-want +got):\n%s", status, diff)
	}
	replace := func(from string, args ...string) {
		t.Helper()
		var got, want any
		if err := json.Unmarshal([]byte(must(t, folder, append([]string{"secret", "replace"}, args...)...)), &got); err != nil {
			t.Fatal(err)
		}
		want = map[string]any{"secret_from": from, "compared": true, "webhooks": []any{}, "answers": 0.0}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	t.Run("one that is lost, by one that is made", func(t *testing.T) {
		if err := os.Remove(secretFile(folder)); err != nil {
			t.Fatal(err)
		}
		replace("data/sellerd.secret, made now")
		made, err := os.ReadFile(secretFile(folder))
		info, err2 := os.Stat(secretFile(folder))
		if err != nil || err2 != nil || len(made) != 32 || string(made) == string(old) || info.Mode().Perm() != 0o600 {
			t.Errorf("a file of %d bytes, %v, %v", len(made), info, err)
		}
		serve(t, folder).end(t)
	})
	t.Run("one whose file is damaged, by one that is made when that is moved away", func(t *testing.T) {
		if err := os.WriteFile(secretFile(folder), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		mistake(t, folder, "secret", "replace")
		if err := os.Rename(secretFile(folder), secretFile(folder)+".damaged"); err != nil {
			t.Fatal(err)
		}
		replace("data/sellerd.secret, made now")
	})
	t.Run("one that has leaked, by one that is given", func(t *testing.T) {
		replace("--secret", "--secret", oneSecret)
		refused(t, folder, "the secret from data/sellerd.secret is not the one that this database belongs to: "+giveRight)
		serve(t, folder, "--secret", oneSecret).end(t)
	})
}

// TestADatabaseOfTheReleaseBeforeIsClaimed is about databases that say nothing of their secret, because release 1.2.0 wrote
// nothing down.
func TestADatabaseOfTheReleaseBeforeIsClaimed(t *testing.T) {
	for name, database := range map[string]func() string{
		"on SQLite":     func() string { return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db") },
		"on PostgreSQL": func() string { return pgtest.URL(t, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			folder, url := t.TempDir(), database()
			t.Setenv("SELLERD_DB", url)
			server := serve(t, folder, "--secret", oneSecret)
			hook := server.subscribe(t, folder)
			server.end(t)
			forget(t, url)

			refused(t, folder, "the secret from --secret opens none of the webhooks in this database: "+giveRight, "--secret", otherSecret)
			serve(t, folder, "--secret", oneSecret).end(t)
			refused(t, folder, "the secret from --secret is not the one that this database belongs to: "+giveRight, "--secret", otherSecret)

			forget(t, url)
			status, said := mistake(t, folder, "secret", "replace", "--secret", oneSecret)
			if diff := cmp.Diff("sellerd: this database belongs to the secret from --secret already: give another with --secret or SELLERD_SECRET, or move the "+
				"file away and another is made\n", said); diff != "" || status != 1 {
				t.Errorf("its own secret: status %d, (-want +got):\n%s", status, diff)
			}
			var got struct {
				Webhooks []struct{ ID string } `json:"webhooks"`
			}
			if err := json.Unmarshal([]byte(must(t, folder, "secret", "replace", "--secret", otherSecret)), &got); err != nil {
				t.Fatal(err)
			}
			if len(got.Webhooks) != 1 || got.Webhooks[0].ID != hook {
				t.Errorf("want the webhook %s, got %v", hook, got)
			}
			serve(t, folder, "--secret", otherSecret).end(t)
		})
	}
}

// forget makes a database one that says nothing of its secret.
func forget(t *testing.T, url string) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{URL: url, Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
		_, err := tx.SecretFingerprint.Delete().Exec(ctx)
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// subscribe makes a seller with a webhook, and returns the webhook's id.
func (c *child) subscribe(t *testing.T, folder string) string {
	t.Helper()
	account := createAnna(t, folder)
	r, err := http.NewRequest(http.MethodPost, c.url+"/v1/webhooks", strings.NewReader(`{"url": "https://example.com/hook"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", must(t, folder, "keys", "create", "--account", account, "--mode", "live"))
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var made struct {
		Data struct{ ID string } `json:"data"`
	}
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("status %d: %v", response.StatusCode, err)
	}
	return made.Data.ID
}

func TestAServerTakesItsSecretsFromFiles(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"DB": "sqlite:from-a-file.db", "SECRET": oneSecret, "OPERATOR_TOKEN": "a-token-of-some-length"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("SELLERD_"+name+"_FILE", path)
	}
	server := serve(t, folder)
	if diff := cmp.Diff(origins{Secret: "SELLERD_SECRET_FILE", Token: "SELLERD_OPERATOR_TOKEN_FILE"}, server.from); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	server.end(t)
	if _, err := os.Stat(filepath.Join(folder, "from-a-file.db")); err != nil {
		t.Error(err)
	}
	t.Setenv("SELLERD_DB", "sqlite:other.db")
	status, said := mistake(t, folder, "serve")
	const want = "sellerd: SELLERD_DB and SELLERD_DB_FILE are both set: leave one of them out\nRun `sellerd serve --help` for its commands and flags.\n"
	if diff := cmp.Diff(want, said); diff != "" || status != 2 {
		t.Errorf("status %d (-want +got):\n%s", status, diff)
	}
}
