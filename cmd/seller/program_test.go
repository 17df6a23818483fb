package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sellerd/internal/command"
	"sellerd/v1/apikey"
)

var (
	key = apikey.Assemble("abcdefghijkl", "live", strings.Repeat("s", 32)).Text
	old = strings.Repeat("k", 64)
)

// build builds the program as it is shipped.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), alias) // as units of old releases start it
	made := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-gcflags=sellerd/ent/...=-l", "-o", path, ".")
	made.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// running is a bridge as a process.
type running struct {
	*exec.Cmd
	address string
	log     *strings.Builder
	ended   chan struct{}
}

// start runs the program until it serves.
func start(t *testing.T, program string, arguments ...string) *running {
	t.Helper()
	r := &running{Cmd: exec.Command(program, arguments...), log: &strings.Builder{}, ended: make(chan struct{})}
	lines, err := r.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	serving := make(chan string, 1)
	go func() {
		defer close(r.ended)
		for scanner := bufio.NewScanner(lines); scanner.Scan(); {
			r.log.WriteString(scanner.Text() + "\n")
			var line struct{ Msg, Addr string }
			if json.Unmarshal(scanner.Bytes(), &line) == nil && line.Msg == "serving" {
				serving <- line.Addr
			}
		}
	}()
	t.Cleanup(func() { _ = r.Process.Kill() })
	select {
	case r.address = <-serving:
	case <-r.ended:
		t.Fatalf("it ended:\n%s", r.log)
	case <-time.After(20 * time.Second):
		t.Fatal("it does not serve")
	}
	return r
}

// wait returns the exit status, -1 for a killed process.
func (r *running) wait() int {
	<-r.ended
	_ = r.Wait()
	return r.ProcessState.ExitCode()
}

