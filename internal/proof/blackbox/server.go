package blackbox

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// startLimit is how long a server may take to start, also after a kill; it needs a fraction of a second.
const startLimit = 30 * time.Second

var built = flag.String("program", os.Getenv(builtBefore), "a built sellerd to test (default: build ./cmd/sellerd)")

// builtBefore is the variable with the path of a sellerd that was built before the tests. `make system` builds one for all packages
// (internal/tools/suite.sh).
const builtBefore = "SELLERD_TEST_PROGRAM"

// Program is the server's binary as it is shipped: without symbols for a debugger. It is the one that was built before the tests, or is
// built once for all tests of a package.
var Program = sync.OnceValues(func() (string, error) {
	if *built != "" {
		return filepath.Abs(*built)
	}
	return build("sellerd")
})

// build builds the program without symbols for a debugger, once for all tests of a package.
func build(name string, flags ...string) (string, error) {
	folder, err := scratch()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, name)
	args := append([]string{"build", "-ldflags=-s -w", "-o", path}, flags...)
	if out, err := exec.Command("go", append(args, "sellerd/cmd/sellerd")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// scratch is a folder for what the tests of a package share.
var scratch = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "sellerd-blackbox-") })

// Main is the TestMain of packages that use a Server: it removes what was built, and records what was verified.
func Main(m *testing.M) {
	status := m.Run()
	if folder, err := scratch(); err == nil {
		_ = os.RemoveAll(folder)
	}
	if err := recordVerified(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// OperatorToken opens the operator API of every Server.
const OperatorToken = "the-operator-of-a-test"

// Server is the program as a process that can be killed and started again on its database.
type Server struct {
	path, folder, database string
	flags                  []string

	process  *exec.Cmd
	exited   chan error // gets one value when the process ends
	log      *logWatch
	url      atomic.Value // of the process that runs, or ran last
	operator atomic.Value
}

// NewServer prepares a server on a database, with all limits off, and private targets allowed because the receivers and
// pictures of these tests are on this machine. It is not started yet.
// Several on one PostgreSQL are replicas of one service.
func NewServer(tb testing.TB, database string) *Server {
	tb.Helper()
	path, err := Program()
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{path: path, folder: tb.TempDir(), database: database, flags: []string{
		"--addr=127.0.0.1:0", "--operator-addr=127.0.0.1:0", "--rate-limit=0", "--new-items-per-day=0", "--open-items=0", "--allow-private-targets",
	}}
	tb.Cleanup(func() {
		if s.process != nil {
			s.Kill(tb)
		}
		if tb.Failed() && s.log != nil {
			tb.Logf("the server's last words:\n%s", s.log.tail())
		}
	})
	return s
}

// At is what answers in the place of servers, such as a balancer. It is not a process to start or stop, but clients may ask it.
func At(url string) *Server {
	s := &Server{}
	s.url.Store(url)
	return s
}

// With adds flags of the program, which count more than those before them. It returns the receiver.
func (s *Server) With(flags ...string) *Server {
	s.flags = append(s.flags, flags...)
	return s
}

// Of makes the server run another build of the program. It returns the receiver.
func (s *Server) Of(program string) *Server {
	s.path = program
	return s
}

// URL is where the server serves, or served before it was killed.
func (s *Server) URL() string { return s.url.Load().(string) }

// OperatorURL is where the server serves the operator, or did before it was killed.
func (s *Server) OperatorURL() string { return s.operator.Load().(string) }

// Start runs the server on ports of the system's choice and returns when it serves.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	s.launch(tb)
	select {
	case at := <-s.log.serving:
		s.url.Store("http://" + at.Addr)
		s.operator.Store("http://" + at.OperatorAddr)
	case err := <-s.exited:
		s.process = nil
		tb.Fatalf("the server ended before it served: %v", err)
	case <-time.After(startLimit):
		tb.Fatalf("the server does not serve after %s", startLimit)
	}
}

// StartToFail runs a server that cannot start, and returns its output when it has ended.
func (s *Server) StartToFail(tb testing.TB) string {
	tb.Helper()
	s.launch(tb)
	select {
	case err := <-s.exited:
		s.process = nil
		if err == nil {
			tb.Errorf("the server ended as if it had served")
		}
	case at := <-s.log.serving:
		tb.Fatalf("the server serves at %s", at.Addr)
	case <-time.After(startLimit):
		tb.Fatalf("the server neither serves nor ends after %s", startLimit)
	}
	return s.log.tail()
}

// Complaints are the last lines of the log above the level INFO.
func (s *Server) Complaints() string { return s.log.tail() }

// environment is that of the tests, with the database and a secret.
func (s *Server) environment() []string {
	return append(os.Environ(), "SELLERD_DB="+s.database, "SELLERD_SECRET=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
}

// launch starts the process.
func (s *Server) launch(tb testing.TB) {
	tb.Helper()
	s.process = exec.Command(s.path, append([]string{"serve"}, s.flags...)...)
	s.process.Dir = s.folder
	s.process.Env = append(s.environment(), "SELLERD_OPERATOR_TOKEN="+OperatorToken)
	s.log = &logWatch{serving: make(chan serving, 1)}
	s.process.Stderr = s.log
	if err := s.process.Start(); err != nil {
		tb.Fatal(err)
	}
	s.exited = make(chan error, 1)
	go func(process *exec.Cmd, exited chan<- error) { exited <- process.Wait() }(s.process, s.exited)
}

// Kill ends the process without warning, as a power cut would.
func (s *Server) Kill(tb testing.TB) {
	tb.Helper()
	if err := s.process.Process.Kill(); err != nil {
		tb.Errorf("kill the server: %v", err)
	}
	<-s.exited // with an error that says that it was killed
	s.process = nil
}

// Stop ends the server as an operator does.
func (s *Server) Stop(tb testing.TB) {
	tb.Helper()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		tb.Errorf("stop the server: %v", err)
	}
	if err := <-s.exited; err != nil {
		tb.Errorf("the server stopped with %v", err)
	}
	s.process = nil
}

// Freeze stops the process at any point, as a suspended virtual machine would; Thaw continues it.
func (s *Server) Freeze(tb testing.TB) { s.signal(tb, syscall.SIGSTOP) }

// Thaw continues a frozen process.
func (s *Server) Thaw(tb testing.TB) { s.signal(tb, syscall.SIGCONT) }

func (s *Server) signal(tb testing.TB, signal syscall.Signal) {
	tb.Helper()
	if err := s.process.Process.Signal(signal); err != nil {
		tb.Fatalf("send the server %s: %v", signal, err)
	}
}

// logWatch finds the addresses in the server's log and keeps the last lines.
type logWatch struct {
	mu      sync.Mutex
	buffer  bytes.Buffer
	lines   []string
	serving chan serving
}

// serving is the line of the log that says where.
type serving struct {
	Msg, Addr    string
	OperatorAddr string `json:"operator_addr"`
}

// keptLines is how much of the log is shown when a test fails.
const keptLines = 20

// Write takes what the server logs.
func (w *logWatch) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buffer.Write(p)
	for bytes.ContainsRune(w.buffer.Bytes(), '\n') {
		line, err := w.buffer.ReadBytes('\n')
		if err != nil {
			return 0, err
		}
		w.take(line)
	}
	return len(p), nil
}

