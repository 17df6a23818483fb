package main_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScanOnTheCommandLine(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"calls/close.sh": "curl -X DELETE \"https://rest.delcampe.net/item/$1\" -d reason=TestItem\n",
		"moved/close.sh": "curl \"https://api.example.com/v1/items/$1/close\"\n",
	} {
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const found = `calls/close.sh
  1:43  DELETE /rest/item/{id_item}  (item-close, certain)
      in /v1: POST /v1/items/{id}/close
      fields: reason

1 place of 1 call. 1 file was read, 0 skipped.

The order of work:

Step 3: listing. Put items on sale, change and close them through /v1.
  Take an item off sale, 1 place: https://api.example.com/migration#item-close

Step 6: turn it off. See that nothing calls /rest any more, and rehearse the day.

Then scan again: nothing should be left. What your account still calls is at GET /v1/account/legacy-usage.
`
	const nothing = "Nothing calls /rest. 1 file was read, 0 skipped.\n"
	const usage = "\nRun `sellerd scan --help` for its commands and flags.\n"
	for name, test := range map[string]struct {
		args           []string
		stdout, stderr string
		status         int
	}{
		"a program that calls":                  {[]string{"calls"}, found, "", 0},
		"a program that calls, in a build":      {[]string{"--fail", "calls"}, found, "sellerd: the programs call /rest: see the report\n", 1},
		"a program that was moved, in a build":  {[]string{"--fail", "moved"}, nothing, "", 0},
		"a path that is not there":              {[]string{"missing"}, "", "sellerd: missing: no such file or directory\n", 2},
		"no path":                               {nil, "", "sellerd: missing argument: <path> ..." + usage, 2},
		"a format that there is not":            {[]string{"--format=xml", "calls"}, "", "sellerd: --format must be one of \"text\",\"json\",\"sarif\" but got \"xml\"" + usage, 2},
		"many hosts with one name":              {[]string{"--host", "*.example.com", "calls"}, "", "sellerd: scan: --host must be like api.example.com, not \"*.example.com\"" + usage, 2},
		"a host that can be none":               {[]string{"--host", "a b", "calls"}, "", "sellerd: scan: --host must be like api.example.com, not \"a b\"" + usage, 2},
		"a host that no program of these calls": {[]string{"--host", "api.example.com", "moved"}, nothing, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(path, append([]string{"scan", "--base-url", "https://api.example.com"}, test.args...)...)
			cmd.Dir = folder
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]any{test.stdout, test.stderr, test.status}, []any{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for _, format := range []string{"json", "sarif"} {
		if out := must(t, folder, "scan", "--format", format, "calls"); !json.Valid([]byte(out)) || !strings.Contains(out, "item-close") {
			t.Errorf("as %s it is %s", format, out)
		}
	}
}
