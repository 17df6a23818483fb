// Package helptest looks at what programs say of themselves with --help.
package helptest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/command"
)

var update = flag.Bool("update", false, "write the help in testdata/help anew")

const helpFolder = "testdata/help"

// eachCommand runs a test on the program and every command of it that is not hidden.
func eachCommand(t *testing.T, program *command.Program, test func(t *testing.T, node *kong.Node)) {
	t.Helper()
	parser, err := program.Parser(t.Output())
	if err != nil {
		t.Fatal(err)
	}
	err = kong.Visit(parser.Model.Node, func(visited kong.Visitable, next kong.Next) error {
		node, ok := visited.(*kong.Node)
		if !ok {
			return next(nil)
		}
		if node.Hidden {
			return nil
		}
		t.Run(node.FullPath(), func(t *testing.T) { test(t, node) })
		return next(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Compare compares what each command says of itself with a file in testdata/help, which -update writes anew.
func Compare(t *testing.T, program *command.Program) {
	t.Helper()
	t.Setenv("COLUMNS", "80")
	if *update {
		if err := os.RemoveAll(helpFolder); err != nil {
			t.Fatal(err)
		}
	}
	left := map[string]bool{}
	files, err := filepath.Glob(helpFolder + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		left[file] = true
	}
	eachCommand(t, program, func(t *testing.T, node *kong.Node) {
		words := strings.Fields(node.FullPath())
		got := helpOf(t, program, words[1:])
		for _, line := range strings.Split(got, "\n") {
			if utf8.RuneCountInString(line) > 100 {
				t.Errorf("this line is too long for a terminal: %s", line)
			}
		}
		file := filepath.Join(helpFolder, strings.Join(words, "-")+".txt")
		delete(left, file)
		if *update {
			if err := os.MkdirAll(helpFolder, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v: write it with go test ./cmd/%s -run TestHelp -args -update", err, program.Name)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-file +program): if it is meant, go test ./cmd/%s -run TestHelp -args -update\n%s", file, program.Name, diff)
		}
	})
	for file := range left {
		t.Errorf("%s belongs to no command: delete it", file)
	}
}

// helpOf is what a command prints with --help.
func helpOf(t *testing.T, program *command.Program, words []string) string {
	t.Helper()
	var out strings.Builder
	ended := false
	parser, err := program.Parser(&out, kong.Exit(func(int) { ended = true }))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = parser.Parse(append(words, "--help")) // required flags are missing, after the help was printed
	if !ended {
		t.Fatal("it printed no help")
	}
	return out.String()
}

// Explain makes sure of what a reader looks for in a flag's help.
func Explain(t *testing.T, program *command.Program) {
	t.Helper()
	eachCommand(t, program, func(t *testing.T, node *kong.Node) {
		if node.Parent != nil && node.ClosestGroup() == nil {
			t.Error("it has no group: give its field in commands the tag group")
		}
		if node.Leaf() && !strings.Contains(node.Detail, program.Name+" "+strings.Fields(node.Path())[0]) {
			t.Error("its help has no example")
		}
		for _, flag := range node.Flags {
			name, help := "--"+flag.Name, flag.Help
			if !strings.HasSuffix(help, ".") {
				t.Errorf("the help of %s is no sentence: %q", name, help)
			}
			if flag.IsBool() {
				continue
			}
			if flag.PlaceHolder == "" {
				t.Errorf("%s does not say what its value is: give it a placeholder", name)
			}
			if flag.HasDefault && !strings.Contains(help, flag.Default) {
				t.Errorf("the help of %s does not show its default %s", name, flag.Default)
			}
		}
	})
}
