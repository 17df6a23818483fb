package main

import (
	"fmt"

	"github.com/alecthomas/kong"
)

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
  instead; the flag wins. Give keys and passwords as variables: other users of
  the machine can see a command's flags.

Exit status:
  0  done; serve shut down cleanly.
  1  The command failed: the database, a server or an object is missing, the
     content of a file is wrong, or the request was refused. The last line
     printed has the reason.
  2  The command line is wrong: a command, a flag or a value cannot be used, or
     a file that it names does not exist or is a folder. Nothing was done.

Documentation:
  A running server shows it under /docs, for callers. How to run the server is
  in docs/operating.md of the source.`

// printHelp is kong's help, with the ending where the whole program is described.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	if ctx.Selected() != nil {
		return nil
	}
	_, err := fmt.Fprintln(ctx.Stdout, ending)
	return err
}

// The examples of each command, which kong shows after its sentence.

// Help implements kong.HelpProvider.
func (serveCmd) Help() string {
	return `The first start makes the database. SIGTERM ends the server within 20 seconds.

Examples:

    sellerd serve --demo --allow-private-targets
    sellerd serve --db sqlite:/var/lib/sellerd/sellerd.db --base-url https://api.example.com
    SELLERD_DB=postgres://… SELLERD_SECRET=… sellerd serve`
}

// Help implements kong.HelpProvider.
func (migrateCmd) Help() string {
	return `The server does this by itself when it starts; the command is for those who want to see it happen alone. It makes
the database if it is not there.

Examples:

    sellerd migrate
    SELLERD_DB=postgres://… sellerd migrate`
}

// Help implements kong.HelpProvider.
func (copyCmd) Help() string {
	return `It copies every row, in steps. After an end of any kind, even by kill -9, the same command goes on where it stopped. At
the end it reads both databases and compares the number of rows and a digest of every table. Until then no server
starts on the copy.

Stop the servers of the source first. While one is running, the copy has the source as it was when the command
began, and a copy that was interrupted cannot go on once copied rows have changed: the command finds that out and says so.

The copy belongs to the same secret as the source, which is not in the database: give it to the servers of the copy.
The source must have the schema of this release. Both databases must be reachable without a pooler that gives
each transaction another session. With --compare nothing is copied. Passwords are better in the variables.

Examples:

    sellerd copy --from sqlite:data/sellerd.db --to postgres://…
    SELLERD_COPY_FROM=postgres://… sellerd copy --to sqlite:shop/sellerd.db
    sellerd copy --compare --from sqlite:data/sellerd.db --to postgres://…`
}

// Help implements kong.HelpProvider.
func (secretCmd) Help() string {
	return `The secret protects cursors, the secrets of webhooks and the sessions of the old interface. A database belongs to the
one that it was first served with, and a server with another does not start.`
}

// Help implements kong.HelpProvider.
func (secretReplaceCmd) Help() string {
	return `For when the secret is lost or has leaked; if it is only missing, put it back from the backup instead. Stop all servers
of the database first. The new secret is the one that is given, else that of the file beside the database, else one that
is made. This is lost:

  * Webhooks are not signed, so nothing is sent to them, until their owners rotate their secrets. The command lists them.
  * Callers begin their lists anew: old cursors are refused.
  * Sessions of /rest end: old programs sign in again.
  * Stored answers that show a webhook's secret are deleted: such a request, sent again, is carried out anew.

Keys and the operator's token go on working. If the new secret is the one that the database belongs to already, the
command refuses. It cannot tell in a database that was last served by release 1.2.0 and has no webhooks: then it prints
"compared": false, so make sure that the secret is another.

Examples:

    mv data/sellerd.secret data/sellerd.secret.leaked && sellerd secret replace
    export SELLERD_DB=postgres://…
    export SELLERD_SECRET=$(openssl rand -base64 32)   # keep it: every server needs it
    sellerd secret replace`
}

// Help implements kong.HelpProvider.
func (accountsCmd) Help() string {
	return `These commands work beside a running server, whose next request sees their effect.`
}

// Help implements kong.HelpProvider.
func (accountCreateCmd) Help() string {
	return `Examples:

    sellerd accounts create --nickname anna --email anna@example.com
    sellerd accounts create --nickname shop --email shop@example.com --type professional`
}

// Help implements kong.HelpProvider.
func (forgetBuyerCmd) Help() string {
	return `What sellers need for their books stays: ids, country, language, amounts, dates and ratings. It refuses while a bill
of the buyer is neither sent nor cancelled, and while the buyer leads an auction.

Example:

    sellerd accounts forget-buyer --buyer 70001`
}

// Help implements kong.HelpProvider.
func (keysCmd) Help() string {
	return `These commands work beside a running server, whose next request sees their effect. A key's id is its third part,
between its second underscore and its third.`
}

// Help implements kong.HelpProvider.
func (keyCreateCmd) Help() string {
	return `A key permits everything, or what --permissions lists. What a key permits never changes: make another one and revoke
the first.

Examples:

    sellerd keys create --account 5001 --mode test
    KEY=$(sellerd keys create --account 5001 --mode live --name "shop software" --expires 365d)
    sellerd keys create --account 5001 --mode live --name statistics --read-only
    sellerd keys create --account 5001 --mode live --permissions items:read,bills:write`
}

// Help implements kong.HelpProvider.
func (keyListCmd) Help() string {
	return `Example:

    sellerd keys list --account 5001`
}

// Help implements kong.HelpProvider.
func (keyRevokeCmd) Help() string {
	return `Requests with the key are refused from then on.

Example:

    sellerd keys revoke "$KEY"`
}

// Help implements kong.HelpProvider.
func (keyRotateCmd) Help() string {
	return `Example:

    NEW=$(sellerd keys rotate "$KEY" --overlap 7d)`
}

// Help implements kong.HelpProvider.
func (shippingModelsCmd) Help() string {
	return `These commands work beside a running server, whose next request sees their effect.`
}

// Help implements kong.HelpProvider.
func (shippingModelListCmd) Help() string {
	return `Example:

    sellerd shipping-models list 5001 > models.json`
}

// Help implements kong.HelpProvider.
func (shippingModelSetCmd) Help() string {
	return `A model with an id is changed, one without is made, and one that the file does not name is deleted, or retired if an
item or a sale has it. What became of each is printed. A file with a mistake changes nothing.

Examples:

    sellerd shipping-models set 5001 models.json
    sellerd shipping-models set 5001 models.json --mode test`
}

// Help implements kong.HelpProvider.
func (conformanceRunCmd) Help() string {
	return `The exit status is 1 when something is not as promised.

Examples:

    SELLERD_KEY=dk_test_… sellerd conformance
    SELLERD_KEY=dk_test_… sellerd conformance --base-url https://api.example.com --release 1.1.0`
}

// Help implements kong.HelpProvider.
func (conformanceCoverageCmd) Help() string {
	return `Example:

    sellerd conformance coverage`
}

// Help implements kong.HelpProvider.
func (versionCmd) Help() string {
	return `Example:

    sellerd version`
}

// Help implements kong.HelpProvider.
func (legacyReportCmd) Help() string {
	return `A key is active if it called /rest in the last 30 days. Else it is done if its account uses /v1, and silent if not.
count is the calls of today and the 30 days before; in the CSV each call stands with its own number. rest_share is the
part of the account's requests that went to /rest, from the day rest_share_since on. Calls answered 410 count too. A running
server stores its counts every few seconds.

Examples:

    sellerd legacy report --state active
    sellerd legacy report --csv > left.csv`
}
