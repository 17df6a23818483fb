package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"sellerd/v1"
)

// importCmd is an example of a program that lists items: it has the service's address and a key, and uses HTTP like any
// integrator's tool. Except for the clock, the import files use none of the service's own code.
//
//   - import_csv.go reads the file and makes each row an item in JSON.
//   - import_batches.go sends the items in batches, and import_await.go waits for their publication.
//   - import_update.go makes each row a change of an item, and sends the changes.
//   - import_client.go sends one request, and repeats it when that can help.
//   - import_report.go reports to the user, with the bar of progress.go.
//   - import_sample.go writes a file to try it with.
type importCmd struct {
	File   importFileCmd   `cmd:"" default:"withargs" help:"List the rows of a CSV file, or change listed items with --update. The word file may be left out."`
	Sample importSampleCmd `cmd:"" help:"Write a CSV file of made-up listings to try the import with."`
}

// Help is what `sellerd import --help` says beyond the two commands.
func (importCmd) Help() string {
	return `Examples:

    sellerd import sample 500 > listings.csv
    SELLERD_KEY=dk_test_… sellerd import listings.csv
    SELLERD_KEY=dk_test_… sellerd import --update prices.csv

All about files and flags: sellerd import file --help`
}

type importFileCmd struct {
	File     string        `arg:"" placeholder:"FILE.csv" complete:"file" help:"UTF-8 CSV file whose first row names the columns."`
	BaseURL  string        `default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is (default: ${default})."`
	Key      string        `required:"" env:"SELLERD_KEY" placeholder:"KEY" help:"API key, dk_live_ or dk_test_; better in the environment, since others can see a command's flags."`
	Update   bool          `help:"Change listed items instead of listing new ones."`
	DryRun   bool          `help:"With --update: change nothing, and report what would happen."`
	Again    string        `name:"run" placeholder:"NAME" help:"List or change a file again on purpose: under each name the same rows are taken once."`
	Report   string        `placeholder:"FILE" complete:"file" help:"Write every row's outcome to a file: JSON if its name ends in .json, else CSV."`
	Wait     bool          `default:"true" negatable:"" help:"Wait until every accepted row is published or rejected (default: ${default})."`
	Patience time.Duration `default:"2m" placeholder:"DURATION" help:"How long to repeat a request while the service is away or asks to wait (default: ${default})."`
}

// Help is what `sellerd import file --help` says beyond the flags.
func (importFileCmd) Help() string {
	return `Columns: ` + strings.Join(columnNames(), ", ") + `. Empty cells are left out. Images are addresses separated by
spaces, options are names separated by spaces, and the currency is that of every price in its row. Columns are separated
by commas, semicolons or tabs.

A file can be imported again and again, after an interruption or when in doubt: rows that were accepted are recognised
and not listed twice. That goes for the same file; one with changed rows is a new one, so put corrected rows into a file
of their own.

With --update, each row changes the item that its reference or its item_id names: the columns are ` + strings.Join(updateColumnNames(), ", ") + `.
Other cells are the new values, and empty ones keep what is there. A price without a currency keeps the item's. In the column close,
yes or a reason such as sold_elsewhere takes the item off sale; the other cells of that row are then ignored.

The exit status is 0 when every row has its outcome, be it refused, and 1 when that of some row is not known.

Examples:

    SELLERD_KEY=dk_test_… sellerd import listings.csv
    SELLERD_KEY=dk_test_… sellerd import listings.csv --report report.json
    SELLERD_KEY=dk_test_… sellerd import --update prices.csv --dry-run`
}

// Run imports the file and prints the report.
func (c *importFileCmd) Run(ctx context.Context) error {
	rows, err := c.read()
	if err != nil {
		return err
	}
	if c.DryRun && !c.Update {
		return wrong("--dry-run goes with --update")
	}
	if err := checkReport(c.Report); err != nil {
		return err
	}
	clock := v1.SystemClock{}
	client, err := newAPIClient(c.BaseURL, c.Key, c.Patience, clock.Now)
	if err != nil {
		return err
	}
	im := &importer{client: client, run: c.Again, rows: rows, progress: newProgress(os.Stderr, clock.Now, "rows"), to: c.target()}
	client.notice = im.progress.note

	start := clock.Now()
	stopped := im.submit(ctx)
	if stopped == nil && c.Wait && !c.Update {
		stopped = im.await(ctx)
	}
	im.progress.end()
	report := im.report()
	report.print(os.Stdout, clock.Now().Sub(start))
	if c.Report != "" {
		stopped = errors.Join(stopped, report.write(c.Report))
	}
	if s := report.Summary; stopped != nil && s.Unsent == s.Rows {
		return stopped // nothing to go on with
	}
	if stopped != nil {
		return fmt.Errorf("%w\nRun the same command again to go on: nothing is %s twice", stopped, im.to.done)
	}
	return report.unknown(c.Wait)
}

// read reads the file's rows.
func (c *importFileCmd) read() ([]*importRow, error) {
	file, err := os.Open(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wrong("there is no file %s: `sellerd import sample > listings.csv` writes one to try", c.File)
	}
	if err != nil {
		return nil, err
	}
	rows, err := readRows(file, c.target())
	err = errors.Join(err, file.Close())
	if errors.Is(err, syscall.EISDIR) {
		return nil, wrong("%s is a folder: name a CSV file", c.File)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	return rows, nil
}
