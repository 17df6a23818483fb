//go:build npm

package arazzotest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// installRedocly returns the path of Redocly's program, of the version that also checks the OpenAPI documents.
func installRedocly(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(root, "internal", "server", "testdata", "openapilint"))); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return filepath.Join(folder, "node_modules", ".bin", "redocly")
}

// respect runs a workflow of an Arazzo document against a program, and returns what Redocly says and whether every check passed.
func respect(t *testing.T, redocly string, d demo, document, workflow string) (said string, passed bool) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "walk.json"), []byte(strings.ReplaceAll(document, documentedAt, d.URL())), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	command := exec.CommandContext(t.Context(), redocly, "respect", "walk.json", "--workflow", workflow, "--input", "key="+d.key, "--input", "act=one")
	command.Dir, command.Stdout, command.Stderr = folder, &out, &out
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	err := command.Run()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Summary for walk.json") {
		t.Fatalf("Redocly did not run the document: %v\n%s", err, &out)
	}
	return out.String(), err == nil
}

// TestNPMRespectRunsTheWalks lets Redocly take each walk against the program by the Arazzo document alone. Redocly checks
// what the document expects, and that each answer has a status, a media type and a body that the OpenAPI document allows. It
// needs the network, so it stands behind a build tag: make npm
func TestNPMRespectRunsTheWalks(t *testing.T) {
	redocly := installRedocly(t)
	document := readFile(t, documentPath)
	for _, w := range walks {
		t.Run(w.id, func(t *testing.T) {
			d := newDemo(t)
			said, passed := respect(t, redocly, d, document, w.id)
			if !passed {
				t.Errorf("%s", said)
			}
			if strings.Contains(said, d.key) {
				t.Error("it prints the key")
			}
			t.Log(said[strings.Index(said, "Summary for"):])
		})
	}
	for name, change := range map[string]struct{ walk, from, to, caught string }{
		"a status of HTTP":   {"first-requests", "$statusCode == 202", "$statusCode == 201", "step submitItem"},
		"a state":            {"first-sale", "status == 'sent'", "status == 'to_send'", "step markBillSent"},
		"another object":     {"first-sale", "#/data/sales/0/id == $steps.simulatePurchase.outputs.id", "#/data/sales/0/id == $steps.simulatePurchase.outputs.bill_id", "step simulateInvoice"},
		"a request's member": {"migration", `"reason": "not_available"`, `"reason": "lost_interest"`, "step closeItem"},
	} {
		t.Run(name+" that is wrong is found", func(t *testing.T) {
			before, workflow, _ := strings.Cut(document, `"workflowId": "`+change.walk+`"`)
			wrong := before + `"workflowId": "` + change.walk + `"` + strings.Replace(workflow, change.from, change.to, 1)
			if wrong == document {
				t.Fatalf("%s has no %s", change.walk, change.from)
			}
			said, passed := respect(t, redocly, newDemo(t), wrong, change.walk)
			failed, _, _ := strings.Cut(said, "Failed tests info")
			if at := strings.LastIndex(failed, "✗ "); passed || at < 0 || !strings.Contains(failed, change.caught) {
				t.Errorf("it was not found at %s:\n%s", change.caught, said)
			}
		})
	}
}
