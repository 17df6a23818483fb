package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// This file adds to a cluster: a standby that follows it, and programs beside it.

// Standby makes a cluster that follows this one. This one then acknowledges only what the standby has stored. It is stopped
// when the test ends.
func (c *Cluster) Standby(tb testing.TB) *Cluster {
	tb.Helper()
	standby, err := c.follow(tb.Context())
	if err != nil {
		tb.Fatal("pgtest: make a standby: ", err)
	}
	standby.endWith(tb)
	return standby
}

func (c *Cluster) follow(ctx context.Context) (_ *Cluster, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	standby, err := newCluster(c.options, c.password, filepath.Dir(c.dir))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, standby.Stop())
		}
	}()
	copying := exec.CommandContext(ctx, filepath.Join(c.bin, "pg_basebackup"), "-d", c.AdminURL()+"&application_name=standby", "-D", standby.Data(), "-R", "-X",
		"stream", "-c", "fast", "--no-sync")
	standby.confine(copying)
	if out, err := copying.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("pg_basebackup: %w\n%s", err, out)
	}
	if err := standby.guard(); err != nil {
		return nil, err
	}
	if err := standby.Resume(ctx); err != nil {
		return nil, err
	}
	// The copy must not have this setting: once it is the primary, no standby follows it.
	return standby, c.Execute(ctx, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
}

// Promote makes a standby the primary, and returns when it is.
func (c *Cluster) Promote(ctx context.Context) error { return c.Execute(ctx, "SELECT pg_promote()") }

// Execute runs statements as the administrator, each by itself.
func (c *Cluster) Execute(ctx context.Context, statements ...string) error {
	return Execute(ctx, c.AdminURL(), statements...)
}

// Execute runs statements on a database, each by itself.
func Execute(ctx context.Context, url string, statements ...string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%.200s: %w", statement, err)
		}
	}
	return nil
}

// Address is where the cluster listens.
func (c *Cluster) Address() (host string, port int) { return "127.0.0.1", c.port }

// Password is that of the superuser, postgres.
func (c *Cluster) Password() string { return c.password }

// FreePort is a port of 127.0.0.1 on which nothing listens at this moment.
func FreePort(tb testing.TB) int {
	tb.Helper()
	port, err := freePort()
	if err != nil {
		tb.Fatal(err)
	}
	return port
}

// Beside runs a program until the test ends: as the user of the cluster, because programs of PostgreSQL do not run as root.
// command gets the program's own folder, which has the given files.
func (c *Cluster) Beside(tb testing.TB, files map[string]string, command func(folder string) (program string, args []string)) {
	tb.Helper()
	stop, err := runBeside(tb.Output(), files, command)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(stop)
}

// runBeside runs a program until stop is called.
func runBeside(output io.Writer, files map[string]string, command func(folder string) (program string, args []string)) (stop func(), err error) {
	folder, err := os.MkdirTemp("", "pgtest-beside-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := give(owner, folder); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := write(owner, filepath.Join(folder, name), text); err != nil {
			return nil, err
		}
	}
	program, args := command(folder)
	process := exec.Command(program, args...)
	process.Dir = folder
	process.SysProcAttr = &syscall.SysProcAttr{Credential: owner}
	endWithUs(process.SysProcAttr)
	process.Stdout, process.Stderr = output, output
	if err := process.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		_ = os.RemoveAll(folder)
	}, nil
}

// Through is the URL of a database behind a program at another port of this machine.
func (c *Cluster) Through(port int, database string) string {
	through := *c
	through.port = port
	return through.URL(database)
}

// Hosts is the URL of the admin database on several clusters, for a program that uses the one that accepts writes.
func Hosts(clusters ...*Cluster) string {
	var hosts []string
	for _, c := range clusters {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", c.port))
	}
	return "postgres://postgres:" + clusters[0].password + "@" + strings.Join(hosts, ",") + "/postgres?sslmode=disable&target_session_attrs=read-write"
}
