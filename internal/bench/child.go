package main

import (
	"bufio"
	"context"
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
)

// buildProgram builds the program as it is shipped: without symbols for a debugger.
func buildProgram(ctx context.Context, folder string) (string, error) {
	path := filepath.Join(folder, "sellerd")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", path, "sellerd/cmd/sellerd")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
}

// command runs the program to its end and returns what it printed.
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

// child is a running server.
type child struct {
	cmd      *exec.Cmd
	address  string // of the public side
	operator string // of the metrics
	began    time.Time
	exited   chan error
}

// startChild starts one of the two sides and returns at once; await waits for it.
func startChild(ctx context.Context, program string, args func(address, operator string) []string) (*child, error) {
	addresses, err := freeAddresses(2)
	if err != nil {
		return nil, err
	}
	c := &child{address: addresses[0], operator: addresses[1], exited: make(chan error, 1)}
	c.cmd = exec.CommandContext(ctx, program, args(c.address, c.operator)...)
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(syscall.SIGTERM) }
	c.cmd.WaitDelay = 10 * time.Second
	c.began = time.Now()
	if err := c.cmd.Start(); err != nil { // no Stderr: the log goes to the null device, which costs what a pipe would
		return nil, err
	}
	go func() { c.exited <- c.cmd.Wait() }()
	return c, nil
}

// freeAddresses finds free ports. Another process may take one before the child does; then the child ends with an error
// that says so.
func freeAddresses(n int) ([]string, error) {
	var out []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		out = append(out, l.Addr().String())
	}
	return out, nil
}

// await asks until the child answers with 200 and says how long that was after its start.
func (c *child) await(ctx context.Context, request []byte) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		select {
		case err := <-c.exited:
			c.exited <- err
			return 0, fmt.Errorf("the server ended before its first answer: %w", err)
		case <-ctx.Done():
			return 0, fmt.Errorf("the server did not answer: %w", ctx.Err())
		default:
		}
		status, _, err := ask(c.address, request)
		if err == nil && status == 200 {
			return time.Since(c.began), nil
		}
		if err == nil && status != 503 { // which it answers while it starts
			return 0, fmt.Errorf("the server's first answer was %d to %q", status, firstLine(request))
		}
		time.Sleep(time.Millisecond)
	}
}

// ask sends one request on a connection of its own.
func ask(address string, request []byte) (status int, body []byte, err error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 0, nil, err
	}
	defer conn.Close()
	if _, err := conn.Write(request); err != nil {
		return 0, nil, err
	}
	return readAnswer(bufio.NewReader(conn), true)
}

// stop ends the child and waits for it. A server that is still running after a while is killed: its remaining writes are
// not needed.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.exited:
	case <-time.After(5 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.exited
	}
}

// cpu is the processor time the child has used, in steps of 10 ms.
func (c *child) cpu() (time.Duration, error) {
	p, err := readProcess(c.cmd.Process.Pid)
	return p.own, err
}

// anonymous is the child's own memory in bytes, without mapped file pages, which the kernel can drop.
func (c *child) anonymous() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", c.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	return number(string(text), "Anonymous:", 1024)
}

// allocations is how many objects the child has allocated so far.
func (c *child) allocations() (int64, error) {
	answer, err := http.Get("http://" + c.operator + "/metrics")
	if err != nil {
		return 0, fmt.Errorf("read metrics: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, fmt.Errorf("read metrics: %w", err)
	}
	return number(string(body), "\ngo_memstats_mallocs_total", 1)
}

// number finds the number that follows a name in a text.
func number(text, name string, unit float64) (int64, error) {
	_, rest, found := strings.Cut(text, name)
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		return 0, fmt.Errorf("there is no %s", strings.TrimSpace(name))
	}
	n, err := strconv.ParseFloat(fields[0], 64)
	return int64(n * unit), err
}
