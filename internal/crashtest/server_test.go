package crashtest

import (
	"bytes"
	"encoding/json"
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
)

// startLimit is how long a killed server may take to serve again; it needs a fraction of a second.
const startLimit = 30 * time.Second

// program is the server's binary, built once for all tests.
var program = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "sellerd-crashtest-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "sellerd")
	if out, err := exec.Command("go", "build", "-o", path, "sellerd/cmd/sellerd").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build sellerd: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if path, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

// server is the program as a process that can be killed and started again on its database.
type server struct {
	path, folder, database string

	process *exec.Cmd
	log     *logWatch
	url     atomic.Value // of the process that runs, or ran last
}

func newServer(t *testing.T, database string) *server {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{path: path, folder: t.TempDir(), database: database}
	t.Cleanup(func() {
		if s.process != nil {
			s.kill(t)
		}
		if t.Failed() && s.log != nil {
			t.Logf("the server's last words:\n%s", s.log.tail())
		}
	})
	return s
}

// command is the program with the database in its environment.
func (s *server) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.path, args...)
	cmd.Dir = s.folder
	cmd.Env = append(os.Environ(), "SELLERD_DB="+s.database, "SELLERD_SECRET=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
	return cmd
}

// newSeller makes an account and returns its test key.
func (s *server) newSeller(t *testing.T) string {
	t.Helper()
	var account struct{ ID string }
	if err := json.Unmarshal(s.output(t, "accounts", "create", "--nickname", "crash", "--email", "crash@example.com"), &account); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(s.output(t, "keys", "create", "--account", account.ID, "--mode", "test")))
}

func (s *server) output(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := s.command(args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("sellerd %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}

// start runs the server on a port of the system's choice and returns when it serves.
func (s *server) start(t *testing.T) {
	t.Helper()
	s.process = s.command("serve", "--addr=127.0.0.1:0", "--operator-addr=127.0.0.1:0", "--rate-limit=0", "--new-items-per-day=0",
		"--open-items=0", "--allow-private-targets")
	s.log = &logWatch{address: make(chan string, 1)}
	s.process.Stderr = s.log
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case address := <-s.log.address:
		s.url.Store("http://" + address)
	case <-time.After(startLimit):
		t.Fatalf("the server does not serve after %s", startLimit)
	}
}

// kill ends the server as a power cut would, as far as the process goes.
func (s *server) kill(t *testing.T) {
	t.Helper()
	if err := s.process.Process.Kill(); err != nil {
		t.Errorf("kill the server: %v", err)
	}
	_ = s.process.Wait() // says that it was killed
	s.process = nil
}

// stop ends the server as an operator does.
func (s *server) stop(t *testing.T) {
	t.Helper()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("stop the server: %v", err)
	}
	if err := s.process.Wait(); err != nil {
		t.Errorf("the server stopped with %v", err)
	}
	s.process = nil
}

// logWatch finds the address in the server's log and keeps the last lines.
type logWatch struct {
	mu      sync.Mutex
	buffer  bytes.Buffer
	lines   []string
	address chan string
}

// Write takes what the server logs.
func (w *logWatch) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buffer.Write(p)
	for bytes.ContainsRune(w.buffer.Bytes(), '\n') {
		line, _ := w.buffer.ReadString('\n')
		var entry struct{ Msg, Addr string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "serving" {
			w.address <- entry.Addr
		}
		if w.lines = append(w.lines, line); len(w.lines) > 20 {
			w.lines = w.lines[1:]
		}
	}
	return len(p), nil
}

func (w *logWatch) tail() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "")
}
