package deploy

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the module's root, from which the image is built, seen from here.
const root = "../.."

// testVersion and testCommit are what the program that is tested here says of itself.
const (
	testVersion = "9.8.7-deploy"
	testCommit  = "0123abc, with changes"
)

// program is the path of the program as the Dockerfile builds it.
var program string

func TestMain(m *testing.M) { os.Exit(withProgram(m.Run)) }

// withProgram runs the tests with a built program.
func withProgram(run func() int) int {
	folder, err := os.MkdirTemp("", "sellerd-deploy-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	program = filepath.Join(folder, "sellerd")
	if err := buildAsImage(program); err != nil {
		fmt.Fprintln(os.Stderr, "build the program as the Dockerfile does:", err)
		return 1
	}
	if err := flag.Set("program", program); err != nil { // blackbox runs the same one
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

// buildAsImage runs the command of the Dockerfile's build stage. Only -trimpath is left out: it changes the paths in stack
// traces, and to have it every package would be compiled once more.
func buildAsImage(path string) error {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		return err
	}
	line := regexp.MustCompile(`(?m)^RUN (.*go build .*)$`).FindStringSubmatch(string(text))
	if line == nil || !strings.Contains(line[1], " -o /sellerd ") || !strings.Contains(line[1], " -trimpath ") {
		return errors.New("there is no go build with -trimpath -o /sellerd")
	}
	build := exec.Command("sh", "-c", strings.NewReplacer(" -o /sellerd ", ` -o "$OUT" `, " -trimpath ", " ").Replace(line[1]))
	build.Dir = root
	build.Env = append(os.Environ(), "VERSION="+testVersion, "COMMIT="+testCommit, "OUT="+path)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// say runs the program and returns what it prints.
func say(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("sellerd %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

// checkCommand fails the test if the program has no such command or refuses its flags.
func checkCommand(t *testing.T, arguments ...string) {
	t.Helper()
	say(t, append(slices.Clone(arguments), "--help")...)
}

// variables are those that a server knows, by its help.
func variables(t *testing.T) []string {
	t.Helper()
	found := regexp.MustCompile(`\$(SELLERD_[A-Z_]+)`).FindAllStringSubmatch(say(t, "serve", "--help"), -1)
	if len(found) == 0 {
		t.Fatal("the help of serve names no variables")
	}
	names := make([]string, len(found))
	for i, match := range found {
		names[i] = match[1]
	}
	return names
}

// checkVariables fails the test for names of the program's kind that it does not know.
func checkVariables(t *testing.T, names []string) {
	t.Helper()
	known := variables(t)
	for _, name := range names {
		if strings.HasPrefix(name, "SELLERD_") && !slices.Contains(known, name) {
			t.Errorf("the program knows no variable %s", name)
		}
	}
}

// setting is a line NAME=value of a file of variables. Those that are commented out count too: people take them in.
var setting = regexp.MustCompile(`(?m)^#?([A-Z][A-Z_]*)=(.*)$`)

// settings are the variables that a file sets.
func settings(text string) (names []string, values map[string]string) {
	values = map[string]string{}
	for _, match := range setting.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
		values[match[1]] = match[2]
	}
	return names, values
}

func TestSettings(t *testing.T) {
	names, values := settings("# A comment.\nA_B=c=d\n#SELLERD_DB=x\n\nE=\n")
	if diff := cmp.Diff([]string{"A_B", "SELLERD_DB", "E"}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"A_B": "c=d", "SELLERD_DB": "x", "E": ""}, values); diff != "" {
		t.Error(diff)
	}
}
