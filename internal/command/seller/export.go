package seller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"sellerd/internal/command"
	"sellerd/internal/exporting"
	"sellerd/internal/sheet"
)

// Export writes an account's items, sales or bills to a file. internal/exporting does the work.
type Export struct {
	Items exportItems `cmd:"" help:"Write your items to a file that import takes back, or that changes them."`
	Sales exportSales `cmd:"" help:"Write your sales to a file, one row each."`
	Bills exportBills `cmd:"" help:"Write your bills to a file, one row each, for the bookkeeper."`
}

type exportItems struct {
	Status    []string `default:"scheduled,open" enum:"scheduled,open,sold,unsold,closed" help:"Which items, with commas between: scheduled, open, sold, unsold, closed (default: ${default})." placeholder:"NAMES"`
	ForUpdate bool     `help:"Write a file for import --update: with the items' ids, and without what cannot change."`
	exportFile
}

type exportSales struct{ exportFile }

type exportBills struct {
	Status []string `enum:"to_invoice,awaiting_payment,to_send,sent,cancelled" help:"Which bills, with commas between: to_invoice, awaiting_payment, to_send, sent, cancelled (default: all)." placeholder:"NAMES"`
	By     string   `default:"created" enum:"created,paid,sent" help:"Of what the dates are: when a bill was created, paid or sent; paid and sent leave out bills that were not (default: ${default})." placeholder:"TIME"`
	exportFile
}

// exportFile has the flags of all exports.
type exportFile struct {
	From      string `placeholder:"DATE" help:"First day, such as 2026-01-01; by default there is no first."`
	To        string `placeholder:"DATE" help:"Last day, which belongs to the period; by default there is no last."`
	Format    string `default:"" enum:",csv,xlsx" placeholder:"NAME" help:"csv, or xlsx for an Excel workbook; by default what the name in --out ends in, else xlsx."`
	Out       string `placeholder:"FILE" complete:"file" help:"File to write, - for the standard output; by default items.xlsx and the like, with the days."`
	Overwrite bool   `help:"Replace the file if it is there."`
	Separator string `default:";" placeholder:"CHARACTER" help:"What separates the columns of a CSV file: one character, or tab (default: ${default})."`
	Decimal   string `placeholder:"NAME" complete:"comma,point" help:"What stands before decimals in a CSV file: comma or point; by default a comma if semicolons separate the columns, else a point."`
	TimeZone  string `placeholder:"NAME" help:"Time zone of days and times, such as Europe/Paris; by default the account's."`

	account
}

// Run writes the file.
func (c *exportItems) Run(ctx context.Context, p *command.Program) error {
	return c.write(ctx, p, exporting.Options{Kind: exporting.Items, Status: c.Status, ForUpdate: c.ForUpdate})
}

// Run writes the file.
func (c *exportSales) Run(ctx context.Context, p *command.Program) error {
	return c.write(ctx, p, exporting.Options{Kind: exporting.Sales})
}

// Run writes the file.
func (c *exportBills) Run(ctx context.Context, p *command.Program) error {
	return c.write(ctx, p, exporting.Options{Kind: exporting.Bills, Status: c.Status, By: c.By})
}

// write checks the flags, and writes the file.
func (c *exportFile) write(ctx context.Context, p *command.Program, o exporting.Options) error {
	client, err := c.client(ctx, p)
	if err != nil {
		return err
	}
	if err := errors.Join(c.form(&o.Form), c.checkDays(), c.checkOut(o)); err != nil {
		return err
	}
	shown := command.NewProgress(os.Stderr, p.Now, "rows")
	client.Notice = shown.Note
	e := &exporting.Exporter{Client: client, Progress: shown, LoadZone: p.LoadZone}
	if err := c.zone(ctx, e); err != nil {
		return err
	}
	o.From, o.To = c.days(e.Zone)
	e.Options = o
	shown.Begin("exporting", command.Uncounted)
	err = c.place(func(out io.Writer) error { return e.Write(ctx, out) })
	shown.End()
	if err != nil {
		return fmt.Errorf("%w\nNo file was written", err)
	}
	c.say(e)
	return nil
}

// say says what was written.
func (c *exportFile) say(e *exporting.Exporter) {
	rows := fmt.Sprintf("%d rows", e.Rows)
	if e.Rows == 1 {
		rows = "1 row"
	}
	times := "times of " + e.Zone.String()
	if e.Options.Kind == exporting.Items { // as an import takes them back
		times = "times in UTC"
	}
	fmt.Fprintf(os.Stderr, "%s: %s, %s\n", c.Out, rows, times)
	for _, line := range e.Sums() {
		fmt.Fprintln(os.Stderr, line)
	}
	if e.Alike > 0 && !e.Options.ForUpdate {
		fmt.Fprintf(os.Stderr, "Items with the reference of another item: %d. To list them, import the file with --allow-duplicates\n", e.Alike)
	}
	if e.AsHTML > 0 && !e.Options.ForUpdate {
		fmt.Fprintf(os.Stderr, "Items with a title such as A &amp; B: %d. To list them, write the letters themselves: the import refuses the title\n", e.AsHTML)
	}
	if e.Hidden {
		fmt.Fprintln(os.Stderr, "Buyers' names, addresses, emails and phones are empty: the key has no buyers:read")
	}
}

