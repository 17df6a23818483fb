package command

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// WarnOfVariables logs the names of SELLERD_ variables that no command takes. Otherwise the server would silently begin with an empty database
// if SELLERD_DATABASE was set by mistake. Values are not logged.
func (p *Program) WarnOfVariables(logger *slog.Logger) error {
	unknown, err := p.UnknownVariables()
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		logger.Warn("unknown SELLERD_ variables are ignored", "variables", unknown, "remedy", p.Name+" serve --help has the right names")
	}
	return nil
}

// UnknownVariables are the names of SELLERD_ variables that no command takes.
func (p *Program) UnknownVariables() ([]string, error) {
	parser, err := p.Parser(io.Discard)
	if err != nil {
		return nil, err
	}
	return unknownVariables(os.Environ(), settings(parser.Model.Node)), nil
}

// settings are the variables that a command and the commands below it take.
func settings(command *kong.Node) (names []string) {
	for _, flag := range command.Flags {
		names = append(names, variablesOf(flag)...)
	}
	for _, child := range command.Children {
		names = append(names, settings(child)...)
	}
	return names
}

// unknownVariables are the names of an environment that begin as settings do, in whatever case, and are none, in order. A name in another case
// is a setting where the system says so, as Windows does.
func unknownVariables(environment, known []string) (unknown []string) {
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		upper := strings.ToUpper(name)
		isSetting := slices.Contains(known, upper) && os.Getenv(upper) == value
		if strings.HasPrefix(upper, "SELLERD_") && value != "" && !isSetting && !ofOthers.MatchString(variable) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// ofOthers matches the variables by which Kubernetes tells each container of a namespace where a service is, such as one named sellerd, and
// those of the tests of this repository.
var ofOthers = regexp.MustCompile(`^\w+?(_SERVICE_HOST=|_SERVICE_PORT(_\w+)?=|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?=|_PORT=(tcp|udp|sctp)://)|` +
	`^SELLERD_(TEST_|REQUIRE_|GENERATE=|FIGURES=|CRASH_AT=)`)

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

// setVariables sets what the lines of a file say, as systemd and Compose read them: the last line of a name holds. It leaves variables alone
// that have a value.
func setVariables(path, text string) error {
	number := 0
	values := map[string]string{}
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
		values[name] = value
	}
	for name, value := range values {
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
