package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAFileOfVariablesIsTaken(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "sellerd.env")
	t.Setenv("SELLERD_ADDR", ":9999")
	t.Setenv("SELLERD_KEY", "")
	for _, test := range []struct {
		name, text       string
		args             []string
		left, key, wrong string
	}{
		{"a value", "# a comment\n; another\n\nSELLERD_KEY=hunter2\n", []string{"--env-file", file, "show"}, "show", "hunter2", ""},
		{"after the command, of Windows", "SELLERD_KEY = hunter2\r\n", []string{"show", "--env-file=" + file}, "show", "hunter2", ""},
		{"quotation marks", `SELLERD_KEY="hunter 2"`, []string{"--env-file", file}, "", "hunter 2", ""},
		{"what is set already stays", "SELLERD_ADDR=:80\nSELLERD_KEY='a'", []string{"--env-file", file}, "", "a", ""},
		{"a name twice", "SELLERD_KEY=hunter1\nSELLERD_KEY=hunter2", []string{"--env-file", file}, "", "hunter2", ""},
		{"a name twice, at last without a value", "SELLERD_KEY=hunter1\nSELLERD_KEY=", []string{"--env-file", file}, "", "", ""},
		{"behind the end of the flags", "SELLERD_KEY=hunter2", []string{"show", "--", "--env-file", "x"}, "show -- --env-file x", "", ""},
		{"no line of a variable", "\nexport SELLERD_KEY=x", []string{"--env-file", file}, "", "", "FOLDER/sellerd.env, line 2: must be NAME=VALUE, or begin with #"},
		{"a backslash", `SELLERD_KEY=a\b`, []string{"--env-file", file}, "", "", "FOLDER/sellerd.env, line 1: leave backslashes out, which do not mean the same to every program " +
			"that reads such a file"},
		{"no name of a file", "", []string{"show", "--env-file"}, "", "", "--env-file needs the name of a file of variables"},
		{"no file", "", []string{"--env-file", filepath.Join(folder, "none")}, "", "", "--env-file names FOLDER/none, which does not exist"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("SELLERD_KEY", "")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			wrong := ""
			left, err := takeVariables(test.args)
			if err != nil {
				wrong = strings.ReplaceAll(err.Error(), folder, "FOLDER")
			}
			if diff := cmp.Diff([]string{test.left, test.key, test.wrong, ":9999"}, []string{strings.Join(left, " "), os.Getenv("SELLERD_KEY"), wrong, os.Getenv("SELLERD_ADDR")}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
