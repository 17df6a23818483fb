package seller

import (
	_ "embed"
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/exporting"
	"sellerd/internal/importing"
)

//go:embed help.txt
var helpFile string

// Details are what --help says of the commands beyond their flags.
var Details = command.ReadDetails(strings.NewReplacer(
	"{columns of listings}", strings.Join(importing.ListColumns(), ", "), "{columns of changes}", strings.Join(importing.UpdateColumns(), ", "),
	"{columns of sales}", columnsOf(exporting.Sales), "{columns of bills}", columnsOf(exporting.Bills), "{about exports}", aboutExports,
).Replace(helpFile))

// aboutExports is what all exports have in common.
const aboutExports = `Days are those of the account's time zone. A workbook has numbers and dates; a CSV file has UTF-8, and times such as
2026-03-05T14:03:22+01:00. In a CSV file a text that begins with =, +, - or @ has an apostrophe before it, so that a
spreadsheet that splits the file at its separator takes it for no formula. A workbook has no formulas, however it is opened.

The file appears whole or not at all. A file that is there is replaced with --overwrite only. The exit status is 0 when
the file is written, 1 when it is not, and 2 when the command line is wrong.`

// columnsOf names the columns of a file.
func columnsOf(kind string) string {
	return strings.Join(exporting.Columns(exporting.Options{Kind: kind}), ", ")
}
