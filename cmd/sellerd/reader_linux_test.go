package main_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestTheServerOutlivesTheReaderOfItsLog ends what reads the log, as when a pipe of the shell or the collector of a supervisor ends.
func TestTheServerOutlivesTheReaderOfItsLog(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for name, before := range map[string]string{
		"in a shell":                      "",
		"under a supervisor like systemd": `trap "" PIPE; `,
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", before+`exec "$0" serve --addr 127.0.0.1:0 --operator-addr 127.0.0.1:0`, path)
			cmd.Dir = t.TempDir()
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stderr = write
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Process.Kill() }()
			_ = write.Close()
			lines, url := bufio.NewScanner(read), ""
			for url == "" && lines.Scan() {
				if found := servingLine.FindStringSubmatch(lines.Text()); found != nil {
					url = "http://" + found[1]
				}
			}
			_ = read.Close()
			for range 2 { // a line of the log each
				response, err := http.Get(url + "/v1/account")
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// TestAKeyThatNobodyReadsIsNamed makes a key whose reader, the next command of a pipe, has ended.
func TestAKeyThatNobodyReadsIsNamed(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	createAnna(t, folder)
	key := must(t, folder, "keys", "create", "--account", "5001", "--mode", "test")
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"keys create --account 5001 --mode test": "revoke it with `sellerd keys revoke ",
		"keys rotate " + key:                     "rotate it with `sellerd keys rotate ",
	} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = read.Close()
		cmd := exec.Command(path, strings.Fields(line)...)
		cmd.Dir = folder
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = write, &said
		_ = cmd.Run() // the status says it
		_ = write.Close()
		if status := cmd.ProcessState.ExitCode(); status != 1 || !strings.Contains(said.String(), want) {
			t.Errorf("%s: status %d, it says %q", line, status, said.String())
		}
	}
}
