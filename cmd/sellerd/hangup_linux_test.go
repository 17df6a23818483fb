package main_test

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// TestAHangupEndsTheServerCleanly sends SIGHUP, as a terminal does that is closed. A program that was started with nohup goes on.
func TestAHangupEndsTheServerCleanly(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	// What a test that was started with nohup ignores, the programs that it starts ignore, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	for name, test := range map[string]struct {
		before string // what the shell does before it becomes the program
		goesOn bool
	}{
		"in a terminal": {"", false},
		"with nohup":    {`trap "" HUP; `, true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "sh", "-c", test.before+`exec "$0" serve --addr 127.0.0.1:0 --operator-addr 127.0.0.1:0`, path)
			cmd.Dir = t.TempDir()
			log, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines, url := bufio.NewScanner(log), ""
			for url == "" && lines.Scan() {
				if found := servingLine.FindStringSubmatch(lines.Text()); found != nil {
					url = "http://" + found[1]
				}
			}
			if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			if test.goesOn {
				response, err := http.Get(url + "/healthz")
				if err != nil {
					t.Fatal(err)
				}
				_ = response.Body.Close()
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}
			var last []byte
			for lines.Scan() {
				last = bytes.Clone(lines.Bytes())
			}
			if !bytes.Contains(last, []byte(`"msg":"stopped"`)) {
				t.Errorf("its last line is %s", last)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}
