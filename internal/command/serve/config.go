package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"sellerd/internal/command"
	"sellerd/internal/command/demoseller"
)

// Config is the command about the settings of the server.
type Config struct {
	Check configCheck `cmd:"" help:"Say which settings hold, and what is wrong with them."`
}

type configCheck struct {
	Command
	JSON bool `help:"Print JSON."`
}

// Run prints the settings and their problems.
func (c *configCheck) Run(p *command.Program, parsed *kong.Context) error {
	found, err := c.report(context.Background(), p, parsed)
	if err != nil {
		return err
	}
	if c.JSON {
		err = command.PrintJSON(found)
	} else {
		err = found.print()
	}
	if err == nil && len(found.Problems) > 0 {
		err = errors.New("a server would not start with these settings")
	}
	return err
}

// configReport is what the command says.
type configReport struct {
	Settings []command.Setting `json:"settings"`
	Problems []string          `json:"problems"`
	Warnings []string          `json:"warnings"`
}

func (c *configCheck) report(ctx context.Context, p *command.Program, parsed *kong.Context) (configReport, error) {
	report := configReport{Settings: append(command.Settings(parsed), tracingSettings(os.Environ())...), Problems: []string{}, Warnings: []string{}}
	problems, warnings := c.fileProblems(ctx, p)
	switch err := c.CheckFolder(); {
	case err != nil && strings.HasPrefix(c.Path(), systemdFolders):
		warnings = append(warnings, err.Error()+" A server starts only if its unit makes it (StateDirectory)")
	case err != nil:
		problems = append(problems, err)
	}
	for _, problem := range problems {
		report.Problems = append(report.Problems, problem.Error())
	}
	report.Warnings = append(report.Warnings, warnings...)
	unknown, err := p.UnknownVariables()
	for _, name := range unknown {
		report.Warnings = append(report.Warnings, "unknown variable "+name+", which is ignored")
	}
	return report, err
}

// systemdFolders is where a unit of systemd has a folder made for its service at each start.
const systemdFolders = "/var/lib/"

// tracingSettings are the standard variables about traces, which are no flags. Headers and addresses may have secrets.
func tracingSettings(environment []string) (all []command.Setting) {
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "OTEL_") || value == "" {
			continue
		}
		u, err := url.Parse(value)
		if strings.HasSuffix(name, "_HEADERS") || strings.HasSuffix(name, "_ENDPOINT") && (err != nil || u.User != nil || u.RawQuery != "") {
			value = command.Masked(value)
		}
		all = append(all, command.Setting{Variable: name, Value: value, From: name})
	}
	slices.SortFunc(all, func(a, b command.Setting) int { return strings.Compare(a.Variable, b.Variable) })
	return all
}

// fileProblems are those of the settings, of the files that they name, and of the files beside the database.
func (c *Command) fileProblems(ctx context.Context, p *command.Program) (problems []error, warnings []string) {
	var g given
	problems = c.problems(&g)
	defer g.downloads.Close()
	_, end, err := newTracer(ctx, p, slog.New(slog.DiscardHandler))
	if err != nil {
		problems = append(problems, err)
	} else {
		end()
	}
	problems = append(problems, c.listenProblems()...)
	if _, err := os.Stat(c.demoKeys()); c.Demo && !c.DemoAnyway && c.Path() == "" && errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, demoseller.Unasked(demoseller.InPostgres))
	}
	secret, err := c.KeptSecret(g.secret)
	if err != nil {
		problems = append(problems, err)
	}
	if secret.Remedy != "" {
		warnings = append(warnings, "other users may read the service's secret: "+secret.Remedy)
	}
	if remedy := c.openKey(); remedy != "" {
		warnings = append(warnings, "other users may read the key of the certificate: "+remedy)
	}
	if c.OperatorToken == "" {
		if _, err := c.keptToken(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
	}
	return problems, warnings
}

// listenProblems are those of the two addresses. It opens neither, and asks nobody for the address of a host.
func (c *Command) listenProblems() (problems []error) {
	for _, at := range [][2]string{{"--addr", c.Addr}, {"--operator-addr", c.OperatorAddr}} {
		if err := checkListen(at[0], at[1]); err != nil {
			problems = append(problems, err)
		}
	}
	host, port, err := net.SplitHostPort(c.Addr)
	host2, port2, err2 := net.SplitHostPort(c.OperatorAddr)
	every := func(host string) bool { return host == "" || net.ParseIP(host).IsUnspecified() }
	if err == nil && err2 == nil && port == port2 && port != "0" && (host == host2 || every(host) || every(host2)) {
		problems = append(problems, errSamePort(c.OperatorAddr))
	}
	return problems
}

// print prints the report as a table.
func (r configReport) print() error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range r.Settings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", cmp.Or(s.Flag, s.Variable), command.Visible(s.Value), s.From)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(table, "warning: %s\n", warning)
	}
	for _, problem := range r.Problems {
		fmt.Fprintf(table, "wrong: %s\n", problem)
	}
	return table.Flush()
}
