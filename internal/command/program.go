package command

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"sellerd/internal/base/signals"
)

// Program is a program that consists of commands.
type Program struct {
	Name        string       // mandatory
	Description string       // what --help says before the commands; lines that are indented stay as they are
	Ending      string       // what --help says after the commands
	Groups      []kong.Group // the headings under which commands and flags are listed, in this order
	// Commands makes a new struct whose fields are the commands. A command's method Run may ask for a context, which ends with
	// a signal (package signals), and for the program. Mandatory.
	Commands func() any
	// Details are what --help says of the commands.
	Details []Details
	// Lists are what flags take whose tag complete is the name of a list: names with commas between them.
	Lists map[string][]Candidate

	// Clicked is what a window says that a click on the program's file has opened, if not nil. Otherwise the window closes at once.
	Clicked func() string

	Version string
	Commit  string           // what the program was built from
	Now     func() time.Time // the clock; mandatory
	// Zones finds the time zones that the machine does not have, if not nil.
	Zones func(name string) (*time.Location, error)
	// Parts are what the version names besides, if not nil: a name and a version each.
	Parts func() ([][2]string, error)
}

// LoadZone finds a time zone by its IANA name. "Local" is none: it differs from machine to machine.
func (p *Program) LoadZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" {
		return nil, fmt.Errorf("%q is not the name of a time zone", name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil && p.Zones != nil {
		zone, err = p.Zones(name)
	}
	return zone, err
}

// Exit statuses.
const (
	StatusDone   = 0
	StatusFailed = 1
	StatusUsage  = 2 // the command line is wrong, and nothing was done
)

// Execute runs a command line and returns the exit status.
func (p *Program) Execute(args []string) int {
	defer useUTF8()()
	if len(args) == 0 && p.Clicked != nil && ownsConsole() {
		p.explain(os.Stdin, os.Stdout)
		return StatusDone
	}
	args, err := takeVariables(withoutCarriageReturn(args))
	if err != nil {
		p.complain(err)
		return StatusUsage
	}
	parser, err := p.Parser(os.Stdout)
	if err != nil {
		p.complain(err)
		return StatusFailed
	}
	parsed, helped, err := parse(parser, withSynonyms(args))
	switch {
	case helped && err == nil:
		return StatusDone
	case err == nil:
		err = quotedVariable(parsed)
	default:
		err = p.usageProblem(err)
	}
	if err != nil {
		p.complain(err)
		return StatusUsage
	}
	ended := context.Background()
	err = p.run(parsed, func() context.Context { ended = untilSignal(); return ended })
	switch {
	case err == nil:
		return StatusDone
	case ended.Err() != nil && errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), context.Cause(ended).Error()):
		err = context.Cause(ended) // the signal, and not what it cut off; an error that names it also says how to go on
	}
	p.complain(err)
	if errors.As(err, new(WrongUsage)) {
		return StatusUsage
	}
	return StatusFailed
}

// explain says what to do in a window that has no command line, and keeps it open until Enter is pressed.
func (p *Program) explain(in io.Reader, out io.Writer) {
	fmt.Fprint(out, p.Clicked(), "\nPress Enter to close this window.\n")
	_, _ = bufio.NewReader(in).ReadString('\n') // the end of input closes it, too
}

// complain prints why the program failed. Commands in the reason are written for sellerd.
func (p *Program) complain(err error) {
	fmt.Fprintln(os.Stderr, p.Name+":", strings.ReplaceAll(err.Error(), "`sellerd ", "`"+p.Name+" "))
}

// untilSignal makes the context of a command, which ends with a signal. A command without a context, such as import sample, never
// asks for it, so the signal itself ends the program.
func untilSignal() context.Context {
	ctx, _ := signals.Context() // the signals are caught until the program ends
	return ctx
}

// IgnoreBrokenPipe keeps a command running when the reader of its output or its log ends.
func IgnoreBrokenPipe() { signals.IgnoreBrokenPipe() }

// withoutCarriageReturn removes the carriage return with which each line of a script ends that was saved on Windows. It would become part of
// the last argument, such as the name of a file.
func withoutCarriageReturn(args []string) []string {
	if len(args) == 0 {
		return args
	}
	last := len(args) - 1
	return append(slices.Clone(args[:last]), strings.TrimRight(args[last], "\r"))
}

// withSynonyms translates usual spellings into ours: help COMMAND, --version, and no arguments at all, which prints the
// help.
func withSynonyms(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	}
	return args
}

// Details are what --help says of commands beyond their flags, by the names of the commands, such as accounts create.
type Details map[string]string

// ReadDetails reads a file of details. A line such as "# accounts create" begins what is said of that command. They are written for sellerd.
// Lines that are indented stay as they are.
func ReadDetails(file string) Details {
	details := Details{}
	for _, part := range strings.Split("\n"+file, "\n# ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		details[name] = strings.TrimSpace(text)
	}
	return details
}

//go:embed help.txt
var helpFile string

// ownDetails are those of the commands that every program has.
var ownDetails = ReadDetails(helpFile)
