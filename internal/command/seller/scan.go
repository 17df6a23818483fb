package seller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"sellerd/internal/command"
	"sellerd/translate"
	"sellerd/translate/scan"
)

// Scan finds the calls of the old interface in programs, settings and records. It runs nothing, and needs neither a database
// nor a network.
type Scan struct {
	Paths   []string `arg:"" name:"path" complete:"file" help:"Files and folders; folders with everything below them."`
	Format  string   `default:"text" enum:"text,json,sarif" placeholder:"FORMAT" help:"text, json or sarif (default: ${default})."`
	Hosts   []string `name:"host" placeholder:"HOST" help:"A host of the service, besides the old one, such as api.example.com; may be repeated."`
	Only    string   `enum:",certain,likely" default:"" placeholder:"CONFIDENCE" help:"Leave out what is less sure: certain, or likely (with certain)."`
	Fail    bool     `help:"End with status 1 when something was found."`
	BaseURL string   `name:"base-url" default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is, for commands and links (default: ${default})."`
}

// CheckFlags rejects addresses that cannot be meant.
func (c *Scan) CheckFlags() error {
	for _, host := range c.Hosts {
		if name := scan.HostName(host); name == "" || name[0] == '.' || strings.ContainsAny(host, " \t\"'<>*,;") {
			return command.Wrong("--host must be like api.example.com, not %q", host)
		}
	}
	return command.CheckBaseURL("--base-url", c.BaseURL)
}

// errFound ends the command with status 1. The report has been printed.
var errFound = errors.New("the programs call /rest: see the report")

// Run scans and prints the report.
func (c *Scan) Run(ctx context.Context, p *command.Program) error {
	paths := given(c.Paths)
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			if failed, ok := errors.AsType[*fs.PathError](err); ok {
				err = failed.Err
			}
			return command.Wrong("%s: %v", scan.Printable(path), err)
		}
	}
	table, err := translate.New()
	if err != nil {
		return err
	}
	shown := &scanProgress{command.NewProgress(os.Stderr, p.Now, "files").OnTerminal()}
	report, err := scan.Run(ctx, table, scan.Options{
		Paths: paths, Hosts: c.Hosts, BaseURL: strings.TrimRight(c.BaseURL, "/"), Only: scan.Confidence(c.Only), Progress: shown,
	})
	shown.End()
	if err != nil {
		return err
	}
	if err := report.Write(os.Stdout, c.Format); err != nil {
		return err
	}
	nameUnread(os.Stderr, report.Summary.Partial)
	if c.Fail && len(report.Findings) > 0 {
		return errFound
	}
	return nil
}

// maxNamed is how many files are named one by one.
const maxNamed = 20

// nameUnread names files and folders that were not read, or not to their ends, so that a report without them is not taken for a whole one.
func nameUnread(w io.Writer, names []string) {
	for _, name := range names[:min(len(names), maxNamed)] {
		fmt.Fprintf(w, "not read, or not to its end: %s\n", scan.Printable(name))
	}
	if more := len(names) - maxNamed; more > 0 {
		fmt.Fprintf(w, "not read, or not to their ends: %d more files and folders\n", more)
	}
}

// scanProgress shows how many files were read.
type scanProgress struct{ *command.Progress }

// Begin implements scan.Progress.
func (p *scanProgress) Begin(files int) { p.Progress.Begin("Reading", files) }

// Done implements scan.Progress.
func (p *scanProgress) Done() { p.Add(1) }