// form is what the flags say of the form of the file.
func (c *exportFile) form(f *sheet.Form) error {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(c.Out), "."))
	known := ending == "csv" || ending == "xlsx"
	switch {
	case c.Format == "" && known:
		c.Format = ending
	case c.Format == "" && ending != "":
		return command.Wrong("--out ends in .%s: name a file .csv or .xlsx, or say with --format which of the two it is", ending)
	case c.Format == "":
		c.Format = "xlsx"
	case known && ending != c.Format:
		return command.Wrong("--out names a file .%s, and --format is %s: name one of the two", ending, c.Format)
	}
	var err error
	f.Workbook = c.Format == "xlsx"
	if f.Separator, err = sheet.Separator(c.Separator); err != nil {
		return command.WrongUsage(err.Error())
	}
	if f.Separator == 0 {
		return command.Wrong("--separator is empty: it must be one character, or tab")
	}
	switch decimal := strings.ToLower(c.Decimal); {
	case decimal == "comma" || decimal == "," || decimal == "" && f.Separator == ';':
		f.Decimal = ','
	case decimal == "point" || decimal == "." || decimal == "":
		f.Decimal = '.'
	default:
		return command.Wrong("--decimal must be comma or point, not %q", c.Decimal)
	}
	return nil
}

// checkDays looks at the days, before the zone is known.
func (c *exportFile) checkDays() error {
	for _, flag := range []struct{ name, day string }{{"--from", c.From}, {"--to", c.To}} {
		if day, err := time.Parse(time.DateOnly, flag.day); flag.day != "" && (err != nil || day.Year() < 1900 || day.Year() > 9998) {
			return command.Wrong("%s must be a day like 2026-12-31, in the years 1900 to 9998, not %q", flag.name, flag.day)
		}
	}
	if c.From != "" && c.To != "" && c.To < c.From {
		return command.Wrong("--to is before --from: %s, %s", c.To, c.From)
	}
	return nil
}

// days are the first instant of the period, and the first after it.
func (c *exportFile) days(zone *time.Location) (from, to time.Time) {
	if first, err := time.Parse(time.DateOnly, c.From); err == nil { // else it is empty: it was checked before
		from = exporting.StartOfDay(first.Year(), first.Month(), first.Day(), zone)
	}
	if last, err := time.Parse(time.DateOnly, c.To); err == nil {
		to = exporting.StartOfDay(last.Year(), last.Month(), last.Day()+1, zone)
	}
	return from, to
}

// zone finds the time zone.
func (c *exportFile) zone(ctx context.Context, e *exporting.Exporter) (err error) {
	if c.TimeZone == "" {
		return e.FindZone(ctx)
	}
	if e.Zone, err = e.LoadZone(c.TimeZone); err != nil {
		return command.Wrong("--time-zone must be a name like Europe/Paris, not %q", c.TimeZone)
	}
	return nil
}

// checkOut fails, before anything is read, if the file cannot be written or would replace another.
func (c *exportFile) checkOut(o exporting.Options) error {
	if c.Out == "-" {
		return nil
	}
	if c.Out == "" {
		parts := slices.DeleteFunc([]string{o.Kind, c.From, c.To}, func(part string) bool { return part == "" })
		c.Out = strings.Join(parts, "-") + "." + c.Format
	}
	if c.Overwrite { // what a link leads to is replaced, and not the link
		if file, err := filepath.EvalSymlinks(c.Out); err == nil {
			c.Out = file
		}
	}
	info, err := os.Stat(c.Out)
	if errors.Is(err, fs.ErrNotExist) && !c.Overwrite {
		info, err = os.Lstat(c.Out) // a link that leads nowhere is there
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return command.Wrong("--out %s: %v", c.Out, err)
	case info.IsDir():
		return command.Wrong("--out names the folder %s: name a file in it", c.Out)
	case !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeSymlink:
		return command.Wrong("--out: %s is no file", c.Out)
	case !c.Overwrite:
		return command.Wrong("there is a file %s: name another with --out, or replace it with --overwrite", c.Out)
	}
	if info, err := os.Stat(filepath.Dir(c.Out)); err != nil || !info.IsDir() {
		return command.Wrong("--out %s: there is no folder %s", c.Out, filepath.Dir(c.Out))
	}
	return nil
}

// place has a file written beside its place, since there are names and addresses in it, and moves it there when it is whole.
func (c *exportFile) place(write func(io.Writer) error) error {
	if c.Out == "-" {
		return command.WriteWhole(filepath.Join(os.TempDir(), "export"), write, func(temporary string) error {
			file, err := os.Open(temporary)
			if err != nil {
				return err
			}
			_, err = io.Copy(os.Stdout, file)
			return errors.Join(err, file.Close())
		})
	}
	return command.WriteWhole(c.Out, write, func(temporary string) error {
		if _, err := os.Lstat(c.Out); err == nil && !c.Overwrite {
			return fmt.Errorf("meanwhile there is a file %s", c.Out)
		}
		err := os.Rename(temporary, c.Out)
		if err != nil && runtime.GOOS == "windows" {
			return fmt.Errorf("%w: is the file open in a spreadsheet?", err)
		}
		return err
	})
}
