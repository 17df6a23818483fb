package main

import "github.com/alecthomas/kong"

// description is what `sellerd --help` says before the commands. Lines that are indented stay as they are.
const description = `The seller API of a collectibles marketplace, in one program: the server, the commands of its operator, and tools for
its callers.

Examples:

    sellerd serve --demo --allow-private-targets          try it on http://localhost:8080
    sellerd accounts create --nickname anna --email anna@example.com
    SELLERD_KEY=dk_test_… sellerd import listings.csv`

// groups are the headings under which commands and flags are listed, in this order.
var groups = []kong.Group{
	{Key: "server", Title: "Server:"},
	{Key: "sellers", Title: "Sellers:"},
	{Key: "integrators", Title: "Integrators:"},
	{Key: "checks", Title: "Checks:"},
	{Key: "program", Title: "This program:"},

	{Key: "addresses", Title: "Addresses:"},
	{Key: "limits", Title: "Limits:"},
	{Key: "development", Title: "Development:"},
	{Key: "log", Title: "Log:"},
	{Key: "database", Title: "Database:"},
}

// ending is what `sellerd --help` says after the commands.
const ending = `
Environment:
  A flag with a name such as $SELLERD_DB in its help may be set by that variable
  instead; the flag wins. Give keys and passwords as variables, or as the files
  that variables such as $SELLERD_DB_FILE name: other users of the machine can
  see a command's flags.

  --env-file=FILE sets the variables of a file that are not set yet, for any
  command: the one of the unit gives it the settings of the service.

    sellerd --env-file /etc/sellerd/sellerd.env accounts list

Exit status:
  0  done; serve shut down cleanly.
  1  The command failed: the database, a server or an object is missing, the
     content of a file is wrong, or the request was refused. The last line
     printed has the reason.
  2  The command line is wrong: a command, a flag or a value cannot be used, or
     a file that it names does not exist or is a folder. Nothing was done.

Documentation:
  A running server shows it under /docs, for callers. How to run the server is
  in docs/operator/operating.md of the source.`
