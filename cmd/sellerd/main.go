// Command sellerd is the seller API in one program: the server (serve) and the short commands beside it, which write to
// the same database (accounts, keys) or talk to a running server (import, export, listen, mcp).
//
// `sellerd --help` lists them, and the help of a flag names its environment variable. main.go is the table of commands, and help.go is what
// --help says of the program. Everything else is in internal/command and below.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata" // time zones, for machines that have none

	"sellerd/internal/command"
	"sellerd/internal/command/checks"
	"sellerd/internal/command/database"
	"sellerd/internal/command/operator"
	"sellerd/internal/command/seller"
	"sellerd/internal/command/serve"
	"sellerd/internal/store/migrations"
	"sellerd/v1"
)

// version is set by the build of a release. All other builds say after which release they come.
var version = v1.Release + "-dev" // constant, as -X of the linker demands

// stamped is the commit that `make build` was run on. It is not empty only in programs that were built so.
var stamped = ""

// commands are the commands, in the order of the help.
type commands struct {
	Serve   serve.Command    `cmd:"" group:"server" help:"Serve the API until SIGTERM or SIGINT."`
	Migrate database.Migrate `cmd:"" group:"server" help:"Bring a database's schema up to date and exit."`
	Copy    database.Copy    `cmd:"" group:"server" help:"Copy a database to another, between SQLite and PostgreSQL in both directions."`
	Backup  database.Backup  `cmd:"" group:"server" help:"Back up a SQLite database with its secret, while a server writes."`
	Secret  database.Secret  `cmd:"" group:"server" help:"Replace the secret that a database belongs to."`
	Config  serve.Config     `cmd:"" group:"server" help:"Check the settings of serve."`
	Doctor  serve.Doctor     `cmd:"" group:"server" help:"Look for what is wrong with a service and its machine."`
	Health  serve.Health     `cmd:"" group:"server" help:"Ask a running server whether it is ready; for container health checks."`

	Accounts operator.Accounts `cmd:"" group:"sellers" help:"Make, close and export sellers' accounts; forget buyers."`
	Buyers   operator.Buyers   `cmd:"" group:"sellers" help:"Find and export what is stored about buyers."`
	Keys     operator.Keys     `cmd:"" group:"sellers" help:"Make, list, revoke and rotate API keys."`

	ShippingModels operator.ShippingModels `cmd:"" group:"sellers" help:"List and set the ways in which a seller charges for shipping."`

	Operators operator.Operators `cmd:"" group:"sellers" help:"Make, list and revoke those who may use the operator API."`
	Audit     operator.Audit     `cmd:"" group:"sellers" help:"See who changed what."`

	Legacy operator.Legacy `cmd:"" group:"sellers" help:"See which sellers still use the old interface."`

	Import seller.Import `cmd:"" group:"integrators" help:"List the items of a spreadsheet or CSV file, or change listed items."`
	Export seller.Export `cmd:"" group:"integrators" help:"Write items, sales or bills to a file for a spreadsheet."`

	Categories seller.Categories `cmd:"" group:"integrators" help:"Find the number of a category by words of its name."`

	Listen    seller.Listen    `cmd:"" group:"integrators" help:"Forward events to a developer's machine, as a webhook would."`
	MCP       seller.MCP       `cmd:"" group:"integrators" help:"Give an agent tools for the service, over the Model Context Protocol."`
	Bridge    seller.Bridge    `cmd:"" group:"integrators" help:"Serve the old interface on this machine, for programs that cannot be changed."`
	Scan      seller.Scan      `cmd:"" group:"integrators" help:"Find what programs, settings and logs call of the old interface; runs nothing."`
	Translate seller.Translate `cmd:"" group:"integrators" help:"Say what a request of the old interface is in /v1; runs nothing."`

	Conformance checks.Conformance `cmd:"" group:"checks" help:"See whether a service keeps what the releases promised."`

	Completion command.Completion `cmd:"" group:"program" help:"Print a script that completes commands, flags and values in a shell."`
	Complete   command.Complete   `cmd:"" hidden:"" passthrough:"" help:"Print what may come next on a command line; the scripts of completion call this."`
	Version    command.Version    `cmd:"" group:"program" help:"Print the version, and what the program was built from."`
}

func main() { os.Exit(program().Execute(os.Args[1:])) }

// program is sellerd.
func program() *command.Program {
	return &command.Program{
		Name: "sellerd", Description: description, Ending: ending, Groups: groups,
		Commands: func() any { return &commands{} },
		Details:  []command.Details{serve.Details, database.Details, operator.Details, seller.Details, checks.Details},
		Lists:    map[string][]command.Candidate{"events": events(), "permissions": permissions()},
		Version:  version, Commit: command.BuiltFrom(stamped), Now: v1.SystemClock{}.Now, Parts: parts,
	}
}

// parts are what the version says besides. The schema's version is the one after the program's migrations, so it shows whether an upgrade
// will migrate.
func parts() ([][2]string, error) {
	schema, err := migrations.SchemaVersion()
	return [][2]string{{"schema", fmt.Sprint(schema)}}, err
}

// events are what flags take that name events.
func events() []command.Candidate {
	var all []command.Candidate
	for _, event := range v1.EventTypes {
		all = append(all, command.Candidate{Value: event.Name, Meaning: event.When})
	}
	return all
}

// permissions are what flags take that name what a key permits.
func permissions() []command.Candidate {
	var all []command.Candidate
	for _, name := range v1.AllPermissions.Names() {
		all = append(all, command.Candidate{Value: name})
	}
	return all
}
