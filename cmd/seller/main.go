// Command seller is what sellers run: it finds, translates and serves calls of the old interface, lists items from files, writes items, sales
// and bills to files, forwards events, and gives agents tools. It is one file without a database and without cgo, for Windows, macOS and Linux
// alike. Program sellerd has the same commands, by the same code.
package main

import (
	"os"
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/command/seller"
	"sellerd/v1"
)

// version is set by the build of a release. All other builds say after which release they come.
var version = v1.Release + "-dev" // constant, as -X of the linker demands

// stamped is the commit that the build was run on, where the build says so.
var stamped = ""

// commands are the commands, in the order of the help.
type commands struct {
	Scan      seller.Scan      `cmd:"" group:"old" help:"Find what programs, settings and logs call of the old interface; runs nothing."`
	Translate seller.Translate `cmd:"" group:"old" help:"Say what a request of the old interface is in /v1; runs nothing."`
	Bridge    seller.Bridge    `cmd:"" group:"old" help:"Serve the old interface on this machine, for programs that cannot be changed."`

	Import seller.Import `cmd:"" group:"shop" help:"List the items of a spreadsheet or CSV file, or change listed items."`
	Export seller.Export `cmd:"" group:"shop" help:"Write items, sales or bills to a file for a spreadsheet."`

	Categories seller.Categories `cmd:"" group:"shop" help:"Find the number of a category by words of its name."`

	Listen seller.Listen `cmd:"" group:"shop" help:"Forward events to a developer's machine, as a webhook would."`
	MCP    seller.MCP    `cmd:"" group:"shop" help:"Give an agent tools for the service, over the Model Context Protocol."`

	Completion command.Completion `cmd:"" group:"program" help:"Print a script that completes commands, flags and values in a shell."`
	Complete   command.Complete   `cmd:"" hidden:"" passthrough:"" help:"Print what may come next on a command line; the scripts of completion call this."`
	Version    command.Version    `cmd:"" group:"program" help:"Print the version, and what the program was built from."`
}

func main() { os.Exit(program().Execute(arguments(os.Args))) }

// program is seller.
func program() *command.Program {
	return &command.Program{
		Name: "seller", Description: description, Ending: ending, Groups: groups,
		Commands: func() any { return &commands{} },
		Details:  []command.Details{seller.Details},
		Lists:    map[string][]command.Candidate{"events": events()},
		Clicked:  func() string { return seller.Clicked(os.Args[0]) },
		Zones:    ownZone,
		Version:  version, Commit: command.BuiltFrom(stamped), Now: v1.SystemClock{}.Now,
	}
}

// events are what flags take that name events.
func events() []command.Candidate {
	var all []command.Candidate
	for _, event := range v1.EventTypes {
		all = append(all, command.Candidate{Value: event.Name, Meaning: event.When})
	}
	return all
}

// alias is the name of the program that this one replaces. It had one command, and took its flags with one dash, too.
const alias = "sellerd-bridge"

// arguments are what the program was given. Where it is installed under the old name, as units of that time start it, it is its command
// bridge.
func arguments(line []string) []string {
	if len(line) == 0 {
		return nil
	}
	name := line[0][strings.LastIndexAny(line[0], `/\`)+1:]
	if !strings.EqualFold(name, alias) && !strings.EqualFold(name, alias+".exe") {
		return line[1:]
	}
	given := []string{"bridge"}
	for _, word := range line[1:] {
		if len(word) > 2 && word[0] == '-' && word[1] != '-' {
			word = "-" + word
		}
		given = append(given, word)
	}
	if len(given) == 2 && given[1] == "--version" {
		return given[1:]
	}
	return given
}