func (w *logWatch) take(line []byte) {
	if bytes.Contains(line, []byte(`"serving"`)) {
		var entry serving
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
			w.serving <- entry
		}
	}
	if bytes.Contains(line, []byte(`"level":"INFO"`)) {
		return // mostly requests, which are many and not needed
	}
	if w.lines = append(w.lines, string(line)); len(w.lines) > keptLines {
		w.lines = w.lines[1:]
	}
}

func (w *logWatch) tail() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "")
}

// Anonymous is the process's own memory in bytes, without mapped file pages, which the kernel can drop.
func (s *Server) Anonymous() (int64, error) {
	process, err := procfs.NewProc(s.process.Process.Pid)
	if err != nil {
		return 0, err
	}
	memory, err := process.ProcSMapsRollup()
	return int64(memory.Anonymous), err
}

// WatchMemory samples the process's memory until the returned function is called, which returns the maximum.
func (s *Server) WatchMemory(tb testing.TB) (most func() int64) {
	tb.Helper()
	var (
		peak    int64
		failure error
		watcher sync.WaitGroup
		stop    = make(chan struct{})
		tick    = time.NewTicker(100 * time.Millisecond)
	)
	watcher.Go(func() {
		defer tick.Stop()
		for {
			now, err := s.Anonymous()
			peak = max(peak, now)
			if err != nil {
				failure = err
				return
			}
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	})
	end := sync.OnceFunc(func() { close(stop); watcher.Wait() })
	tb.Cleanup(end)
	return func() int64 {
		end()
		if failure != nil {
			tb.Fatal(failure)
		}
		return peak
	}
}
