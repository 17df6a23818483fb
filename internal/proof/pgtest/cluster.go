package pgtest

import (
	"bufio"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Options change the usual temporary cluster.
type Options struct {
	// Durable keeps PostgreSQL's own settings for fsync and its kin, and its files where temporary files go, for tests of
	// what survives a crash and for measurements. Without it the cluster avoids writing to a disk.
	Durable bool
	// Config is added to postgresql.conf, and Access takes the place of pg_hba.conf, if not empty. The administrator postgres must
	// have access from 127.0.0.1 by a password. The address, the port, max_connections, shared_buffers and jit are the cluster's own.
	Config, Access string
	// Socket gives the cluster a socket in the folder of its data, for programs that connect no other way.
	Socket bool
}

// Cluster is a PostgreSQL server of our own. Its methods must not be called at the same time.
type Cluster struct {
	bin      string              // the folder of the programs
	owner    *syscall.Credential // whom the processes and files belong to, nil for ourselves
	dir      string
	port     int
	password string
	options  Options

	guardian *exec.Cmd
	commands io.WriteCloser
	answers  *bufio.Reader
}

// guardianScript runs the server. It outlives this process only to clean up.
//
//go:embed guardian.sh
var guardianScript string

// startLimit is how long initdb and the server's start may take on a busy machine, and lookAgain the time between two looks whether a
// program is there.
const (
	startLimit = time.Minute
	lookAgain  = 20 * time.Millisecond
)

// Start makes a cluster in a temporary folder and starts it on a free port of 127.0.0.1. The error is ErrNotInstalled if
// there is nothing to start. Stop ends it; so does the end of this process.
func Start(ctx context.Context, options Options) (_ *Cluster, err error) {
	parent := QuickFolder()
	if options.Durable {
		parent = os.TempDir()
	}
	c, err := newCluster(options, rand.Text(), parent)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("pgtest: start a cluster: %w", err), c.Stop())
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := c.init(ctx); err != nil {
		return nil, err
	}
	if err := c.guard(); err != nil {
		return nil, err
	}
	for range 5 { // another process may take a free port before it is used
		if err = c.Resume(ctx); err == nil {
			return c, nil
		}
		port, failed := freePort()
		if failed = errors.Join(failed, c.Interrupt()); failed != nil {
			return nil, failed
		}
		c.port = port
	}
	return nil, err
}

// newCluster makes the folder of a cluster, and chooses a port.
func newCluster(options Options, password, parent string) (c *Cluster, err error) {
	c = &Cluster{options: options, password: password}
	if c.bin, err = binaries(); err != nil {
		return nil, err
	}
	if c.owner, err = unprivileged(); err != nil {
		return nil, err
	}
	if c.port, err = freePort(); err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp(parent, "pgtest-"); err != nil {
		return nil, fmt.Errorf("pgtest: %w", err)
	}
	if err := give(c.owner, c.dir); err != nil {
		return nil, errors.Join(err, os.Remove(c.dir))
	}
	return c, nil
}

// give has a file belong to the user that runs PostgreSQL.
func give(owner *syscall.Credential, path string) error {
	if owner == nil {
		return nil
	}
	return os.Chown(path, int(owner.Uid), int(owner.Gid))
}

// write writes a file that only the user that runs PostgreSQL can read.
func write(owner *syscall.Credential, path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	return give(owner, path)
}

// URL returns the address of a database in the cluster, for its superuser.
func (c *Cluster) URL(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword("postgres", c.password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)), Path: database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// AdminURL returns the address of the database from which others are created.
func (c *Cluster) AdminURL() string { return c.URL("postgres") }

// Interrupt ends the server as a crash would, at once and without a checkpoint, and returns when it is gone. Its data
// stay.
func (c *Cluster) Interrupt() error { return c.order("stop") }

// Kill ends the server and all its processes by SIGKILL, as when the machine loses its power. Its data stay.
func (c *Cluster) Kill() error { return c.order("kill") }

// Freeze stops the server and all its processes, as on a machine that hangs: the kernel still accepts connections and data,
// but there are no answers.
func (c *Cluster) Freeze() error { return c.order("freeze") }

// Thaw continues the server after Freeze.
func (c *Cluster) Thaw() error { return c.order("thaw") }

// Resume starts the server after Interrupt, on the same port, and returns when it answers. It checks that this cluster
// answers.
func (c *Cluster) Resume(ctx context.Context) error {
	settings := fmt.Sprintf("-p %d", c.port)
	if c.options.Socket {
		settings += " -c unix_socket_directories=" + c.Data()
	}
	if !c.options.Durable {
		// A temporary cluster does not need durable commits, and autovacuum would only change plans in the middle of a
		// test.
		settings += " -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off"
	}
	if err := c.order("start " + settings); err != nil {
		return err
	}
	return c.awaitReady(ctx)
}

// endWith stops the cluster when a test ends.
func (c *Cluster) endWith(tb testing.TB) {
	tb.Cleanup(func() {
		if err := c.Stop(); err != nil {
			tb.Error("pgtest: ", err)
		}
	})
}

