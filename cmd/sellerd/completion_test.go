package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
)

// TestCompletionInRealShells types command lines in each shell, with the script that the program prints for it.
func TestCompletionInRealShells(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for _, shell := range []struct {
		name, plain string // the flag that keeps the user's own settings out
		assigned    string // what a candidate begins with after --flag=, which bash leaves out
	}{
		{"bash", "--norc", ""},
		{"zsh", "-f", "--mode="},
		{"fish", "--no-config", "--mode="},
	} {
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			installed.Require(t, "COMPLETION IN "+strings.ToUpper(shell.name)+" WAS NOT TRIED", shell.name)
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "listings.csv"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			script := filepath.Join(folder, "script")
			if err := os.WriteFile(script, []byte(must(t, folder, "completion", shell.name)+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			driver, err := filepath.Abs("testdata/completion/offer." + shell.name)
			if err != nil {
				t.Fatal(err)
			}
			lines := []struct {
				line string
				want []string
			}{
				{"sellerd ke", []string{"keys"}},
				{"sellerd keys r", []string{"revoke", "rotate"}},
				{"sellerd keys create --mo", []string{"--mode"}},
				{"sellerd keys create --mode ", []string{"live", "test"}},
				{"sellerd keys create --mode=l", []string{shell.assigned + "live"}},
				{"sellerd import lis", []string{"listings.csv"}},
				{"sellerd accounts create --nickname ", nil},
				{"sellerd completion ", []string{"bash", "fish", "zsh"}},
			}
			var typed, want strings.Builder
			for _, l := range lines {
				typed.WriteString(l.line + "\n")
				want.WriteString("== " + l.line + "\n" + strings.Join(append(l.want, ""), "\n"))
			}
			cmd := exec.CommandContext(t.Context(), shell.name, shell.plain, driver)
			cmd.Dir = folder
			cmd.Stdin = strings.NewReader(typed.String())
			cmd.Env = append(os.Environ(),
				"PATH="+filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"),
				"SCRIPT="+script, "OFFERED="+filepath.Join(folder, "offered"), "HOME="+folder, "TERM=dumb", "LC_ALL=C")
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if diff := cmp.Diff(want.String(), string(out)); diff != "" {
				t.Errorf("what %s offers (-want +got):\n%s", shell.name, diff)
			}
		})
	}
}
