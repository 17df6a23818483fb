package main_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"

	"golang.org/x/sys/unix"
)

// TestASignalEndsACommandThatWaits interrupts commands that wait for their input or for a reader of their output.
func TestASignalEndsACommandThatWaits(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args  []string
		ends  int                                            // the exit status, or 0 if the signal itself ends it
		await func(t *testing.T, in *os.File, out io.Reader) // returns when the command runs
	}{
		"translate, for a request": {[]string{"translate"}, 0, untilRead},
		"import, for its file":     {[]string{"import", "-", "--key", "dk_test_1"}, 1, untilRead},
		"import sample, for a reader": {[]string{"import", "sample", "1000000"}, 0, func(t *testing.T, _ *os.File, out io.Reader) {
			if _, err := io.ReadFull(out, make([]byte, 5)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(path, test.args...)
			stdin, in, err1 := os.Pipe()
			out, err2 := cmd.StdoutPipe()
			cmd.Stdin = stdin
			if err := errors.Join(err1, err2, cmd.Start(), stdin.Close()); err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			defer func() { _ = cmd.Process.Kill() }()
			test.await(t, in, out)
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case <-ended:
				status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
				bySignal := ok && status.Signaled() && status.Signal() == syscall.SIGINT
				if test.ends == 0 && !bySignal || test.ends != 0 && cmd.ProcessState.ExitCode() != test.ends {
					t.Errorf("it ended with %v", cmd.ProcessState)
				}
			case <-time.After(10 * time.Second):
				t.Error("it goes on")
			}
		})
	}
}

// TestACommandThatASignalEndsNamesIt interrupts a command that waits for an answer. The message names the signal, and does not blame the service.
func TestACommandThatASignalEndsNamesIt(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "listings.csv")
	if err := os.WriteFile(file, []byte("title,category_id,sale_type,price\nPenny Red,1,fixed_price,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"conformance":    "sellerd: interrupt signal received\n",
		"import " + file: "sellerd: interrupt signal received\n",
		"export sales":   "sellerd: interrupt signal received\n",
	} {
		silent, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		cmd, said := startIn(t, folder, path, append(strings.Fields(line), "--key", "dk_test_1", "--base-url", "http://"+silent.Addr().String())...)
		asking, err := silent.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer asking.Close()
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the status says it
		if !strings.HasSuffix(said.String(), want) || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%s: status %d, it says %q, want %q", line, cmd.ProcessState.ExitCode(), said, want)
		}
	}
}

// startIn starts the program in a folder. said is what it writes to standard error. The test ends it.
func startIn(t *testing.T, folder, path string, args ...string) (cmd *exec.Cmd, said *strings.Builder) {
	t.Helper()
	cmd, said = exec.Command(path, args...), new(strings.Builder)
	cmd.Dir, cmd.Stderr = folder, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, said
}

// TestAnInterruptedImportSaysHowToGoOn interrupts an import whose first rows are listed.
func TestAnInterruptedImportSaysHowToGoOn(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	w := servertest.New(t, servertest.SQLite(t))
	batches, second := 0, make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/item-batches" {
			if batches++; batches == 2 {
				_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the caller goes
				close(second)
				<-r.Context().Done()
				return
			}
		}
		w.Server.Public.ServeHTTP(out, r)
	}))
	defer server.Close()
	folder := t.TempDir()
	file := filepath.Join(folder, "listings.csv")
	rows := "title,category_id,sale_type,price,currency\n" + strings.Repeat("Penny Red,1010101,fixed_price,2.00,EUR\n", 150)
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, said := startIn(t, folder, path, "import", file, "--allow-duplicates", "--key", w.Key, "--base-url", server.URL)
	select {
	case <-second:
	case <-time.After(30 * time.Second):
		t.Fatal("it does not send its rows")
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status says it
	const want = "interrupt signal received\nRun the same command again to go on: nothing is listed twice\n"
	if !strings.HasSuffix(said.String(), want) || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("status %d, it says %q, want %q", cmd.ProcessState.ExitCode(), said, want)
	}
}

// untilRead fills the input, and returns when the program has read some of it.
func untilRead(t *testing.T, in *os.File, _ io.Reader) {
	size, err := unix.FcntlInt(in.Fd(), unix.F_SETPIPE_SZ, 1)
	if err == nil {
		_, err = io.WriteString(in, strings.Repeat(" ", size+1)) // one byte more than fits
	}
	if err != nil {
		t.Fatal(err)
	}
}