// service stands in for the seller API. It answers reads of the account itself and hands creates to a function.
func service(t *testing.T, create http.HandlerFunc) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodOptions:
			_, _ = io.WriteString(w, `{"status_code":200,"data":{"allow":"GET"}}`)
		case r.Header.Get("X-Api-Key") != key:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"status_code":401,"errors":[{"code":"invalid_api_key","message":"The API key is not valid."}]}`)
		case r.Method == http.MethodPost:
			create(w, r)
		default:
			_, _ = io.WriteString(w, `{"status_code":200,"data":{"id":"5001","nickname":"anna"}}`)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// TestItIsKilledInTheMiddle kills the bridge while the service has a create, and repeats the create with the same session.
func TestItIsKilledInTheMiddle(t *testing.T) {
	program := build(t)
	created, release := make(chan string, 2), make(chan struct{})
	var killed atomic.Bool
	api := service(t, func(w http.ResponseWriter, r *http.Request) {
		created <- r.Header.Get("Idempotency-Key")
		if !killed.Load() {
			<-release
		}
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"status_code":202,"data":{"id":"sub_1","status":"pending","personal_reference":"A-1"}}`)
	})
	keys := filepath.Join(t.TempDir(), "keys.txt")
	if err := os.WriteFile(keys, []byte(old+" "+key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	arguments := []string{"--to", api.URL, "--addr", "127.0.0.1:0", "--state", filepath.Join(folder, "state"), "--record", filepath.Join(folder, "calls.jsonl"), "--keys", keys}
	form := url.Values{
		"title": {"Card"}, "id_category": {"1010101"}, "personal_reference": {"A-1"}, "fixed_price": {"1"}, "currency": {"EUR"},
	}
	first := start(t, program, arguments...)
	token := between(post(t, first.address+"/rest/seller", url.Values{"apikey": {old}}), "<token>", "</token>")
	if token == "" {
		t.Fatal("no token")
	}
	cut := make(chan error, 1)
	go func() {
		_, err := http.PostForm(first.address+"/rest/item?token="+token, form)
		cut <- err
	}()
	onceKey := <-created
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-cut; err == nil {
		t.Error("the call of the killed bridge was answered")
	}
	first.wait()
	killed.Store(true)
	close(release)

	second := start(t, program, arguments...)
	answer := post(t, second.address+"/rest/item?token="+token, form)
	if again := <-created; again != onceKey || onceKey == "" || !strings.Contains(answer, "<status>true</status>") {
		t.Errorf("again with the key %q instead of %q: %s", again, onceKey, answer)
	}
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := second.wait(); status != command.StatusDone {
		t.Errorf("SIGTERM ended it with %d:\n%s", status, second.log)
	}
	// What a test that was started with nohup ignores, the programs that it starts ignore, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	third := start(t, program, arguments...)
	if err := third.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if status := third.wait(); status != command.StatusDone || !strings.Contains(third.log.String(), `"msg":"stopped"`) {
		t.Errorf("SIGHUP ended it with %d:\n%s", status, third.log)
	}
	record, err := os.ReadFile(filepath.Join(folder, "calls.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{key, old, token} {
		if strings.Contains(string(record)+first.log.String()+second.log.String(), secret) {
			t.Error("a key or a token is in the recording or the log")
		}
	}
	if n := strings.Count(string(record), "\n"); n != 2 {
		t.Errorf("%d lines are recorded:\n%s", n, record)
	}
}

// TestWrongUsageEndsWithTwo gives flags that cannot be right.
func TestWrongUsageEndsWithTwo(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	to := []string{"--to", "https://api.example.com", "--state", filepath.Join(folder, "state")}
	for name, arguments := range map[string][]string{
		"nothing":                       {},
		"no address":                    {"--to", ""},
		"http to another machine":       {"--to", "http://api.example.com"},
		"another scheme":                {"--to", "ftp://api.example.com"},
		"no scheme":                     {"--to", "api.example.com"},
		"a path":                        {"--to", "https://api.example.com/rest"},
		"a path of slashes":             {"--to", "https://api.example.com//"},
		"a password":                    {"--to", "https://anna:secret@api.example.com"},
		"a user":                        {"--to", "https://anna@api.example.com"},
		"an empty user":                 {"--to", "https://@api.example.com"},
		"a query":                       {"--to", "https://api.example.com/?key=" + key},
		"an empty query":                {"--to", "https://api.example.com?"},
		"a fragment":                    {"--to", "https://api.example.com/#x"},
		"an empty fragment":             {"--to", "https://api.example.com#"},
		"a key in the place of it":      {"--to", key},
		"an old key in the place of it": {"--to", old},
		"a port that is none":           {"--to", "https://api.example.com:x"},
		"a port beyond all":             {"--to", "https://api.example.com:99999"},
		"a recording that is no file":   append(to, "--record", "-"),
		"a blank":                       {"--to", "https://api.example.com "},
		"a recording in no folder":      append(to, "--record", filepath.Join(folder, "missing", "calls.jsonl")),
		"a recording that is a folder":  append(to, "--record", folder),
		"a flag that there is not":      append(to, "--nonsense"),
		"an argument":                   append(to, "nonsense"),
		"an address without a port":     append(to, "--addr", "127.0.0.1"),
		"an address for others":         append(to, "--addr", "0.0.0.0:0"),
		"all addresses":                 append(to, "--addr", ":0"),
		"a name":                        append(to, "--addr", "bridge.example.com:8090"),
		"a certificate without its key": append(to, "--tls-cert", "x"),
		"a certificate that is none":    append(to, "--tls-cert", file("cert", "x", 0o600), "--tls-key", file("key", "x", 0o600)),
		"keys that others can read":     append(to, "--keys", file("open", old+" "+key, 0o644)),
		"keys that are none":            append(to, "--keys", file("none", old+" "+key[1:], 0o600)),
		"keys that are not there":       append(to, "--keys", filepath.Join(folder, "missing")),
	} {
		status, said := executeSaying(t, arguments)
		if status != command.StatusUsage || len(said) == 0 {
			t.Errorf("%s: %d %s", name, status, said)
		}
		for _, secret := range []string{key[12:], old, "secret"} {
			if strings.Contains(said, secret) {
				t.Errorf("%s: a secret is shown: %s", name, said)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "state")); err == nil {
		t.Error("a folder was made")
	}
}

// execute runs a command line of the bridge.
func execute(arguments []string) int {
	return program().Execute(append([]string{"bridge"}, arguments...))
}

// executeSaying runs a command line that is wrong, and returns what it says of that.
func executeSaying(t *testing.T, arguments []string) (status int, said string) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = write
	defer func() { os.Stderr = stderr }()
	status = execute(arguments)
	_ = write.Close()
	text, err := io.ReadAll(io.LimitReader(read, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	return status, string(text)
}

// TestOtherEnds prints the help, and takes an address that is taken.
func TestOtherEnds(t *testing.T) {
	for _, arguments := range [][]string{{"--help"}, {"-h"}} {
		if status := execute(arguments); status != command.StatusDone {
			t.Errorf("%v: %d", arguments, status)
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if status := execute([]string{"--to", "https://api.example.com", "--state", t.TempDir(), "--addr", taken.Addr().String()}); status != command.StatusFailed {
		t.Errorf("an address that is taken: %d", status)
	}
	others := start(t, build(t), "--to", "http://localhost:1", "--state", t.TempDir(), "--addr", "[::]:0", "--insecure-bind")
	_ = others.Process.Signal(syscall.SIGTERM)
	if status := others.wait(); status != command.StatusDone {
		t.Errorf("an address for others that is wanted: %d", status)
	}
}

func post(t *testing.T, address string, form url.Values) string {
	t.Helper()
	response, err := http.PostForm(address, form)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func between(text, before, behind string) string {
	_, rest, _ := strings.Cut(text, before)
	inner, _, _ := strings.Cut(rest, behind)
	return inner
}
