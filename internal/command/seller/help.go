package seller

import (
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/exporting"
	"sellerd/internal/importing"
)

// Details are what --help says of the commands beyond their flags.
var Details = command.Details{
	"scan": {`It finds every line that may be a call of /rest, and ranks it: certain, likely, or possible. It reads programs in most
languages, settings, and records of requests: HAR, Postman collections, access logs, recordings of the bridge. Nothing is
run, and nothing of a file is printed but its name.

A text of another kind, such as a program in a rare language, is read if it names the host.

Skipped, and counted: .git, vendor, node_modules, links, binary files, documents, texts of other kinds that do not name the
host, and files over 5 MiB that are no records. What is not read, or not to its end, is named and counts as skipped: a file
or a folder that you may not read, a damaged file, a program that is no text, and a record with too much in it. A file that
is named as PATH is read whatever text it is, and a link is followed.`, `
sellerd scan ~/shop
sellerd scan --only likely ~/shop
sellerd scan --format sarif ~/shop > rest.sarif
sellerd scan --fail --host api.example.com src config     # for a build`},
	"translate": {`The command prints the request of /v1 for curl, or for Invoke-RestMethod if the shell is PowerShell. Of a program in
PHP, JavaScript, Python or C# it prints each call. Comments on standard error say what was changed or left out. Nothing is run
and nothing is sent. Keys and tokens in the request are dropped: the command takes the key from the variable KEY.`, `
sellerd translate 'curl -X DELETE https://rest.delcampe.net/item/4711 -d reason=TestItem'
sellerd translate 'POST /rest/item' --body 'title=Postcard&fixed_price=4.50'
tail -n 1 access.log | sellerd translate
sellerd translate < shop.php`},
	"import": {`Examples:

    sellerd import sample 500 > listings.csv
    SELLERD_KEY=dk_test_… sellerd import listings.csv
    SELLERD_KEY=dk_test_… sellerd import --update prices.xlsx

All about files and flags: sellerd import file --help`},
	"import file": {`Columns: ` + strings.Join(importing.ListColumns(), ", ") + `. Their names may have capitals and blanks.
Empty cells are left out. The currency is that of every price in its row; in a file without that column it is the account's.
Pictures are addresses, and options are names, with a blank, a comma or another separator between two.

Everything that the file itself shows is checked before anything is sent. The other rows go to the service, which
refuses single rows. --dry-run asks it for each row without listing any.

A file can be imported again and again, after an interruption, when in doubt, or corrected: rows that were listed are
recognised and not listed twice, even from a file of another name in the same folder. What was sent is remembered
there in import.sellerd-state. A row whose reference an item has already is not listed either. The command asks about rows
that are like listed ones with another reference.

With --update, each row changes the item that its reference or its item_id names: the columns are
` + strings.Join(importing.UpdateColumns(), ", ") + `.
Other cells are the new values, and empty ones keep what is there. Options that the cell does not name are switched off. A price
without a currency keeps the item's. In the column close,
yes or a reason such as sold_elsewhere takes the item off sale; the other cells of that row are then ignored. A file is
applied each time; rows whose item already is as they say are counted as the same.

The exit status is 0 when every row has its outcome, be it refused; 1 when that of some row is not known, or when the
file has a mistake and nothing was sent; 2 when the command line is wrong.`, `
SELLERD_KEY=dk_test_… sellerd import listings.xlsx --dry-run
SELLERD_KEY=dk_test_… sellerd import listings.csv --report report.csv
SELLERD_KEY=dk_test_… sellerd import --update prices.csv`},
	"import sample": {`
The listings are the same every time. About one in fifty is wrong on purpose, each kind of mistake in turn, and a few
have pictures that cannot be fetched, so that an import shows every outcome. The pictures are those of
a demo server (serve --demo --allow-private-targets).`, `
sellerd import sample > listings.csv
sellerd import sample 10000 --seed 2 > listings.csv`},
	"export": {`Examples:

    SELLERD_KEY=dk_test_… sellerd export items
    SELLERD_KEY=dk_test_… sellerd export bills --from 2026-01-01 --to 2026-12-31 --format csv

All about files and flags: sellerd export bills --help`},
	"export items": {`
The dates are those of the items' creation. The columns are those of import: title, price, images and so on. An item that
is partly sold has the number of pieces that are left. With --for-update the file has the items' ids, and the quantity
counts the pieces that are sold, as import --update takes it.
` + aboutExports, `
SELLERD_KEY=dk_test_… sellerd export items --out shop.csv
SELLERD_KEY=dk_test_… sellerd export items --for-update --out prices.xlsx`},
	"export sales": {columnsOf(exporting.Sales) + `
The dates are those of the sales. Cancelled sales are in the file, too. The columns of buyers are empty if the key has no
buyers:read.
` + aboutExports, "SELLERD_KEY=dk_test_… sellerd export sales --from 2026-01-01 --to 2026-03-31"},
	"export bills": {columnsOf(exporting.Bills) + `
Cancelled bills are in the file, too. The columns of buyers are empty if the key has no buyers:read. At the end the command
says what the column total adds up to.
` + aboutExports, "SELLERD_KEY=dk_test_… sellerd export bills --from 2026-01-01 --to 2026-12-31 --by paid"},
	"categories": {`The command prints the number of each category that has all words, and where it is. Only categories that items can be
put into are printed. The exit status is 1 if there is none.`, `
SELLERD_KEY=dk_test_… sellerd categories ships postcards
SELLERD_KEY=dk_test_… sellerd categories --language fr bateaux`},
	"listen": {`It prints a secret, follows the feed of events, and forwards each as a webhook would: the same bytes, signed with that
secret. Events come in order; while nothing answers, or with 429, 502, 503 or 504, it repeats the first of them and holds
the rest. Any other answer is final, as the line shows. Ctrl-C ends it and forgets the secret. The key needs the permission
webhooks:read, and those to read what the events carry, such as sales:read. Without buyers:read, the personal data of buyers
is null in what is forwarded.`, `
SELLERD_KEY=dk_test_… sellerd listen --forward-to http://localhost:3000/hook
SELLERD_KEY=dk_test_… sellerd listen --forward-to http://localhost:3000/hook --events item.sold`},
	"mcp": {`
It speaks the Model Context Protocol over standard input and output, until its input ends. The host of an agent starts it, with
settings such as:

    {"mcpServers": {"sellerd": {
      "command": "sellerd", "args": ["mcp"],
      "env": {"SELLERD_BASE_URL": "https://api.example.com", "SELLERD_KEY": "dk_test_…"}}}}

The tools browse, read, list, change, ship and rate through /v1, play the buyer in the sandbox, translate calls of /rest, and
show the migration guide and the errors. Each call of a tool is a line on standard error, without keys and data.`, `
SELLERD_KEY=dk_test_… sellerd mcp`},
}

// aboutExports is what all exports have in common.
const aboutExports = `
Days are those of the account's time zone. A workbook has numbers and dates; a CSV file has UTF-8, and times such as
2026-03-05T14:03:22+01:00. In a CSV file a text that begins with =, +, - or @ has an apostrophe before it, so that a
spreadsheet that splits the file at its separator takes it for no formula. A workbook has no formulas, however it is opened.

The file appears whole or not at all. A file that is there is replaced with --overwrite only. The exit status is 0 when
the file is written, 1 when it is not, and 2 when the command line is wrong.`

// columnsOf names the columns of a file.
func columnsOf(kind string) string {
	return "Columns: " + strings.Join(exporting.Columns(exporting.Options{Kind: kind}), ", ") + ".\n"
}
