package pgtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// prepared is a template with one table of one row.
func prepared(url string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, "CREATE TABLE notes (text text); INSERT INTO notes VALUES ('first')")
	return err
}

// dial connects to a database for the length of a test.
func dial(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// ask returns the one value that a query yields.
func ask[T any](t *testing.T, conn *pgx.Conn, query string) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func TestURL(t *testing.T) {
	t.Run("each test has its own copy of the template", func(t *testing.T) {
		one, two := dial(t, URL(t, prepared)), dial(t, URL(t, prepared))
		if _, err := one.Exec(t.Context(), "INSERT INTO notes VALUES ('second')"); err != nil {
			t.Fatal(err)
		}
		if got := ask[int](t, one, "SELECT count(*) FROM notes"); got != 2 {
			t.Errorf("the first copy has %d notes, want 2", got)
		}
		if got := ask[int](t, two, "SELECT count(*) FROM notes"); got != 1 {
			t.Errorf("the second copy has %d notes, want 1", got)
		}
	})

	t.Run("the cluster outlives a garbage collection", func(t *testing.T) {
		for range 2 { // the first finds the pipe unused, the second would have closed it
			URL(t, nil)
			runtime.GC()
		}
		dial(t, URL(t, nil))
	})

	t.Run("without a template it is empty", func(t *testing.T) {
		got := ask[int](t, dial(t, URL(t, nil)), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
		if got != 0 {
			t.Errorf("%d tables, want none", got)
		}
	})

	t.Run("the database is gone after the test", func(t *testing.T) {
		var name string
		t.Run("that used it", func(t *testing.T) {
			name = ask[string](t, dial(t, URL(t, nil)), "SELECT current_database()")
		})
		left := ask[bool](t, dial(t, URL(t, nil)), "SELECT EXISTS (SELECT FROM pg_database WHERE datname = '"+name+"')")
		if left {
			t.Errorf("%s was not dropped", name)
		}
	})
}

func TestOrphansAreDropped(t *testing.T) {
	admin := dial(t, Own(t, Options{}).AdminURL())
	if _, err := admin.Exec(t.Context(), "CREATE DATABASE pgtest_12345_1"); err != nil {
		t.Fatal(err)
	}
	alive, err := connect(t.Context(), admin.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = alive.admin.Close(context.Background()) })
	used, err := alive.create(prepared)
	if err != nil {
		t.Fatal(err)
	}

	next, err := connect(t.Context(), admin.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = next.admin.Close(context.Background()) })

	if ask[bool](t, admin, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = 'pgtest_12345_1')") {
		t.Error("a database of a process that is gone is still there")
	}
	if !ask[bool](t, admin, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = '"+used+"')") {
		t.Error("a database of a living process was dropped")
	}
}

func TestCluster(t *testing.T) {
	t.Run("it keeps its data over an interruption", func(t *testing.T) {
		c := Own(t, Options{Durable: true})
		if _, err := dial(t, c.AdminURL()).Exec(t.Context(), "CREATE TABLE notes (text text)"); err != nil {
			t.Fatal(err)
		}
		if err := c.Interrupt(); err != nil {
			t.Fatal(err)
		}
		if conn, err := pgx.Connect(t.Context(), c.AdminURL()); err == nil {
			_ = conn.Close(t.Context())
			t.Fatal("an interrupted server answers")
		}
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		conn := dial(t, c.AdminURL())
		if got := ask[int](t, conn, "SELECT count(*) FROM notes"); got != 0 {
			t.Errorf("%d notes, want 0", got)
		}
		if got := ask[string](t, conn, "SHOW fsync"); got != "on" {
			t.Errorf("fsync is %s in a durable cluster", got)
		}
	})

	t.Run("it answers nothing while it is frozen, and goes on when it is thawed", func(t *testing.T) {
		c := Own(t, Options{})
		conn := dial(t, c.AdminURL())
		if err := c.Freeze(); err != nil {
			t.Fatal(err)
		}
		answered := make(chan error, 1)
		go func() { answered <- conn.Ping(context.Background()) }()
		select {
		case err := <-answered:
			t.Errorf("a frozen server answered %v", err)
		case <-time.After(100 * time.Millisecond):
		}
		if err := c.Thaw(); err != nil {
			t.Fatal(err)
		}
		if err := <-answered; err != nil {
			t.Error(err)
		}
		if err := c.Freeze(); err != nil { // and it can be stopped as it is, when the test ends
			t.Fatal(err)
		}
	})

	t.Run("it refuses a wrong password", func(t *testing.T) {
		c := Own(t, Options{})
		guesser := *c
		guesser.password = "guessed"
		if conn, err := pgx.Connect(t.Context(), guesser.AdminURL()); err == nil {
			_ = conn.Close(t.Context())
			t.Error("a wrong password was accepted")
		}
	})

	t.Run("it removes its folder when it stops", func(t *testing.T) {
		c, err := Start(t.Context(), Options{})
		if Skip(t, err) {
			return
		}
		if err := c.Stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(c.dir); !os.IsNotExist(err) {
			t.Errorf("the folder is still there: %v", err)
		}
	})
}

// TestKilledProcess kills a process that has a cluster, and waits for the cluster to go.
func TestKilledProcess(t *testing.T) {
	if os.Getenv("PGTEST_CHILD") == "1" {
		child()
	}
	if _, err := binaries(); Skip(t, err) {
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	temporary, err := os.MkdirTemp("", "pgtest-killed-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	if err := os.Chmod(temporary, 0o755); err != nil { // for the user that PostgreSQL runs as
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestKilledProcess$")
	cmd.Env = append(os.Environ(), "PGTEST_CHILD=1", "TMPDIR="+temporary)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 300)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(string(line[:n]))
	dial(t, url)

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // "signal: killed"

	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(20 * time.Second)
	for {
		conn, err := pgx.Connect(t.Context(), url)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		data, _ := filepath.Glob(filepath.Join(temporary, "pgtest-*", "data"))
		if err != nil && len(data) == 0 {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("20 s after its process was killed: connecting says %v, folders %v", err, data)
		}
	}
}

// child starts a cluster, prints its address and waits to be killed.
func child() {
	c, err := Start(context.Background(), Options{})
	if err != nil {
		panic(err)
	}
	if _, err := os.Stdout.WriteString(c.AdminURL() + "\n"); err != nil {
		panic(err)
	}
	select {}
}

func TestCandidates(t *testing.T) {
	if got := version("/usr/lib/postgresql/17/bin"); got != 17 {
		t.Errorf("version is %d, want 17", got)
	}
	if got := version("/opt/bin"); got != 0 {
		t.Errorf("version is %d, want 0", got)
	}
}

// verdict records how a test was ended.
type verdict struct {
	testing.TB
	skipped, failed bool
}

func (v *verdict) Helper()              {}
func (v *verdict) Skipf(string, ...any) { v.skipped = true }
func (v *verdict) Fatal(...any)         { v.failed = true }

func TestWithoutPostgres(t *testing.T) {
	for name, c := range map[string]struct {
		require string
		err     error
		want    verdict
	}{
		"a server is there":                               {"", nil, verdict{}},
		"none is installed: skipped":                      {"", ErrNotInstalled, verdict{skipped: true}},
		"none is installed where one is required: failed": {"1", ErrNotInstalled, verdict{failed: true}},
		"one is installed and does not start: failed":     {"", os.ErrPermission, verdict{failed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(EnvRequire, c.require)
			var got verdict
			if ended := Skip(&got, c.err); ended != (c.err != nil) {
				t.Errorf("the test ended: %v", ended)
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
