// Command sellerd is the seller API in one program: the server (serve) and the short commands beside it, which write to
// the same database (accounts, keys) or talk to a running server (import, listen, mcp).
//
// `sellerd --help` lists them, and the help of a flag names its environment variable.
//
//   - main.go is the list of commands; parser.go reads a command line and words what is wrong with it, flags.go what is
//     wrong with a value; help.go is what --help says beyond the flags.
//   - completion.go prints the scripts for shells, complete.go answers them.
//   - database.go opens the database, database_problem.go says what to do when that fails; secret.go and operator_token.go
//     find what a server protects with; files.go stores files.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	_ "time/tzdata" // time zones, for machines that have none

	"sellerd/v1"
)

// version is set by the build of a release. All other builds say after which release they come.
var version = v1.Release + "-dev" // constant, as -X of the linker demands

type cli struct {
	Serve   serveCmd   `cmd:"" group:"server" help:"Serve the API until SIGTERM or SIGINT."`
	Migrate migrateCmd `cmd:"" group:"server" help:"Bring a database's schema up to date and exit."`
	Copy    copyCmd    `cmd:"" group:"server" help:"Copy a database to another, between SQLite and PostgreSQL in both directions."`
	Secret  secretCmd  `cmd:"" group:"server" help:"Replace the secret that a database belongs to."`
	Health  healthCmd  `cmd:"" group:"server" help:"Ask a running server whether it is ready; for container health checks."`

	Accounts accountsCmd `cmd:"" group:"sellers" help:"Make sellers' accounts; forget buyers."`
	Keys     keysCmd     `cmd:"" group:"sellers" help:"Make, list, revoke and rotate API keys."`

	ShippingModels shippingModelsCmd `cmd:"" group:"sellers" help:"List and set the ways in which a seller charges for shipping."`

	Legacy legacyCmd `cmd:"" group:"sellers" help:"See which sellers still use the old interface."`

	Import    importCmd    `cmd:"" group:"integrators" help:"List the items of a CSV file, or change listed items."`
	Listen    listenCmd    `cmd:"" group:"integrators" help:"Forward events to a developer's machine, as a webhook would."`
	MCP       mcpCmd       `cmd:"" group:"integrators" help:"Give an agent tools for the service, over the Model Context Protocol."`
	Bridge    bridgeCmd    `cmd:"" group:"integrators" help:"Serve the old interface on this machine, for programs that cannot be changed."`
	Scan      scanCmd      `cmd:"" group:"integrators" help:"Find what programs, settings and logs call of the old interface; runs nothing."`
	Translate translateCmd `cmd:"" group:"integrators" help:"Say what a request of the old interface is in /v1; runs nothing."`

	Conformance conformanceCmd `cmd:"" group:"checks" help:"See whether a service keeps what the releases promised."`

	Completion completionCmd `cmd:"" group:"program" help:"Print a script that completes commands, flags and values in a shell."`
	Complete   completeCmd   `cmd:"" hidden:"" passthrough:"" help:"Print what may come next on a command line; the scripts of completion call this."`
	Version    versionCmd    `cmd:"" group:"program" help:"Print the version, and what the program was built from."`
}

func main() { os.Exit(execute(os.Args[1:])) }

// untilSignal makes the context of a command, which ends with SIGINT or SIGTERM. A command without a context, such as import sample, never
// asks for it, so the signal itself ends the program.
func untilSignal() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM) // the signals are caught until the program ends
	return ctx
}

// Exit statuses.
const (
	statusDone   = 0
	statusFailed = 1
	statusUsage  = 2 // the command line is wrong, and nothing was done
)

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

// execute runs a command line and returns the exit status.
func execute(args []string) int {
	parser, err := newParser(os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sellerd:", err)
		return statusFailed
	}
	args = withSynonyms(args)
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sellerd:", usageProblem(err))
		return statusUsage
	}
	if err = parsed.BindToProvider(untilSignal); err == nil {
		err = parsed.Run(parser)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sellerd:", err)
		if errors.As(err, new(wrongUsage)) {
			return statusUsage
		}
		return statusFailed
	}
	return statusDone
}
