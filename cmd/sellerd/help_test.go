package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the help in testdata/help anew")

const helpFolder = "testdata/help"

// eachCommand runs a test on the program and every command of it that is not hidden.
func eachCommand(t *testing.T, test func(t *testing.T, command *kong.Node)) {
	t.Helper()
	parser, err := program().Parser(t.Output())
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

// TestHelp compares what each command says of itself with a file, which -update writes anew.
func TestHelp(t *testing.T) {
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
	eachCommand(t, func(t *testing.T, command *kong.Node) {
		words := strings.Fields(command.FullPath())
		got := helpOf(t, words[1:])
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
			t.Fatalf("%v: write it with go test ./cmd/sellerd -run TestHelp -args -update", err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-file +program): if it is meant, go test ./cmd/sellerd -run TestHelp -args -update\n%s", file, diff)
		}
	})
	for file := range left {
		t.Errorf("%s belongs to no command: delete it", file)
	}
}

// helpOf is what a command prints with --help.
func helpOf(t *testing.T, words []string) string {
	t.Helper()
	var out strings.Builder
	ended := false
	parser, err := program().Parser(&out, kong.Exit(func(int) { ended = true }))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = parser.Parse(append(words, "--help")) // required flags are missing, after the help was printed
	if !ended {
		t.Fatal("it printed no help")
	}
	return out.String()
}

// TestEveryFlagIsExplained makes sure of what a reader looks for in a flag's help.
func TestEveryFlagIsExplained(t *testing.T) {
	eachCommand(t, func(t *testing.T, command *kong.Node) {
		if command.Parent != nil && command.ClosestGroup() == nil {
			t.Error("it has no group: give its field in commands the tag group")
		}
		if command.Leaf() && !strings.Contains(command.Detail, "sellerd "+strings.Fields(command.Path())[0]) {
			t.Error("its help has no example")
		}
		for _, flag := range command.Flags {
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
