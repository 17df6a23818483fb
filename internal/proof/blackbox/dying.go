package blackbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// deathLimit is how long a server may take to reach the point where it should die.
const deathLimit = 30 * time.Second

// The files in the folder of each server in which the program finds the point to die at, and how far its clock is set wrong.
const (
	pointFile = "crash-at"
	clockFile = "clock-moved"
)

// dying is the program with its crash points (internal/base/crash), built once for all tests of a package.
var dying = sync.OnceValues(func() (string, error) { return build("sellerd-dying", "-tags", "crashpoints") })

// DyingProgram is the program with its crash points. In the course of the test, its processes look for the point to die at (DieAt), and for
// how far the clock is moved (SetClock), in the files that the given variables of the environment name.
func DyingProgram(t *testing.T, point, clock string) string {
	t.Helper()
	path, err := dying()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(point, pointFile)
	t.Setenv(clock, clockFile)
	return path
}

// SetClock sets the clock of a server of DyingProgram: ahead of the machine's clock by so much, or behind it if by is negative.
func (s *Server) SetClock(tb testing.TB, by time.Duration) {
	tb.Helper()
	path := filepath.Join(s.folder, clockFile)
	err := os.WriteFile(path+".new", []byte(by.String()), 0o600)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// DieAt makes the server and its commands (Command) die at the count-th passage of a point from now on.
func (s *Server) DieAt(tb testing.TB, point string, count int) {
	tb.Helper()
	if err := os.WriteFile(filepath.Join(s.folder, pointFile), fmt.Appendf(nil, "%s:%d", point, count), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// Live takes DieAt back.
func (s *Server) Live(tb testing.TB) {
	tb.Helper()
	if err := os.Remove(filepath.Join(s.folder, pointFile)); err != nil {
		tb.Fatal(err)
	}
}

// AwaitDeath returns when the server has died at its point. The next server does not die.
func (s *Server) AwaitDeath(tb testing.TB) {
	tb.Helper()
	select {
	case err := <-s.exited:
		s.process = nil
		if !Killed(err) {
			tb.Fatalf("the server was not killed, but ended with: %v", err)
		}
	case <-time.After(deathLimit):
		tb.Fatalf("the server did not come to where it was to die in %s", deathLimit)
	}
	s.Live(tb)
}

// StartToDie runs a server that dies during its start, and returns when it has.
func (s *Server) StartToDie(tb testing.TB) {
	tb.Helper()
	s.launch(tb)
	s.AwaitDeath(tb)
}

// Killed says whether a process ended as by kill -9.
func Killed(err error) bool {
	exit, ended := errors.AsType[*exec.ExitError](err)
	if !ended {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// Command runs one of the program's commands on the server's database, beside the server.
func (s *Server) Command(args ...string) ([]byte, error) {
	cmd := exec.Command(s.path, args...)
	cmd.Dir = s.folder
	cmd.Env = s.environment()
	return cmd.Output()
}
