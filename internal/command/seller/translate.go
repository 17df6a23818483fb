package seller

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/term"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"sellerd/internal/command"
	"sellerd/translate"
	tocommand "sellerd/translate/command"
	"sellerd/translate/paste"
	"sellerd/translate/scan"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// Translate translates a request of the old interface to /v1. It needs neither a database nor a network.
type Translate struct {
	Request string `arg:"" optional:"" help:"A command such as curl, a call in a program, a URL, a method and a URL, or a record of a request; without one it is read from standard input."`
	Body    string `placeholder:"FORM" help:"The form that the request sends, if it is not in the command, such as title=Postcard&fixed_price=4.50."`
	BaseURL string `name:"base-url" default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is, for the commands that are printed (default: ${default})."`
	Shell   string `placeholder:"SHELL" enum:",sh,powershell,cmd" default:"" help:"For which shell the commands are: sh, powershell or cmd. By default it is that of the system."`
	JSON    bool   `name:"json" help:"Print everything as JSON, as POST /migration/translate answers it in data."`
}

// CheckFlags rejects an address that cannot be that of a service.
func (c *Translate) CheckFlags() error {
	return command.CheckBaseURL("--base-url", c.BaseURL)
}

// Run translates one request.
func (c *Translate) Run() error {
	request := c.Request
	if request == "" {
		if term.IsTerminal(int(os.Stdin.Fd())) {
			return command.Wrong("give the request in quotes, or through standard input: `sellerd translate 'curl …'`")
		}
		text, err := io.ReadAll(io.LimitReader(os.Stdin, paste.MaxBytes+1))
		if err != nil {
			return fmt.Errorf("read the request: %w", err)
		}
		// PowerShell and Notepad write UTF-16, with a mark that says so.
		if text, _, err = transform.Bytes(unicode.BOMOverride(transform.Nop), text); err != nil {
			return fmt.Errorf("read the request: %w", err)
		}
		request = string(text)
	}
	table, err := translate.New()
	if err != nil {
		return err
	}
	shell := cmp.Or(tocommand.Shell(c.Shell), tocommand.ShellOf(runtime.GOOS, os.Getenv))
	out, err := paste.Translate(table, paste.Input{Request: request, Body: c.Body, BaseURL: strings.TrimRight(c.BaseURL, "/"), Shell: shell})
	if refused, ok := errors.AsType[refusal.Errors](err); ok {
		err = errors.New(refusalText(refused))
	}
	if out != nil && err == nil && slices.ContainsFunc(out.Calls, func(m paste.Meaning) bool { return m.Rejected() }) {
		err = errors.New("a call of the program has a value that is rejected")
	}
	switch {
	case out == nil:
		return err
	case c.JSON:
		data := jsontext.Value(wire.EncodeJSON(nil, out))
		if failed := data.Indent(); failed != nil {
			return failed
		}
		if _, failed := fmt.Println(string(data)); failed != nil {
			return failed
		}
		return err
	}
	for i := range out.Calls {
		call := &out.Calls[i]
		fmt.Fprintf(os.Stderr, "# Line %d: %s %s\n", call.Line, call.Method, call.Path)
		if printed := printTranslation(os.Stdout, os.Stderr, call, call.Rejected()); printed != nil {
			return printed
		}
	}
	if len(out.Calls) > 0 {
		return err
	}
	return errors.Join(printTranslation(os.Stdout, os.Stderr, &out.Meaning, err != nil), err)
}

// printTranslation writes the commands, and everything else as comments. What is faulty is to be read, and not to be run.
func printTranslation(commands, comments io.Writer, out *paste.Meaning, faulty bool) error {
	for _, field := range out.Fields {
		if field.Error.Set {
			fmt.Fprintf(comments, "# %s is rejected: %s %s\n", scan.Printable(field.Name), scan.Printable(field.Value), scan.Printable(field.Error.V))
		}
	}
	switch {
	case !out.Curl.Set:
		fmt.Fprintf(comments, "# There is nothing to call. %s %s\n", out.Why.V, out.Instead.V)
	case faulty:
		fmt.Fprintf(comments, "# %s\n", strings.ReplaceAll(out.Curl.V, "\n", "\n# "))
	default:
		if _, err := fmt.Fprintln(commands, out.Curl.V); err != nil {
			return err
		}
	}
	for _, note := range out.Notes {
		fmt.Fprintf(comments, "# %s (%s): %s\n", scan.Printable(note.Field), note.Kind, scan.Printable(note.Text))
	}
	fmt.Fprintf(comments, "# %s: %s\n", out.Title, out.GuideURL)
	return nil
}

// refusalText is a text with a line for each error.
func refusalText(errs refusal.Errors) string {
	lines := make([]string, len(errs))
	for i, e := range errs {
		lines[i] = e.Message
		if e.Field != "" && e.Field != "request" && e.Field != "body" {
			lines[i] = e.Field + ": " + e.Message
		} else if strings.HasPrefix(e.Message, "must ") {
			lines[i] = "the " + e.Field + " " + e.Message
		}
		lines[i] = scan.Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}
