package main_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// program builds sellerd once for all tests of this package, without symbols for a debugger, as it is shipped.
var program = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "sellerd-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "sellerd")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-gcflags=sellerd/ent/...=-l", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
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

// child is a running server.
type child struct {
	cmd      *exec.Cmd
	url      string
	operator string // URL of the operator's listener
	from     origins
	stdout   *bufio.Reader
}

// origins are where a server has its secret and its operator's token from.
type origins struct {
	Secret string `json:"secret_from"`
	Token  string `json:"operator_token_from"`
}

var servingLine = regexp.MustCompile(`"msg":"serving","addr":"([^"]+)","operator_addr":"([^"]+)"`)

// serve starts a server in a folder and waits until it says where it listens.
func serve(t *testing.T, folder string, flags ...string) *child {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return serveProgram(t, path, folder, flags...)
}

// serveProgram is serve with a program of another build.
func serveProgram(t *testing.T, path, folder string, flags ...string) *child {
	t.Helper()
	cmd := exec.Command(path, append([]string{"serve", "--addr", "127.0.0.1:0", "--operator-addr", "127.0.0.1:0"}, flags...)...)
	cmd.Dir = folder
	stderr, err1 := cmd.StderrPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatal("cannot start the program", err1, err2)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if found := servingLine.FindStringSubmatch(lines.Text()); found != nil {
			var from origins
			if err := json.Unmarshal(lines.Bytes(), &from); err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return &child{cmd: cmd, from: from, url: "http://" + found[1], operator: "http://" + found[2], stdout: bufio.NewReader(stdout)}
		}
	}
	t.Fatalf("the server ended: %v", cmd.Wait())
	return nil
}

// command runs another command of the program beside the server.
func command(t *testing.T, folder string, args ...string) (string, error) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = folder
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}

func must(t *testing.T, folder string, args ...string) string {
	t.Helper()
	out, err := command(t, folder, args...)
	if err != nil {
		t.Fatalf("sellerd %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// createAnna makes an account in the database of a folder and returns its id.
func createAnna(t *testing.T, folder string) (id string) {
	t.Helper()
	var account struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(must(t, folder, "accounts", "create", "--nickname", "anna", "--email", "anna@example.com")), &account); err != nil {
		t.Fatal(err)
	}
	return account.ID
}

func (c *child) status(t *testing.T, key string) int { t.Helper(); return c.get(t, "/v1/account", key) }

// get asks a server for a path with a key.
func (c *child) get(t *testing.T, path, key string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, c.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func (c *child) end(t *testing.T) {
	t.Helper()
	began := time.Now()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("SIGTERM must end the program with status 0: %v", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("the end took %s, more than 20 s", took)
	}
}

func TestCommandsWorkBesideARunningServer(t *testing.T) {
	folder := t.TempDir()
	server := serve(t, folder)
	account := createAnna(t, folder)
	key := must(t, folder, "keys", "create", "--account", account, "--mode", "test", "--name", "shop")
	if !strings.HasPrefix(key, "dk_test_") || strings.ContainsAny(key, " \n") {
		t.Fatalf("want the key alone, got %q", key)
	}
	expect := func(key string, want int) {
		t.Helper()
		if got := server.status(t, key); got != want {
			t.Errorf("want %d, got %d", want, got)
		}
	}
	expect(key, 200)
	successor := must(t, folder, "keys", "rotate", key, "--overlap", "1d")
	expect(key, 200)
	expect(successor, 200)
	must(t, folder, "keys", "revoke", key)
	expect(key, 401)
	expect(successor, 200)
	if list := must(t, folder, "keys", "list", "--account", account); strings.Count(list, `"id"`) != 2 || strings.Contains(list, successor) {
		t.Errorf("list: %s", list)
	}
	if _, err := command(t, folder, "keys", "create", "--account", "99", "--mode", "test"); err == nil || !strings.Contains(err.Error(), `there is no account "99"`) {
		t.Errorf("a key for an account that does not exist: %v", err)
	}
	if _, err := command(t, folder, "accounts", "create", "--nickname", "anna", "--email", "b@example.com"); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("a nickname twice: %v", err)
	}
	if _, err := command(t, folder, "serve", "--addr", "127.0.0.1:0", "--operator-addr", "127.0.0.1:0"); err == nil {
		t.Error("a second server on the same file was not refused")
	}
	server.end(t)

	again := serve(t, folder)
	if got := again.status(t, successor); got != 200 {
		t.Errorf("after a restart: %d", got)
	}
	again.end(t)
}

// TestAnEmptyExpiryIsRefused stands for a variable of a script that is not set.
func TestARotationSaysWhenTheNewKeyEnds(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	account := createAnna(t, folder)
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flags []string
		want  *regexp.Regexp
	}{
		{[]string{"--expires", "30d"}, regexp.MustCompile(`^sellerd: the new key ends at \d{4}-\d\d-\d\dT[0-9:.]+Z\n$`)},
		{nil, regexp.MustCompile(`^$`)},
	} {
		key := must(t, folder, append([]string{"keys", "create", "--account", account, "--mode", "test"}, test.flags...)...)
		cmd := exec.CommandContext(t.Context(), path, "keys", "rotate", key)
		cmd.Dir = folder
		var printed, said strings.Builder
		cmd.Stdout, cmd.Stderr = &printed, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, said.String())
		}
		if !strings.HasPrefix(printed.String(), "dk_test_") || !test.want.MatchString(said.String()) {
			t.Errorf("with %q it prints %q and says %q", test.flags, printed.String(), said.String())
		}
	}
}

