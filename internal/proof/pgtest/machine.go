package pgtest

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
)

// This file is for tests that set clusters up by the scripts of a manual.

// Machine makes a cluster with the options of this one and without data, which Run has to fill before Resume starts it. It is stopped
// when the test ends.
func (c *Cluster) Machine(tb testing.TB) *Cluster {
	tb.Helper()
	machine, err := newCluster(c.options, c.password, filepath.Dir(c.dir))
	if err != nil {
		tb.Fatal("pgtest: prepare a machine: ", err)
	}
	machine.endWith(tb)
	if err := machine.guard(); err != nil {
		tb.Fatal("pgtest: prepare a machine: ", err)
	}
	return machine
}

// Run runs a script of the shell as the user of the cluster, with PostgreSQL's programs in its PATH, and with passwords in the form
// of ~/.pgpass.
func (c *Cluster) Run(ctx context.Context, passwords, script string, arguments ...string) error {
	file := filepath.Join(c.dir, "pgpass")
	if err := write(c.owner, file, passwords); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	run := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", script, "script"}, arguments...)...)
	c.confine(run)
	run.Env = append(run.Env, "PATH="+c.bin+":/usr/bin:/bin", "PGPASSFILE="+file)
	if out, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// Ask runs a query of one row with one text as the administrator.
func (c *Cluster) Ask(ctx context.Context, query string) (answer string, err error) {
	conn, err := pgx.Connect(ctx, c.AdminURL())
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = conn.QueryRow(ctx, query).Scan(&answer)
	return answer, err
}
