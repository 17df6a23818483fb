package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// This file reads command lines and runs commands as kong.Parse and kong.Context.Run do, without hooks. Those two, and kong's Validate, look
// methods up by names that the linker does not know. It would then keep every method of every type: a third of the sellers' program.

// misread is a command line that cannot be used, and what was read of it, nil if nothing was.
type misread struct {
	error
	context *kong.Context
}

// parse reads a command line. helped says that it asked for help, which was printed.
func parse(parser *kong.Kong, args []string) (parsed *kong.Context, helped bool, err error) {
	parsed, err = kong.Trace(parser, args)
	if err == nil {
		err = parsed.Error
	}
	if err != nil {
		return nil, false, misread{err, parsed}
	}
	for _, step := range parsed.Path {
		if step.Flag != nil && step.Flag == parser.Model.HelpFlag {
			return parsed, true, parsed.PrintUsage(false)
		}
	}
	err = parsed.Reset()
	if err == nil {
		_, err = parsed.Apply()
	}
	if err == nil {
		err = takeFiles(parsed)
	}
	if err == nil {
		err = validate(parsed)
	}
	if err != nil {
		return nil, false, misread{err, parsed}
	}
	return parsed, false, nil
}

// validate looks at the values of a command line, and for those that are missing. No command that runs by itself has commands below it, and
// no flag with named values is mandatory and can be set in the environment: kong has rules of its own for these.
func validate(parsed *kong.Context) error {
	for _, step := range parsed.Path {
		node := step.Node()
		if node == nil {
			continue
		}
		for _, value := range node.Values() {
			if value.Set && value.Required && value.Target.Kind() == reflect.String && value.Target.String() == "" { // a variable of a script that is not set
				return fmt.Errorf("%s must not be empty", value.ShortSummary())
			}
			if value.Enum != "" && (value.Set || !value.Required) {
				if err := ofEnum(value, value.Target); err != nil {
					return err
				}
			}
		}
		if own, ok := node.Target.Addr().Interface().(interface{ CheckFlags() error }); ok {
			if err := own.CheckFlags(); err != nil {
				return fmt.Errorf("%s: %w", node.Path(), err)
			}
		}
	}
	for _, step := range parsed.Path {
		if err := missingFlags(step.Flags); err != nil {
			return err
		}
	}
	return missingWords(cmp.Or(parsed.Selected(), parsed.Model.Node))
}

// ofEnum rejects a value that is none of those that its flag or argument may have. Of a list it looks at each.
func ofEnum(value *kong.Value, given reflect.Value) error {
	if given.Kind() == reflect.Slice {
		for i := range given.Len() {
			if err := ofEnum(value, given.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	var allowed []string
	got := fmt.Sprint(given)
	for _, one := range value.EnumSlice() {
		if one == got {
			return nil
		}
		allowed = append(allowed, fmt.Sprintf("%q", one))
	}
	return fmt.Errorf("%s must be one of %s but got %q", value.ShortSummary(), strings.Join(allowed, ","), got)
}

func missingFlags(flags []*kong.Flag) error {
	var missing []string
	for _, flag := range flags {
		if flag.Required && !flag.Set {
			missing = append(missing, flag.Summary())
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
	}
	return nil
}

// missingWords rejects a line that ends before the command's own commands or its arguments.
func missingWords(command *kong.Node) error {
	var missing []string
	for _, argument := range command.Positional {
		if argument.Required && !argument.Set {
			missing = append(missing, argument.Summary())
		}
	}
	if len(missing) > 0 {
		missing = []string{fmt.Sprintf("%q", strings.Join(missing, " "))}
	}
	for _, child := range command.Children {
		if !child.Hidden {
			missing = append(missing, fmt.Sprintf("%q", child.Name))
		}
	}
	switch {
	case len(missing) == 0:
		return nil
	case len(missing) == 1:
		return errors.New("expected " + missing[0])
	case len(missing) > 5:
		missing = append(missing[:5], "...")
	}
	return errors.New("expected one of " + strings.Join(missing, ", "))
}

// run runs the command of a line. Its method Run may ask for a context and for the program.
func (p *Program) run(parsed *kong.Context, start func() context.Context) error {
	begin := func() context.Context {
		name := strings.TrimPrefix(parsed.Selected().FullPath(), p.Name+" ")
		return context.WithValue(start(), running{}, name)
	}
	switch command := parsed.Selected().Target.Addr().Interface().(type) {
	case interface{ Run() error }:
		return command.Run()
	case interface{ Run(p *Program) error }:
		return command.Run(p)
	case interface {
		Run(p *Program, parsed *kong.Context) error
	}:
		return command.Run(p, parsed)
	case interface {
		Run(ctx context.Context) error
	}:
		return command.Run(begin())
	case interface {
		Run(ctx context.Context, p *Program) error
	}:
		return command.Run(begin(), p)
	default:
		return fmt.Errorf("%s has no method Run of a known kind", reflect.TypeOf(command))
	}
}

// running is the key of the command's name in its context.
type running struct{}

// Running is the name of the command that has the context, such as keys create; empty for a context of something else.
func Running(ctx context.Context) string {
	name, _ := ctx.Value(running{}).(string)
	return name
}