func TestAnEmptyExpiryIsRefused(t *testing.T) {
	folder := t.TempDir()
	server := serve(t, folder)
	defer server.end(t)
	createAnna(t, folder)
	for _, text := range []string{"", " "} {
		out, err := command(t, folder, "keys", "create", "--account", "5001", "--mode", "live", "--expires", text)
		if err == nil || !strings.Contains(err.Error(), "--expires must be") {
			t.Errorf("--expires %q makes %s, %v", text, out, err)
		}
	}
	if list := must(t, folder, "keys", "list", "--account", "5001"); strings.TrimSpace(list) != "[]" {
		t.Errorf("there are keys: %s", list)
	}
}

func TestKeysAreMadeThatMayDoLess(t *testing.T) {
	folder := t.TempDir()
	server := serve(t, folder)
	createAnna(t, folder)
	create := func(flags ...string) string {
		t.Helper()
		return must(t, folder, append([]string{"keys", "create", "--account", "5001", "--mode", "test"}, flags...)...)
	}
	packing, statistics := create("--permissions", "bills:write,items:read"), create("--read-only")
	create()
	got := []int{
		server.get(t, "/v1/items", packing), server.get(t, "/v1/bills", packing), server.get(t, "/v1/sales", packing),
		server.get(t, "/v1/sales", statistics), server.get(t, "/v1/account", statistics), server.get(t, "/v1/webhooks", statistics),
	}
	if diff := cmp.Diff([]int{200, 200, 403, 200, 200, 200}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	var listed []struct {
		Permissions []string `json:"permissions"`
	}
	list := must(t, folder, "keys", "list", "--account", "5001")
	if err := json.Unmarshal([]byte(list), &listed); err != nil {
		t.Fatal(err)
	}
	permissions := map[string]bool{}
	for _, key := range listed {
		permissions[strings.Join(key.Permissions, ",")] = true
	}
	want := map[string]bool{"": true, "items:read,bills:write": true, "items:read,sales:read,bills:read,webhooks:read,account:read": true}
	if diff := cmp.Diff(want, permissions); diff != "" || strings.Count(list, `"permissions": null`) != 1 {
		t.Errorf("%s\npermissions (-want +got):\n%s", list, diff)
	}
	server.end(t)
}

func TestShippingModelsAreSetFromAFile(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	createAnna(t, folder)
	file := filepath.Join(folder, "models.json")
	list := must(t, folder, "shipping-models", "list", "5001", "--mode", "test")
	if err := os.WriteFile(file, []byte(strings.Replace(list, `"name": "Flat rate"`, `"name": "Letter"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var changes struct {
		Changed   []string `json:"changed"`
		Unchanged []string `json:"unchanged"`
	}
	if err := json.Unmarshal([]byte(must(t, folder, "shipping-models", "set", "5001", "models.json", "--mode", "test")), &changes); err != nil {
		t.Fatal(err)
	}
	if len(changes.Changed) != 1 || len(changes.Unchanged) != 2 {
		t.Errorf("changes: %+v", changes)
	}
	if got := must(t, folder, "shipping-models", "list", "5001", "--mode", "test"); !strings.Contains(got, `"name": "Letter"`) || strings.Contains(got, "Flat rate") {
		t.Errorf("test models: %s", got)
	}
	if got := must(t, folder, "shipping-models", "list", "5001"); !strings.Contains(got, "Flat rate") {
		t.Errorf("live models: %s", got)
	}
}

func TestTheOperatorsTokenIsMadeAtTheFirstStart(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "data", "operator-token")
	enter := func(server *child, token string) int {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, server.operator+"/operator/items/1/end", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	server := serve(t, folder)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the token's file must be its owner's alone: %v %v", info, err)
	}
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := enter(server, strings.TrimSpace(string(token))); got != http.StatusNotFound { // there is no such item
		t.Errorf("with the token of the file: %d", got)
	}
	server.end(t)

	if err := os.WriteFile(file, append([]byte("\ufeff"), token...), 0o600); err != nil { // an editor begins it with a byte order mark
		t.Fatal(err)
	}
	marked := serve(t, folder)
	if got := enter(marked, strings.TrimSpace(string(token))); got != http.StatusNotFound {
		t.Errorf("with the token of the file, behind a byte order mark: %d", got)
	}
	marked.end(t)
	if err := os.WriteFile(file, token, 0o600); err != nil {
		t.Fatal(err)
	}

	again := serve(t, folder)
	if kept, err := os.ReadFile(file); err != nil || string(kept) != string(token) {
		t.Errorf("the second start changed the token: %v", err)
	}
	again.end(t)

	const given = "a-token-from-a-vault"
	withFlag := serve(t, folder, "--operator-token", given)
	if with, without := enter(withFlag, given), enter(withFlag, strings.TrimSpace(string(token))); with != http.StatusNotFound || without != http.StatusUnauthorized {
		t.Errorf("a token that is given takes the file's place: %d, %d", with, without)
	}
	withFlag.end(t)

	for name, refused := range map[string]struct {
		flags []string
		file  string
		mode  os.FileMode
		want  string
	}{
		"a short token":                   {[]string{"--operator-token", "fifteen-letters"}, string(token), 0o600, "at least 16 characters"},
		"a short token in the file":       {nil, "fifteen-letters\n", 0o600, "at least 16 characters"},
		"a token that no header carries":  {nil, "a token with spaces", 0o600, "visible ASCII"},
		"a file that all users may read":  {nil, string(token), 0o644, "chmod 600"},
		"a file that the group may write": {nil, string(token), 0o620, "chmod 600"},
	} {
		t.Run("the server does not start with "+name, func(t *testing.T) {
			if err := errors.Join(os.WriteFile(file, []byte(refused.file), 0o600), os.Chmod(file, refused.mode)); err != nil {
				t.Fatal(err)
			}
			_, err := command(t, folder, append([]string{"serve", "--addr", "127.0.0.1:0", "--operator-addr", "127.0.0.1:0"}, refused.flags...)...)
			if err == nil || !strings.Contains(err.Error(), refused.want) || strings.Contains(err.Error(), "fifteen") ||
				strings.Contains(err.Error(), strings.TrimSpace(string(token))) {
				t.Errorf("want an error with %q and without the token, got %v", refused.want, err)
			}
		})
	}
}

// TestASecretThatOthersMayReadIsNamed has the permissions that a file from a backup often has.
func TestASecretThatOthersMayReadIsNamed(t *testing.T) {
	folder := t.TempDir()
	serve(t, folder).end(t)
	if err := os.Chmod(filepath.Join(folder, "data", "sellerd.secret"), 0o640); err != nil {
		t.Fatal(err)
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	warned := warnings(t, exec.Command(path, "serve", "--addr", "127.0.0.1:0", "--operator-addr", "127.0.0.1:0"), folder)
	want := []warning{{Level: "WARN", Msg: "other users may read the service's secret", Remedy: "chmod 600 data/sellerd.secret"}}
	if diff := cmp.Diff(want, warned); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMisspeltVariablesAreNamed sets variables that no command takes. A server that ignored SELLERD_DATABASE would begin with an empty database.
func TestMisspeltVariablesAreNamed(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0", "--operator-addr", "127.0.0.1:0"}, {"migrate"}} {
		warned := warnings(t, exec.Command(path, args...), t.TempDir(), "SELLERD_DATABASE=postgres://sellerd:hunter2@db.example.com/sellerd",
			"SELLERD_RATELIMIT=10", "SELLERD_RATE_LIMIT=20", "SELLERD_KEY=dk_test_x", "SELLERD_PORT=tcp://10.0.0.7:8080")
		want := []warning{{
			Level: "WARN", Msg: "unknown SELLERD_ variables are ignored", Remedy: "sellerd serve --help has the right names",
			Variables: []string{"SELLERD_DATABASE", "SELLERD_RATELIMIT"},
		}}
		if diff := cmp.Diff(want, warned); diff != "" {
			t.Errorf("sellerd %s (-want +got):\n%s", args[0], diff)
		}
	}
}

// warning is a line of the log at level WARN.
type warning struct {
	Level, Msg, Remedy string
	Variables          []string
}

// warnings are what a command logs until it serves or ends, with no other settings than these variables.
func warnings(t *testing.T, cmd *exec.Cmd, folder string, variables ...string) (warned []warning) {
	t.Helper()
	cmd.Dir, cmd.Env = folder, append(withoutSettings(os.Environ()), variables...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	for lines := bufio.NewScanner(log); lines.Scan() && !servingLine.MatchString(lines.Text()); {
		var line warning
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Level == "WARN" {
			warned = append(warned, line)
		}
	}
	return warned
}

// withoutSettings is an environment without the variables of this program and of its tests.
func withoutSettings(environment []string) []string {
	return slices.DeleteFunc(environment, func(variable string) bool { return strings.HasPrefix(variable, "SELLERD_") })
}

// TestAKeyIsFoundInWhatWasPasted revokes a leaked key as it stands in a header or in a line of a log.
func TestAKeyIsFoundInWhatWasPasted(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	createAnna(t, folder)
	key := must(t, folder, "keys", "create", "--account", "5001", "--mode", "test", "--permissions", "items:read, bills:write")
	for _, pasted := range []string{" " + key + " ", "Authorization: Bearer " + key, `"` + key + `"`, "https://example.com/?key=" + key, strings.Split(key, "_")[2] + "\n"} {
		if out, err := command(t, folder, "keys", "revoke", pasted); err != nil || !strings.Contains(out, `"status": "revoked"`) {
			t.Errorf("%q: %v %s", pasted, err, out)
		}
	}
}

// TestShippingModelsComeFromAPipeOrAnEditor sends what list prints through a pipe, and through an editor that begins it with a byte order mark.
func TestShippingModelsComeFromAPipeOrAnEditor(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	createAnna(t, folder)
	models := "\ufeff" + must(t, folder, "shipping-models", "list", "5001")
	edited := filepath.Join(folder, "models.json")
	if err := os.WriteFile(edited, []byte(models), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"-", edited} {
		cmd := exec.Command(path, "shipping-models", "set", "5001", file)
		cmd.Dir, cmd.Stdin = folder, strings.NewReader(models)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"unchanged": [`) {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}
}

func TestCommandsTellWhatIsWrongByFlag(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	_, err := command(t, folder, "accounts", "create", "--nickname", "a b", "--email", "nowhere", "--time-zone", "Mars")
	for _, want := range []string{"--nickname must", "--email must be an email address", "--time-zone must be the IANA name"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in %v", want, err)
		}
	}
	if _, err := command(t, folder, "accounts", "forget-buyer", "--buyer", "70001"); err == nil || !strings.Contains(err.Error(), "no such buyer") {
		t.Errorf("a buyer who is not there: %v", err)
	}
}

// TestATableSteersNoTerminal has a key whose name holds what colours a terminal, in one byte and in two.
func TestATableSteersNoTerminal(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	account := createAnna(t, folder)
	must(t, folder, "keys", "create", "--account", account, "--mode", "test", "--name", "a\nb\x1b[31m\u009b31m")
	table := must(t, folder, "keys", "list", "--account", account, "--format", "table")
	if !strings.Contains(table, "  a b�[31m�31m  ") || strings.ContainsAny(table, "\x1b\u009b") {
		t.Errorf("the table: %q", table)
	}
	if list := must(t, folder, "keys", "list", "--account", account); !strings.Contains(list, `"name": "a\nb\u001b[31m`) {
		t.Errorf("the list has another name: %s", list)
	}
}
