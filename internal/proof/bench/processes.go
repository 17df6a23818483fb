package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// child is a running server.
type child struct {
	cmd      *exec.Cmd
	address  string // of the public side
	operator string // of the metrics
	log      string // path of what it writes
	began    time.Time
	took     time.Duration // from its start to its first answer
	exited   chan error
}

// startChild starts a server on free addresses, whose log goes to a file.
func startChild(ctx context.Context, log, program string, args ...string) (c *child, err error) {
	c = &child{log: log, exited: make(chan error, 1)}
	first, err1 := net.Listen("tcp", "127.0.0.1:0")
	second, err2 := net.Listen("tcp", "127.0.0.1:0")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	c.address, c.operator = first.Addr().String(), second.Addr().String()
	if err := errors.Join(first.Close(), second.Close()); err != nil { // if another process takes one of them now, the child says so
		return nil, err
	}
	c.cmd = exec.CommandContext(ctx, program, append(args, "--addr", c.address, "--operator-addr", c.operator)...)
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(syscall.SIGTERM) }
	c.cmd.WaitDelay = 10 * time.Second
	file, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c.cmd.Stderr, c.began = file, time.Now()
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { c.exited <- c.cmd.Wait() }()
	return c, nil
}

// await asks until the child answers with 200. It answers 503 while it starts.
func (c *child) await(ctx context.Context, request []byte) error {
	for {
		_, err := ask(c.address, request, http.StatusOK)
		if c.took = time.Since(c.began); err == nil {
			return nil
		}
		select {
		case ended := <-c.exited:
			c.exited <- ended
			said, err := os.ReadFile(c.log)
			return errors.Join(fmt.Errorf("the server ended before its first answer: %w\n%s", ended, said), err)
		case <-time.After(time.Millisecond):
		}
		if ctx.Err() != nil || c.took > time.Minute {
			return fmt.Errorf("the server does not answer: %w", err)
		}
	}
}

// stop ends the child and waits for it. A server that is still running after a while is killed: its remaining writes are not needed.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.exited:
	case <-time.After(5 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.exited
	}
}

// cpuOf is the parent of a process, its processor time, and that of its children that have ended.
func cpuOf(pid int) (parent int, own, waited time.Duration, err error) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return 0, 0, 0, err
	}
	stat, err := process.Stat()
	const tick = time.Second / 100 // the unit of CPU time in /proc, the same on every Linux that Go runs on
	return stat.PPID, time.Duration(stat.UTime+stat.STime) * tick, time.Duration(stat.CUTime+stat.CSTime) * tick, err
}

// anonymous is the child's own memory in bytes, without mapped file pages, which the kernel can drop.
func (c *child) anonymous() (int64, error) {
	process, err := procfs.NewProc(c.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	memory, err := process.ProcSMapsRollup()
	return int64(memory.Anonymous), err
}

// allocations is how many objects the child has allocated so far, by its metrics.
func (c *child) allocations() (float64, error) {
	answer, err := http.Get("http://" + c.operator + "/metrics")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	body, err1 := io.ReadAll(answer.Body)
	_, rest, _ := strings.Cut(string(body), "\ngo_memstats_mallocs_total ")
	line, _, _ := strings.Cut(rest, "\n")
	n, err2 := strconv.ParseFloat(line, 64)
	return n, errors.Join(err1, err2)
}

// command runs a program to its end and returns what it printed.
func command(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// setup says how a side is started.
type setup struct {
	fresh     bool // on a copy of the small data
	rateLimit int  // of requests a minute of an account, for the shipped program: 0 is none, and less than 0 its default
}

// running is a side that runs on a database.
type running struct {
	db   database
	data dataset
	*child
}

// start starts a side, and waits until it has answered. Where another process has taken an address of the side first, it starts the side again.
func (b *bench) start(ctx context.Context, db database, s side, how setup) (r *running, err error) {
	r = &running{db: db}
	find := db.reads
	if how.fresh {
		find = db.fresh
	}
	if r.data, err = find(ctx); err != nil {
		return nil, err
	}
	r.data.pictures = b.pictures
	for range 3 {
		if r.child, err = b.startSide(ctx, s, r.data, how); err != nil {
			return nil, err
		}
		if err = r.await(ctx, r.data.getRequest(nil, 7)); err == nil {
			return r, nil
		}
		r.stop()
		if said := err.Error(); !strings.Contains(said, "is taken by another program") && !strings.Contains(said, "address already in use") {
			break
		}
	}
	return nil, err
}
