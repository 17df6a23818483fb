package database

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"sellerd/internal/command"
	"sellerd/internal/store"
	"sellerd/internal/store/copying"
)

// Copy is the command that copies a database, or compares two.
type Copy struct {
	From    string `required:"" group:"database" env:"SELLERD_COPY_FROM" secret:"" placeholder:"URL" help:"The database to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME."`
	To      string `required:"" group:"database" env:"SELLERD_COPY_TO" secret:"" placeholder:"URL" help:"The database to fill, which has no rows or is not there yet, or is an unfinished copy."`
	Compare bool   `help:"Copy nothing, and compare the two databases."`
}

// Run copies or compares, and prints each table.
func (c *Copy) Run(ctx context.Context, p *command.Program) error {
	shown := command.NewProgress(os.Stderr, p.Now, "rows")
	var applied bytes.Buffer
	log := io.Writer(os.Stderr)
	if shown.OnTerminal() != nil {
		log = &applied // lines in the middle of the bar would break it
	}
	work, verb := copying.Copy, "copied and compared"
	if c.Compare {
		work, verb = copying.Compare, "compared"
	}
	start := p.Now()
	report, err := work(ctx, copying.Options{
		From: c.From, To: c.To,
		Logger: command.NewLogger(log, slog.LevelWarn),
		Begin:  func(phase string, rows int64) { shown.Begin(phase, int(rows)) },
		Add:    func(rows int64) { shown.Add(int(rows)) },
		Notice: func(text string) { fmt.Fprintln(os.Stderr, "sellerd:", text) },
	})
	shown.End()
	_, _ = applied.WriteTo(os.Stderr)
	if err != nil {
		return c.explain(ctx, err)
	}
	for _, t := range report.Tables {
		fmt.Printf("%-20s %12d rows  %s\n", t.Name, t.Rows, t.Digest[:16])
	}
	if report.Before > 0 {
		fmt.Printf("an earlier run had copied %d of the rows\n", report.Before)
	}
	if !c.Compare {
		fmt.Println(sameSecret)
	}
	fmt.Printf("%d rows of %d tables %s in %s: %s\n", report.Rows, len(report.Tables), verb, p.Now().Sub(start).Round(100*time.Millisecond), equal(report, start))
	return nil
}

// equal says of which moment two databases are equal.
func equal(report copying.Report, start time.Time) string {
	text := fmt.Sprintf("%s and %s are equal", report.From, report.To)
	was := "was running"
	switch report.Served {
	case store.NotServed:
		return text
	case store.MaybeServed:
		was = "may have been running"
	}
	return text + fmt.Sprintf(" as of a moment after %s. A server %s on the source meanwhile: what it has changed since that moment is not in the copy",
		start.Format(time.RFC3339), was)
}

// sameSecret is what the operator has to know of every copy.
const sameSecret = "The copy belongs to the same secret as the source: give its servers that secret with --secret or SELLERD_SECRET, or as the file sellerd.secret."
