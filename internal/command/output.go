package command

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"

	"sellerd/internal/base/httplog"
)

// NewLogger is the log of every command: JSON, a line each, at a level and above. What the standard library logs goes there, too.
func NewLogger(out io.Writer, level slog.Level) *slog.Logger {
	logger := httplog.NewLogger(out, level)
	httplog.TakeOver(logger)
	return logger
}

// NewServerLogger is NewLogger for a server, whose log has many lines and must not hold up requests. end writes the last lines. On a
// terminal each line is written at once, among questions and progress.
func NewServerLogger(out *os.File, level slog.Level) (logger *slog.Logger, end func()) {
	if term.IsTerminal(int(out.Fd())) {
		return NewLogger(out, level), func() {}
	}
	batches := httplog.NewBatches(out)
	return NewLogger(batches, level), batches.Close
}

// PrintJSON prints a value to standard output.
func PrintJSON(v any) error {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// PrintEach prints a JSON list to standard output, each entry as soon as it is read. After an error the list has no end.
func PrintEach(each func(entry func(text []byte) error) error) error {
	out := bufio.NewWriter(os.Stdout)
	before := "[\n  "
	err := each(func(text []byte) error {
		var entry bytes.Buffer
		if err := json.Indent(&entry, text, "  ", "  "); err != nil {
			return err
		}
		_, err := out.WriteString(before + entry.String())
		before = ",\n  "
		return err
	})
	switch {
	case err != nil:
	case before == "[\n  ":
		_, err = out.WriteString("[]\n")
	default:
		_, err = out.WriteString("\n]\n")
	}
	return cmp.Or(err, out.Flush())
}
