package command

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// envFileFlag is a flag of every command, before or after its name: a file of variables, such as the one that systemd gives a service. It is
// no flag of the parser, because flags get their values from variables.
const envFileFlag = "--env-file"

// takeVariables sets the variables of the file that a command line names, and returns the line without it.
func takeVariables(args []string) ([]string, error) {
	for i, arg := range args {
		path, assigned := strings.CutPrefix(arg, envFileFlag+"=")
		words := 1
		switch {
		case arg == "--":
			return args, nil
		case arg == envFileFlag && i+1 < len(args):
			path, words = args[i+1], 2
		case arg == envFileFlag:
			return nil, Wrong("%s needs the name of a file of variables", envFileFlag)
		case !assigned:
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, Wrong("%s names %s, %v", envFileFlag, path, whyUnread(err))
		}
		return slices.Delete(slices.Clone(args), i, i+words), setVariables(path, string(text))
	}
	return args, nil
}

// setVariables sets what the lines of a file say, as systemd and Compose read them, and leaves variables alone that have a value.
func setVariables(path, text string) error {
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok || !variableName.MatchString(name):
			return Wrong("%s, line %d: must be NAME=VALUE, or begin with #", path, number)
		case strings.Contains(value, `\`):
			return Wrong("%s, line %d: leave backslashes out, which do not mean the same to every program that reads such a file", path, number)
		case quoted.MatchString(value):
			value = value[1 : len(value)-1]
		}
		if os.Getenv(name) != "" {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("set the variable %s: %w", name, err)
		}
	}
	return nil
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
