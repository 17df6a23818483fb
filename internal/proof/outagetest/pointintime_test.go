package outagetest

import (
	"errors"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
)

// deployFiles is where pgbackrest.conf and archive.conf are, and backupPage the page with the commands.
const (
	deployFiles = "../../../docs/deploy/"
	backupPage  = "../../../docs/operator/backup.md"
)

// TestPointInTime archives the log of PostgreSQL by the files and commands of the manual. It restores another machine to a second
// between two changes, and a server on that machine has the first change and not the second.
func TestPointInTime(t *testing.T) {
	t.Parallel()
	pgbackrest := installed.Path(t, "NO RESTORE TO A SECOND WAS TRIED", "pgbackrest")
	primary := pgtest.Own(t, pgtest.Options{Socket: true})
	repository := filepath.Join(filepath.Dir(primary.Data()), "repository")
	run := func(c *pgtest.Cluster, script string, arguments ...string) {
		t.Helper()
		if err := c.Run(t.Context(), "*:*:*:postgres:"+c.Password()+"\n", script, arguments...); err != nil {
			t.Fatalf("%s: %v", script, err)
		}
	}
	// The machines have the files where the tests can put them.
	configure := func(c *pgtest.Cluster) {
		t.Helper()
		_, port := c.Address()
		run(c, `umask 077; printf %s "$2" >"$1"`, configOf(c), configured(t, map[string]string{
			"repo1-path": repository, "pg1-path": c.Data(), "pg1-port": strconv.Itoa(port), "pg1-socket-path": c.Data(),
		}))
	}
	at := func(c *pgtest.Cluster, text string) string {
		return strings.ReplaceAll(text, "pgbackrest --stanza", pgbackrest+" --config="+configOf(c)+" --stanza")
	}
	commands := blocksOf(t, backupPage, "pgbackrest ")
	if len(commands) != 2 {
		t.Fatalf("%s has %d blocks of pgBackRest, and this test runs 2: the backup, and the restore", backupPage, len(commands))
	}
	configure(primary)
	run(primary, `printf %s "$2" >>"$1"`, filepath.Join(primary.Data(), "postgresql.conf"), at(primary, read(t, deployFiles+"archive.conf")))
	if err := errors.Join(primary.Interrupt(), primary.Resume(t.Context())); err != nil {
		t.Fatal(err)
	}
	run(primary, at(primary, commands[0]))

	server := blackbox.NewServer(t, primary.AdminURL())
	server.Start(t)
	seller := blackbox.NewSeller(t, server, "anna")
	first := seller.Publish(t, 1)
	target := time.Now().Truncate(time.Second).Add(time.Second)
	time.Sleep(time.Until(target) + 100*time.Millisecond)
	second := seller.Publish(t, 1)
	server.Kill(t)
	if err := primary.Execute(t.Context(), "SELECT pg_switch_wal()"); err != nil { // what archive_timeout does after a minute
		t.Fatal(err)
	}
	blackbox.Eventually(t, time.Minute, "the log is archived", func() bool {
		waiting, err := primary.Ask(t.Context(), "SELECT count(*)::text FROM pg_ls_archive_statusdir() WHERE name LIKE '%.ready'")
		return err == nil && waiting == "0"
	})

	restored := primary.Machine(t)
	configure(restored)
	moment := target.UTC().Format("2006-01-02 15:04:05+00")
	run(restored, at(restored, regexp.MustCompile(`--target='[^']*'`).ReplaceAllString(commands[1], "--target='"+moment+"'")))
	if err := restored.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	blackbox.Eventually(t, time.Minute, "the machine accepts changes", func() bool {
		recovering, err := restored.Ask(t.Context(), "SELECT pg_is_in_recovery()::text")
		return err == nil && recovering == "false"
	})
	again := blackbox.NewServer(t, restored.AdminURL())
	again.Start(t)
	seller.Server = again
	status := map[string]int{}
	for what, item := range map[string]string{"the first item": first[0], "the second item": second[0]} {
		got, err := seller.Do(http.MethodGet, "/v1/items/"+item, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		status[what] = got.Status
	}
	if diff := cmp.Diff(map[string]int{"the first item": http.StatusOK, "the second item": http.StatusNotFound}, status); diff != "" {
		t.Errorf("restored to %s (-want +got):\n%s", target, diff)
	}
}

// configOf is where a machine has its pgbackrest.conf.
func configOf(c *pgtest.Cluster) string {
	return filepath.Join(filepath.Dir(c.Data()), "pgbackrest.conf")
}

// configured is the pgbackrest.conf of the manual with some of its settings changed.
func configured(t *testing.T, settings map[string]string) string {
	t.Helper()
	text := read(t, deployFiles+"pgbackrest.conf")
	for name, value := range settings {
		line := regexp.MustCompile(`(?m)^` + name + `=.*$`)
		if !line.MatchString(text) {
			t.Fatalf("pgbackrest.conf does not set %s", name)
		}
		text = line.ReplaceAllString(text, name+"="+value)
	}
	return text
}

// blocksOf are the blocks of a page's shell commands that begin with a text.
func blocksOf(t *testing.T, page, begin string) (found []string) {
	t.Helper()
	for _, match := range regexp.MustCompile("(?s)```sh\n("+regexp.QuoteMeta(begin)+".*?)```").FindAllStringSubmatch(read(t, page), -1) {
		found = append(found, match[1])
	}
	return found
}
