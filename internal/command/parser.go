package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"

	"github.com/alecthomas/kong"
)

// Parser makes the parser of command lines. Help goes to out.
func (p *Program) Parser(out io.Writer, options ...kong.Option) (*kong.Kong, error) {
	tidyVariables()
	powerShell := runtime.GOOS == "windows" && os.Getenv("SHELL") == "" // which the shell of Git sets
	parser, err := kong.New(p.Commands(), append([]kong.Option{
		kong.Name(p.Name),
		kong.Description(forShell(strings.TrimSpace(p.Description), powerShell)),
		kong.Writers(out, out),
		kong.ExplicitGroups(p.Groups),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.ValueFormatter(withFileVariable),
		kong.Help(p.printHelp),
		kong.TypeMapper(reflect.TypeFor[[]string](), listMapper{}),
	}, options...)...)
	if err != nil {
		return nil, err
	}
	_ = kong.Visit(parser.Model.Node, func(visited kong.Visitable, next kong.Next) error {
		if node, ok := visited.(*kong.Node); ok {
			for _, details := range append([]Details{ownDetails}, p.Details...) {
				if detail, ok := details[node.Path()]; ok {
					node.Detail = forShell(p.Named(detail), powerShell)
				}
			}
		}
		return next(nil)
	})
	parser.Model.HelpFlag.Help = "Print what the command does, its flags and examples."
	return parser, nil
}

// Named is a text about commands with the name of this program: they are written for sellerd.
func (p *Program) Named(text string) string {
	return nameOfProgram.ReplaceAllString(text, "${1}"+p.Name+"$2")
}

var nameOfProgram = regexp.MustCompile(`\b(_?)sellerd([ "\n]|\.fish|$)`)

// forShell is a help text whose examples set variables as PowerShell does, if that reads them.
func forShell(text string, powerShell bool) string {
	if !powerShell {
		return text
	}
	return settingVariable.ReplaceAllString(text, "${1}$$env:${2} = '${3}'; ")
}

var settingVariable = regexp.MustCompile(`(?m)^( +)([A-Z_]+)=(\S+) `)

// listMapper reads the lists of flags as kong does, and takes away the blanks that people write after a comma.
type listMapper struct{}

// Decode implements kong.Mapper.
func (listMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if err := kong.NewRegistry().RegisterDefaults().ForType(target.Type()).Decode(ctx, target); err != nil || ctx.Value.Flag == nil {
		return err
	}
	for i := range target.Len() {
		target.Index(i).SetString(strings.TrimSpace(target.Index(i).String()))
	}
	return nil
}

// printHelp is kong's help, with the ending where the whole program is described.
func (p *Program) printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	if ctx.Selected() != nil {
		return nil
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\n%s\n", strings.TrimSpace(p.Ending))
	return err
}

// tidyVariables trims the values of the program's variables: in a file of variables that was saved on Windows, each ends with a carriage
// return. It unsets those that are empty, so that their defaults hold. Compose, for example, sets the variables to nothing that its .env
// leaves out.
func tidyVariables() {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		switch tidy := strings.TrimSpace(value); {
		case !strings.HasPrefix(name, "SELLERD_"):
		case tidy == "":
			_ = os.Unsetenv(name) // fails for names that no environment has
		case tidy != value:
			_ = os.Setenv(name, tidy)
		}
	}
}

// quotedVariable says which variable of a command has a value in quotation marks. Compose and systemd take them away when they read a file
// of variables, docker run --env-file does not.
func quotedVariable(parsed *kong.Context) error {
	for _, flag := range parsed.Flags() {
		for _, name := range flag.Envs {
			value := os.Getenv(name)
			if quoted.MatchString(value) && fmt.Sprint(parsed.FlagValue(flag)) == value {
				return fmt.Errorf("the quotation marks around the value of %s are part of it: leave them out, for not every program that reads a file of "+
					"variables takes them away", name)
			}
		}
	}
	return nil
}

var quoted = regexp.MustCompile(`^(".*"|'.*')$`)

// usageProblem describes what is wrong with a command line, and names its help.
func (p *Program) usageProblem(err error) error {
	text, command := err.Error(), p.Name
	if wrong, ok := errors.AsType[misread](err); ok && wrong.context != nil {
		if node := wrong.context.Selected(); node != nil {
			command = node.FullPath()
			text = withVariables(text, node)
		} else if last := wrong.context.Path[len(wrong.context.Path)-1].Node(); last != nil {
			command = last.FullPath()
		}
	}
	text = strings.TrimSuffix(text, `, did you mean "-h"?`) // which does not help a user who typed -v or -5
	if name, ok := strings.CutPrefix(text, `expected "<`); ok {
		text = "missing argument: <" + strings.TrimSuffix(name, `"`)
	}
	return errors.New(text + "\nRun `" + command + " --help` for its commands and flags.")
}

// withVariables adds the environment variables to an error about missing flags.
func withVariables(text string, node *kong.Node) string {
	if !strings.HasPrefix(text, "missing flags: ") {
		return text
	}
	for _, level := range node.AllFlags(true) {
		for _, flag := range level {
			if flag.Required && len(flag.Envs) > 0 {
				text = strings.Replace(text, flag.Summary(), flag.Summary()+" (or the variable "+flag.Envs[0]+")", 1)
			}
		}
	}
	return text
}
