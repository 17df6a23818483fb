package command

import (
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
