package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/store"
)

// TestABackupIsMadeWhileAServerWrites makes backups of a database that accounts are added to all the time, and serves from one.
func TestABackupIsMadeWhileAServerWrites(t *testing.T) {
	folder := t.TempDir()
	server := serve(t, folder, "--db", "sqlite:shop.db")
	account := must(t, folder, "accounts", "create", "--db", "sqlite:shop.db", "--nickname", "anna", "--email", "anna@example.com")
	id := strings.Split(strings.Split(account, `"id": "`)[1], `"`)[0]
	key := must(t, folder, "keys", "create", "--db", "sqlite:shop.db", "--account", id, "--mode", "test")
	if err := os.Mkdir(filepath.Join(folder, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	stop, written := make(chan struct{}), make(chan int)
	go func() { // beside the server, as commands do
		n := 0
		defer func() { written <- n }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, err := command(t, folder, "accounts", "create", "--db", "sqlite:shop.db", "--nickname", fmt.Sprintf("seller%d", n), "--email", fmt.Sprintf("s%d@example.com", n))
			if err != nil {
				t.Error(err)
				return
			}
			n++
		}
	}()
	for i := range 3 {
		must(t, folder, "backup", "--db", "sqlite:shop.db", fmt.Sprintf("backups/%d", i))
	}
	close(stop)
	n := <-written
	server.end(t)
	copied := filepath.Join(folder, "backups", "2")
	if files, err := os.ReadDir(copied); err != nil || len(files) != 3 {
		t.Errorf("the backup has %v %v", files, err)
	}
	restored := serve(t, copied, "--db", "sqlite:shop.db")
	if got := restored.status(t, key); got != 200 {
		t.Errorf("a key answers %d", got)
	}
	restored.end(t)
	if got := strings.Count(must(t, copied, "accounts", "list", "--db", "sqlite:shop.db"), `"nickname"`); got < 1 || got > n+1 {
		t.Errorf("%d accounts in the last backup, %d were made", got, n+1)
	}
}

// TestABackupSaysWhetherTheSecretIsInIt has no secret, one that a server was given, and one beside the database.
func TestABackupSaysWhetherTheSecretIsInIt(t *testing.T) {
	for _, test := range []struct {
		name   string
		served []string // nil: by no server yet, so that there is no secret to keep
		want   string
	}{
		{"none yet", nil, "shop.db"},
		{"given", []string{"--secret", oneSecret}, "operator-token, shop.db\nThe backup lacks the secret, without which no server starts on it: " +
			"keep SELLERD_SECRET in another place."},
		{"beside", []string{}, "operator-token, sellerd.secret, shop.db"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			must(t, folder, "migrate", "--db", "sqlite:shop.db")
			if test.served != nil {
				serve(t, folder, append(test.served, "--db", "sqlite:shop.db")...).end(t)
			}
			_, said, _ := strings.Cut(must(t, folder, "backup", "--db", "sqlite:shop.db", "copy"), ", checked, with ")
			if diff := cmp.Diff(test.want, said); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOldBackupsAreRemoved(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate", "--db", "sqlite:shop.db")
	for _, name := range []string{"sellerd-20260101T000000Z", "sellerd-20260102T000000Z", "sellerd-20260103T000000Z", "mine"} {
		if err := os.MkdirAll(filepath.Join(folder, "backups", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	must(t, folder, "backup", "--db", "sqlite:shop.db", "--keep", "2", "backups")
	files, err := os.ReadDir(filepath.Join(folder, "backups"))
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, file := range files {
		left = append(left, file.Name())
	}
	if len(left) != 3 || left[0] != "mine" || left[1] != "sellerd-20260103T000000Z" {
		t.Errorf("left are %v", left)
	}
}

// TestABackupGetsItsNameLast kills a backup that reads the last of the files beside the database, which is a pipe.
func TestABackupGetsItsNameLast(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate", "--db", "sqlite:shop.db")
	pipe := filepath.Join(folder, "legacy-letters.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	backup := exec.Command(path, "backup", "--db", "sqlite:shop.db", "copy")
	backup.Dir = folder
	if err := backup.Start(); err != nil {
		t.Fatal(err)
	}
	letters, err := os.OpenFile(pipe, os.O_WRONLY, 0) // when the backup opens it
	if err != nil {
		t.Fatal(err)
	}
	defer letters.Close()
	_ = backup.Process.Kill()
	_ = backup.Wait() // it was killed
	if _, err := os.Stat(filepath.Join(folder, "copy")); err == nil {
		t.Error("an unfinished backup has the name of a finished one")
	}
	if _, err := os.Stat(filepath.Join(folder, "copy.unfinished", "shop.db")); err != nil {
		t.Error(err)
	}
}

func TestMistakesOfABackupLeaveNothing(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate", "--db", "sqlite:shop.db")
	const instead = "sellerd: nothing was backed up, because PostgreSQL has programs of its own for that."
	for _, test := range []struct {
		name, line string
		status     int
		want       string
	}{
		{"no database", "--db sqlite:other.db backup", 1, "sellerd: there is no database at other.db: is --db mistyped?\n"},
		{"no folder", "--db sqlite:shop.db there/backup", 1, "sellerd: there is no folder there: make it first, or is the path mistyped?\n"},
		{"a file in its place", "--db sqlite:shop.db shop.db", 1, "sellerd: shop.db is there already: name another\n"},
		{"nothing to remove", "--db sqlite:shop.db --keep 3 new", 2, "sellerd: --keep needs a folder of backups that exists, and new is none\n"},
		{"PostgreSQL", "--db postgres://anna:hunter2@db/shop backup", 1, instead},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, said := mistake(t, folder, append([]string{"backup"}, strings.Fields(test.line)...)...)
			if diff := cmp.Diff(test.want, said[:min(len(said), len(test.want))]); diff != "" || status != test.status || strings.Contains(said, "hunter2") {
				t.Errorf("status %d (-want +got):\n%s", status, diff)
			}
		})
	}
	for _, name := range []string{"backup", "new", "there"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}

// A backup that cannot be trusted gets no name.
func TestABackupOfABrokenDatabaseFails(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate", "--db", "sqlite:shop.db")
	path := filepath.Join(folder, "shop.db")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	for page := int64(3); page < 40; page++ { // the roots of tables and indexes
		if _, err := file.WriteAt([]byte("broken"), page*4096); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := store.OpenBulkReader(t.Context(), store.Config{URL: "sqlite:" + path})
	if err == nil {
		defer b.Close()
		_, err = b.BackUp(t.Context(), filepath.Join(folder, "copy.db"), nil)
	}
	if err == nil {
		t.Error("the backup was made")
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "copy.db*")); left != nil {
		t.Errorf("%v is left", left)
	}
}
