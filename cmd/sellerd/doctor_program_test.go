package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// internal/command/serve has the tests of what the doctor finds. These are those of what the program prints.

func TestDoctorPrintsLinesOrJSONAndFails(t *testing.T) {
	folder := t.TempDir()
	server := serve(t, folder)
	lines := strings.Split(must(t, folder, "doctor", "--base-url", server.url), "\n")
	for _, line := range lines {
		if ofDisk := strings.Contains(line, "  disk  ") || strings.HasSuffix(line, "  make room soon"); !ofDisk && !strings.HasPrefix(line, "ok  ") {
			t.Errorf("on a healthy service it prints %q", line)
		}
	}
	if len(lines) < 7 {
		t.Errorf("it prints only %d lines", len(lines))
	}
	server.end(t)
	status, said := mistake(t, folder, "doctor", "--json", "--base-url", server.url)
	if status != 1 || !strings.HasSuffix(said, "checks failed\n") {
		t.Errorf("status %d, and it says %q", status, said)
	}
}

func TestConfigCheckNamesEachProblemAndHidesSecrets(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "token"), []byte("short-hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"SELLERD_DB": "postgres://sellerd:hush@db.example.com/sellerd?sslmode=verify-full", "SELLERD_OPERATOR_TOKEN_FILE": filepath.Join(folder, "token"),
		"SELLERD_SECRET": "hush", "SELLERD_DATABASE": "hush", "OTEL_EXPORTER_OTLP_ENDPOINT": "ftp://user:hush@collector", "OTEL_EXPORTER_OTLP_HEADERS": "a=hush",
	} {
		t.Setenv(name, value)
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	check := exec.Command(path, "config", "check", "--json", "--base-url", "api.example.com", "--addr", ":8081", "--tls-cert", "none.pem",
		"--operator-header", "X-User", "--db-read", "host=hush")
	check.Dir = folder
	out, err := check.Output()
	if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != 1 {
		t.Error("it ended with", err)
	}
	var got struct {
		Settings           []struct{ Flag, Variable, Value, From string }
		Problems, Warnings []string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "hush") {
		t.Errorf("it prints a secret:\n%s", out)
	}
	if diff := cmp.Diff([]string{
		`--base-url must be like https://api.example.com, not "api.example.com"`,
		"--operator-header needs --trusted-proxies: nobody else is believed",
		"--operator-token must have at least 16 characters, all of them visible ASCII",
		"--db-read must be postgres://USER:PASSWORD@HOST/NAME, and special characters of the password percent-encoded",
		"--tls-cert and --tls-key belong together: give both or none",
		"--secret must be 32 bytes in base64: make one with `openssl rand -base64 32`",
		"OTEL_EXPORTER_OTLP_ENDPOINT must be like http://localhost:4318",
		"--operator-addr 127.0.0.1:8081 is taken by --addr: give each its own port",
	}, got.Problems); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"unknown variable SELLERD_DATABASE, which is ignored"}, got.Warnings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	shown := map[string]string{}
	for _, s := range got.Settings {
		if s.From != "default" {
			shown[s.From] = s.Value
		}
	}
	if diff := cmp.Diff(map[string]string{
		"--addr": ":8081", "--base-url": "api.example.com", "--db-read": "********", "--operator-header": "X-User", "--tls-cert": "none.pem",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "********", "OTEL_EXPORTER_OTLP_HEADERS": "********",
		"SELLERD_DB":                  "postgres://sellerd:********@db.example.com/sellerd?sslmode=verify-full",
		"SELLERD_OPERATOR_TOKEN_FILE": "********", "SELLERD_SECRET": "********",
	}, shown); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestConfigCheckRefusesWhatServeRefuses tells both the same. serve ends before it opens anything, except for the demo, about which it asks
