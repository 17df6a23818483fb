package main_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/pgtest"
)

// A database that takes connections and says nothing holds up a start, as another process's migration does.
func TestAStartThatWaitsForTheDatabaseIsAnswered(t *testing.T) {
	database, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	address := fmt.Sprintf("127.0.0.1:%d", pgtest.FreePort(t))
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "serve", "--addr", address, "--operator-addr", "127.0.0.1:0", "--db", "postgres://tester@"+database.Addr().String()+"/tester?sslmode=disable")
	var log strings.Builder
	cmd.Stderr = &log
	cmd.Dir = t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	if asked, err := database.Accept(); err != nil { // now the start waits
		t.Fatal(err)
	} else {
		defer asked.Close()
	}
	client := http.Client{Timeout: 10 * time.Second} // at first callers wait for two seconds
	for path, want := range map[string][2]string{"/healthz": {"200", ""}, "/readyz": {"503", "1"}, "/v1/account": {"503", "1"}, "/rest/seller": {"503", "1"}, "/": {"503", "1"}} {
		answer, err := client.Get("http://" + address + path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if diff := cmp.Diff(want, [2]string{answer.Status[:3], answer.Header.Get("Retry-After")}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM during the start: %v\n%s", err, log.String())
	}
	for line := range strings.Lines(log.String()) {
		if !strings.HasPrefix(line, "{") {
			t.Errorf("a line that is not JSON: %s", line)
		}
	}
}
