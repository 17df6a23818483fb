package seller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/importing"
	"sellerd/internal/sheet"
)

// Import is an example of a program that lists items: it has the service's address and a key, and uses HTTP like any integrator's tool.
// internal/importing does the work; import_sample.go writes a file to try it with.
type Import struct {
	File   importFile   `cmd:"" default:"withargs" help:"List the rows of a spreadsheet or CSV file, or change listed items with --update. The word file may be left out."`
	Sample importSample `cmd:"" help:"Write a CSV file of made-up listings to try the import with."`
}

type importFile struct {
	File string `arg:"" placeholder:"FILE" complete:"file" help:"Excel workbook (.xlsx) or CSV file whose first row names the columns; - is the standard input."`
	account
	Update bool   `help:"Change listed items instead of listing new ones."`
	DryRun bool   `help:"Change nothing, and report what would happen."`
	Report string `placeholder:"FILE" complete:"file" help:"Write every row's outcome to a file: JSON if its name ends in .json, else CSV, which is separated as an imported CSV file is."`
	Wait   bool   `default:"true" negatable:"" help:"Wait until every accepted row is published or rejected, and the pictures of changed items are fetched (default: ${default})."`

	Encoding        string   `placeholder:"NAME" help:"Encoding of a CSV file, such as utf-8, windows-1252 or macintosh; by default it is recognised."`
	Separator       string   `placeholder:"CHARACTER" help:"What separates the columns of a CSV file: one character, or tab; by default it is recognised."`
	HeaderRow       int      `placeholder:"N" help:"The row that names the columns; by default the first that is not empty."`
	Sheet           string   `placeholder:"NAME" help:"Sheet of a workbook; by default the first."`
	Decimal         string   `placeholder:"NAME" complete:"comma,point" help:"What stands before decimals, comma or point, where an amount such as 1.234 leaves it open."`
	Column          []string `sep:"none" placeholder:"NAME=COLUMN" help:"Another name of a column, such as \"Variant Price=price\"; may be repeated."`
	IgnoreUnknown   bool     `name:"ignore-unknown-columns" help:"Leave out columns that are not known."`
	AllowDuplicates bool     `help:"List rows although another row or item has the same reference."`
	OtherPieces     bool     `help:"List all rows that the command asks about, as other pieces than those that were listed. Not for scripts: it answers later questions, too."`
	Again           string   `name:"run" placeholder:"NAME" help:"List the same rows once more on purpose: under each name they are listed once."`
	State           string   `placeholder:"FILE" complete:"file" help:"Where to remember what was listed; by default in import.sellerd-state beside the file."`
}

// Run imports the file and prints the report.
func (c *importFile) Run(ctx context.Context, p *command.Program) error {
	data, err := c.check(ctx)
	if err != nil {
		return err
	}
	client, err := c.client(ctx, p)
	if err != nil {
		return err
	}
	file, err := command.Await(ctx, func() (*importing.File, error) { return c.parse(data) })
	if err != nil {
		return err
	}
	shown := command.NewProgress(os.Stderr, p.Now, "rows")
	client.Notice = shown.Note
	im := &importing.Importer{Client: client, Progress: shown, File: file, State: c.state(), DryRun: c.DryRun, Wait: c.Wait}
	im.Name, im.Ending = c.name(), filepath.Ext(c.File)
	im.Note = func(text string) {
		shown.End()
		fmt.Fprintln(os.Stderr, text)
	}

	start := p.Now()
	var stopped error
	wrong := file.Wrong() // by what the file itself shows, before the service refuses rows, too
	if wrong == 0 {
		stopped = im.Run(ctx)
		wrong = file.AsHTML
	}
	shown.End()
	report := im.Report()
	report.Print(os.Stdout, p.Now().Sub(start))
	if c.Report != "" {
		stopped = errors.Join(stopped, report.Write(c.Report, command.ReplaceFile))
	}
	return c.outcome(report, wrong, stopped)
}

