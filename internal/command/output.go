package command

import (
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"

	"sellerd/internal/base/httplog"
)

// NewLogger is the log of every command: JSON, a line each, at a level and above. What the standard library logs goes there, too.
func NewLogger(out io.Writer, level slog.Level) *slog.Logger {
	return newLogger(out, level, httplog.JSON)
}

func newLogger(out io.Writer, level slog.Level, format httplog.Format) *slog.Logger {
	logger := httplog.NewLogger(out, level, format)
	httplog.TakeOver(logger)
	return logger
}

// LogFormat is the flag for the form of a server's log.
type LogFormat struct {
	LogFormat string `group:"log" default:"auto" enum:"auto,text,json" env:"SELLERD_LOG_FORMAT" placeholder:"FORMAT" help:"text for people, json for programs, or auto: text on a terminal, otherwise json (default: ${default})."`
}

// NewServerLogger is NewLogger for a server, whose log has many lines and must not hold up requests. end writes the last lines. On a
// terminal each line is written at once, among questions and progress.
func (f LogFormat) NewServerLogger(out *os.File, level slog.Level) (logger *slog.Logger, end func()) {
	terminal, format := term.IsTerminal(int(out.Fd())), httplog.JSON
	if f.LogFormat == "text" || f.LogFormat != "json" && terminal {
		format = httplog.Text
	}
	if terminal {
		return newLogger(out, level, format), func() {}
	}
	batches := httplog.NewBatches(out, format)
	return newLogger(batches, level, format), batches.Close
}

// Visible is a text as people read it: in lines, without characters that steer a terminal.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// PrintJSON prints a value to standard output.
func PrintJSON(v any) error {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