// the database.
func TestConfigCheckRefusesWhatServeRefuses(t *testing.T) {
	folder := t.TempDir()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	const proxies = "--trusted-proxies 10.0.0.7 --operator-header "
	for _, test := range []struct{ flags, want string }{
		{"--addr :80x", `--addr must be HOST:PORT or :PORT, not ":80x"`},
		{"--addr :0 --operator-addr 127.0.0.1:65536", `--operator-addr must be HOST:PORT or :PORT, not "127.0.0.1:65536"`},
		{"--db sqlite:.", "--db names the folder .: name a file in it, such as sqlite:sellerd.db"},
		{proxies + "x:y", `--operator-header must be the name of a header such as X-Forwarded-Email, not "x:y"`},
		{proxies + "authorization", "--operator-header must be a header of its own such as X-Forwarded-Email: authorization has another meaning"},
		{proxies + "Host", "--operator-header must be a header of its own such as X-Forwarded-Email: Host has another meaning"},
		{"--demo --db postgres://127.0.0.1:1/x", "--demo makes a seller with items, sales and bills, and the database is a PostgreSQL, which others may share: " +
			"leave --demo out, name another database with --db, or add --demo-anyway"},
	} {
		t.Run(test.flags, func(t *testing.T) {
			check := exec.Command(path, append([]string{"config", "check"}, strings.Fields(test.flags)...)...)
			check.Dir = folder
			out, err := check.Output()
			_, wrong, _ := strings.Cut(string(out), "\nwrong: ")
			if diff := cmp.Diff(test.want+"\n", wrong); diff != "" || err == nil {
				t.Errorf("config check ends with %v (-want +got):\n%s", err, diff)
			}
			if strings.HasPrefix(test.flags, "--demo") {
				return
			}
			if status, said := mistake(t, folder, append([]string{"serve"}, strings.Fields(test.flags)...)...); status != 2 || said != "sellerd: "+test.want+"\n" {
				t.Errorf("serve: status %d, it says %q", status, said)
			}
		})
	}
	for _, fine := range []string{"--addr :http", "--demo --demo-anyway --db postgres://127.0.0.1:1/x", "--demo", proxies + "X-Forwarded-Email"} {
		if table := must(t, folder, append([]string{"config", "check"}, strings.Fields(fine)...)...); strings.Contains(table, "wrong:") {
			t.Errorf("%s: %s", fine, table)
		}
	}
}

// What a server would start with is no problem, and nothing is made.
func TestConfigCheckOpensNothing(t *testing.T) {
	folder := t.TempDir()
	table := must(t, folder, "config", "check", "--base-url", "https://api.example.com")
	if strings.Contains(table, "wrong:") || !strings.Contains(table, "https://api.example.com") {
		t.Error(table)
	}
	if made, err := os.ReadDir(folder); err != nil || len(made) > 0 {
		t.Errorf("%v, it made %v", err, made)
	}
}

// A unit makes its folder at the first start, so what is not in /var/lib yet is no problem. Elsewhere, and of a server, it is.
func TestConfigCheckKnowsWhichFoldersAreMade(t *testing.T) {
	folder := t.TempDir()
	const missing = "there is no folder %s: make it first, or is --db mistyped?"
	for _, test := range []struct {
		db, want string
		status   int
	}{
		{"/var/lib/none-of-these/sellerd.db", "warning: " + fmt.Sprintf(missing, "/var/lib/none-of-these") + " A server starts only if its unit makes it (StateDirectory)", 0},
		{"/srv/none-of-these/sellerd.db", "wrong: " + fmt.Sprintf(missing, "/srv/none-of-these"), 1},
		{"data/shop.db", "wrong: " + fmt.Sprintf(missing, "data"), 1}, // no server makes it for a file that is not the default one
		{"./data/sellerd.db", "", 0},
	} {
		t.Run(test.db, func(t *testing.T) {
			path, err := program()
			if err != nil {
				t.Fatal(err)
			}
			check := exec.Command(path, "config", "check", "--base-url", "https://api.example.com", "--db", "sqlite:"+test.db)
			check.Dir = folder
			out, _ := check.Output() // the status is looked at
			var last string
			for line := range strings.Lines(string(out)) {
				if strings.HasPrefix(line, "warning: ") || strings.HasPrefix(line, "wrong: ") {
					last += strings.TrimSpace(line)
				}
			}
			if diff := cmp.Diff(test.want, last); diff != "" || check.ProcessState.ExitCode() != test.status {
				t.Errorf("status %d (-want +got):\n%s", check.ProcessState.ExitCode(), diff)
			}
		})
	}
}