// check looks at the flags and reads the file, before anything is sent.
func (c *importFile) check(ctx context.Context) (data []byte, err error) {
	if named := given([]string{c.File}); len(named) == 1 {
		c.File = named[0]
	}
	if err = errors.Join(c.checkFiles(), c.checkForms()); err != nil {
		return nil, err
	}
	return command.Await(ctx, c.read)
}

// checkForms looks at what the flags say of the form of the file.
func (c *importFile) checkForms() error {
	if sign, ok := map[string]string{",": "comma", ".": "point"}[c.Decimal]; ok {
		c.Decimal = sign
	}
	c.Decimal = strings.ToLower(c.Decimal)
	if c.Decimal != "" && c.Decimal != "comma" && c.Decimal != "point" {
		return command.Wrong("--decimal must be comma or point, not %q", c.Decimal)
	}
	if c.Update && (c.Again != "" || c.AllowDuplicates || c.OtherPieces) {
		return command.Wrong("--run, --allow-duplicates and --other-pieces are for listing: with --update nothing is listed")
	}
	if c.HeaderRow < 0 {
		return command.Wrong("--header-row must be 1 or more, not %d", c.HeaderRow)
	}
	named := map[string]string{}
	for _, pair := range c.Column {
		from, to, _ := strings.Cut(pair, "=")
		if from == "" || to == "" {
			return command.Wrong("--column must be like \"Variant Price=price\", not %q", pair)
		}
		if other := named[strings.ToLower(from)]; other != "" && !strings.EqualFold(other, to) {
			return command.Wrong("--column names %q twice, as %s and as %s: name it once", from, other, to)
		}
		named[strings.ToLower(from)] = to
	}
	if err := (sheet.Options{Encoding: c.Encoding, Separator: c.Separator}).Check(); err != nil {
		return command.WrongUsage(err.Error())
	}
	return nil
}

// parse finds the rows of the file, and prints what was noticed in it.
func (c *importFile) parse(data []byte) (*importing.File, error) {
	file, err := importing.Read(data, importing.Options{
		Options: sheet.Options{Encoding: c.Encoding, Separator: c.Separator, Sheet: c.Sheet, HeaderRow: c.HeaderRow},
		Decimal: c.Decimal, Columns: c.Column, IgnoreUnknown: c.IgnoreUnknown, Update: c.Update,
		AllowDuplicates: c.AllowDuplicates, OtherPieces: c.OtherPieces, Run: c.Again,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %s", c.File, sheet.Visible(err.Error()))
	}
	for _, note := range file.Notes {
		fmt.Fprintf(os.Stderr, "%s: %s\n", c.File, sheet.Visible(note))
	}
	return file, nil
}

// outcome is the error of an import with some wrong rows that was stopped by an error, if it was: it says what to do.
func (c *importFile) outcome(report importing.Report, wrong int, stopped error) error {
	var doubt importing.Doubt
	var full importing.Full
	switch s := report.Summary; {
	case wrong > 0:
		return errors.Join(stopped, fmt.Errorf("%s: %s mistakes, and nothing was sent: correct the file, and run the command again", c.File, importing.Have(wrong)))
	case errors.As(stopped, &doubt), errors.As(stopped, &full):
		return stopped
	case stopped != nil && s.Unsent == s.Rows:
		return stopped // nothing to go on with
	case stopped != nil && c.DryRun:
		return fmt.Errorf("%w\nNothing was listed or changed. The same command checks the file again from its beginning", stopped)
	case stopped != nil && c.Update:
		return fmt.Errorf("%w\nRun the same command again to go on", stopped)
	case stopped != nil:
		return fmt.Errorf("%w\nRun the same command again to go on: nothing is listed twice", stopped)
	}
	return report.NoOutcome(c.Wait)
}

// read reads the whole file.
func (c *importFile) read() ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(os.Stdin)
	}
	if info, err := os.Stat(c.File); err == nil && info.IsDir() { // the error of reading one is another on each system
		return nil, command.Wrong("%s is a folder: name a file in it", c.File)
	}
	data, err := os.ReadFile(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, command.Wrong("there is no file %s: `sellerd import sample > listings.csv` writes one to try", c.File)
	}
	return data, err
}