// Stop ends the server and removes the cluster's folder.
func (c *Cluster) Stop() error {
	if c.guardian == nil {
		return os.RemoveAll(c.dir)
	}
	err := errors.Join(c.commands.Close(), c.guardian.Wait())
	c.guardian = nil
	// As root this process has to remove the folder itself.
	return errors.Join(err, os.RemoveAll(c.dir))
}

// Data is the folder with the cluster's data.
func (c *Cluster) Data() string { return filepath.Join(c.dir, "data") }

// init runs initdb.
func (c *Cluster) init(ctx context.Context) error {
	passwords := filepath.Join(c.dir, "password")
	if err := write(c.owner, passwords, c.password+"\n"); err != nil {
		return err
	}
	// A dictionary's order, not that of bytes, so that tests notice where a query relies on one of them. Servers before
	// version 15 or without ICU get C.
	//
	// SCRAM hashes each password thousands of times, which is half of the time that a connection takes. Only access of the test's own may need it.
	method := "md5"
	if c.options.Access != "" {
		method = "scram-sha-256"
	}
	var out []byte
	var err error
	for _, locale := range [][]string{{"--locale-provider=icu", "--icu-locale=en-US", "--locale=C"}, {"--locale=C"}} {
		args := []string{"-D", c.Data(), "-U", "postgres", "-E", "UTF8", "--auth=" + method, "--pwfile=" + passwords, "--no-sync"}
		initdb := exec.CommandContext(ctx, filepath.Join(c.bin, "initdb"), append(args, locale...)...)
		c.confine(initdb)
		if out, err = initdb.CombinedOutput(); err == nil {
			return c.configure()
		}
	}
	return fmt.Errorf("initdb: %w\n%s", err, out)
}

// configure gives the files of initdb what the options say.
func (c *Cluster) configure() error {
	if c.options.Access != "" {
		if err := os.WriteFile(filepath.Join(c.Data(), "pg_hba.conf"), []byte(c.options.Access), 0o600); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(filepath.Join(c.Data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString("\n" + c.options.Config + isolation())
	return errors.Join(err, file.Close())
}

// isolation is the setting of EnvIsolation.
func isolation() string {
	level := os.Getenv(EnvIsolation)
	if level == "" {
		return ""
	}
	return "\ndefault_transaction_isolation = '" + level + "'\n"
}

// guard starts the script that will run the server.
func (c *Cluster) guard() (err error) {
	c.guardian = exec.Command("/bin/sh", "-c", guardianScript, "guardian", filepath.Join(c.bin, "postgres"), c.dir)
	c.confine(c.guardian)
	if c.commands, err = c.guardian.StdinPipe(); err != nil {
		return err
	}
	out, err := c.guardian.StdoutPipe()
	if err != nil {
		return err
	}
	c.answers = bufio.NewReader(out)
	if err := c.guardian.Start(); err != nil {
		c.guardian = nil
		return fmt.Errorf("start the guardian: %w", err)
	}
	return nil
}

// confine makes a command independent of this process's user, environment, folder and terminal: an interrupt from the
// keyboard must not reach the server before the test is done with it.
func (c *Cluster) confine(cmd *exec.Cmd) {
	cmd.Dir = c.dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "HOME=" + c.dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.owner}
}

// command sends a command to the guardian and returns its answer.
func (c *Cluster) command(line string) (string, error) {
	if _, err := fmt.Fprintln(c.commands, line); err != nil {
		return "", fmt.Errorf("send %s to the guardian: %w", line, err)
	}
	answer, err := c.answers.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("hear from the guardian: %w", err)
	}
	return strings.TrimSpace(answer), nil
}

// order sends a command to the guardian, and returns when it is done.
func (c *Cluster) order(line string) error {
	_, err := c.command(line)
	return err
}

// awaitReady returns when the server answers, or has ended instead.
func (c *Cluster) awaitReady(ctx context.Context) error {
	for ; ; time.Sleep(lookAgain) {
		err := c.check(ctx)
		if err == nil {
			return nil
		}
		if state, stateErr := c.command("state"); stateErr != nil || state != "running" {
			return errors.Join(errors.New("the server did not start:\n"+c.log()), stateErr)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the server does not answer: %w: %w\n%s", ctx.Err(), err, c.log())
		}
	}
}

// check connects and compares the data directory, so that another server is not taken for this one.
func (c *Cluster) check(ctx context.Context) error {
	got, err := c.Ask(ctx, "SHOW data_directory")
	if err == nil && got != c.Data() {
		err = fmt.Errorf("port %d belongs to the server of %s", c.port, got)
	}
	return err
}

// log returns the end of the server's log.
func (c *Cluster) log() string {
	text, err := os.ReadFile(filepath.Join(c.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4096):])
}

// unprivileged returns the user to run PostgreSQL as, or nil for ourselves.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, fmt.Errorf("read the ids of %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}

// freePort returns a port of 127.0.0.1 on which no process listens now. The kernel gives it to nobody who asks for any port, as
// clients and other tests do all the time: its own ports begin at 32768 on Linux and at 49152 elsewhere (RFC 6335, section 6).
func freePort() (int, error) {
	const first, end = 16384, 32768
	var err error
	for range 100 {
		port := first + mathrand.IntN(end-first)
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("find a free port: %w", err)
}