// name is the file's name without its ending: a file keeps it when it is saved in another format.
func (c *importFile) name() string {
	name := filepath.Base(c.File)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// state is where the import remembers what it listed: in one place for all files of a folder, so that a corrected file may have another
// name.
func (c *importFile) state() string {
	if c.State != "" {
		return c.State
	}
	folder := filepath.Dir(c.File)
	if folder == "/dev" || strings.HasPrefix(folder, "/dev/") || strings.HasPrefix(folder, "/proc/") {
		folder = "."
	}
	return filepath.Join(folder, "import.sellerd-state")
}

// checkFiles fails, before anything is written or sent, if the report or the memory would overwrite something else, or cannot be written.
func (c *importFile) checkFiles() error {
	type named struct{ what, path string }
	files := []named{{"the file to import", c.File}, {"the memory of what was listed (--state)", c.state()}, {"--report", c.Report}}
	if c.Update {
		files[1].path = c.State // not used; named, it is still not to be overwritten
	}
	for i, one := range files {
		if i > 0 && one.path == "-" {
			return command.Wrong("%s is written to a file: name one, not -", one.what)
		}
		for _, other := range files[:i] {
			if one.path != "" && other.path != "" && sameFile(one.path, other.path) {
				return command.Wrong("%s and %s are the same file, %s: name another", other.what, one.what, one.path)
			}
		}
	}
	if !c.Update && !begins(c.state(), func(start string) bool { return strings.HasPrefix(strings.TrimSpace(start), `{"to":`) }) {
		advice := "name another file"
		if c.State == "" {
			advice = "delete it, and rows are recognised by their references; those without one may be listed twice"
		}
		return command.Wrong("--state: %s is not the memory of an import, and is not overwritten: %s", c.state(), advice)
	}
	if c.Report == "" {
		return nil
	}
	if info, err := os.Stat(c.Report); err == nil && info.IsDir() {
		return command.Wrong("--report names the folder %s: name a file in it", c.Report)
	}
	ending := strings.ToLower(filepath.Ext(c.Report))
	if slices.Contains([]string{".xlsx", ".xlsm", ".xls", ".ods", ".numbers"}, ending) {
		return command.Wrong("--report is written as CSV or JSON, not as %s: name it %s.csv, which a spreadsheet opens", ending, strings.TrimSuffix(c.Report, filepath.Ext(c.Report)))
	}
	if !begins(c.Report, importing.IsReport) {
		return command.Wrong("--report: %s is there and is not a report of an import, so it is not overwritten: name another file", c.Report)
	}
	folder := filepath.Dir(c.Report)
	temporary, err := os.CreateTemp(folder, "."+filepath.Base(c.Report)+"-*")
	if err != nil {
		if reason, ok := errors.AsType[*fs.PathError](err); ok {
			err = reason.Err
		}
		return command.Wrong("--report %s cannot be written: %s: %v", c.Report, folder, err)
	}
	return errors.Join(temporary.Close(), os.Remove(temporary.Name()))
}

// sameFile says whether two names are of one file, which need not exist. "-" is no file.
func sameFile(a, b string) bool {
	if one, err := os.Stat(a); err == nil {
		if other, err := os.Stat(b); err == nil {
			return os.SameFile(one, other)
		}
	}
	return a != "-" && b != "-" && whole(a) == whole(b)
}

// whole is a path from the root, without links in its folder.
func whole(path string) string {
	path, _ = filepath.Abs(path) // fails if the working folder is gone
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// begins says whether a file is as expected: not there, empty, or with a right beginning.
func begins(path string, right func(start string) bool) bool {
	info, err := os.Stat(path)
	if err != nil {
		return true // not there; whatever else is wrong shows when it is written
	}
	if !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer file.Close()
	start := make([]byte, 200)
	n, _ := io.ReadFull(file, start)
	return n == 0 || right(string(start[:n]))
}
