package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"
)

// screen is what a person sees: a greeting and a line a call on a terminal, and else a log of JSON lines.
type screen struct {
	terminal io.Writer // nil where there is none
	logger   *slog.Logger
}

func newScreen(out, log *os.File) *screen {
	if term.IsTerminal(int(out.Fd())) {
		return &screen{out, slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: brief}))}
	}
	return &screen{nil, slog.New(slog.NewJSONHandler(log, nil))}
}

// brief shortens a line for people: the time of the day, and neither the level of usual lines nor the id for support.
func brief(_ []string, a slog.Attr) slog.Attr {
	switch {
	case a.Key == slog.TimeKey:
		return slog.String("at", a.Value.Time().Local().Format("15:04:05"))
	case a.Key == slog.LevelKey && a.Value.String() == slog.LevelInfo.String(), a.Key == slog.MessageKey && a.Value.String() == "call", a.Key == "request_id":
		return slog.Attr{}
	}
	return a
}

// greet says how to use the bridge.
func (s *screen) greet(c *Command, address, folder string, keys int) {
	if s.terminal == nil {
		s.logger.Info("serving", "addr", address, "to", c.To, "keys", keys, "state", folder, "record", c.Record, "version", c.Version)
		if c.Keys != "" && privateNote(c.To) != "" {
			s.logger.Warn("the file of keys" + privateNote(c.To))
		}
		return
	}
	line := func(format string, args ...any) { fmt.Fprintf(s.terminal, format+"\n", args...) }
	line("")
	line("  Point your program to %s/rest", address)
	line("")
	line("  Its calls go to   %s", c.To)
	if c.Keys != "" {
		line("  Old keys          %d, from %s%s", keys, c.Keys, privateNote(c.To))
	}
	line("  Sessions          survive a restart, by the secret in %s", folder)
	if c.Record != "" {
		line("  Recording         to %s", c.Record)
	}
	line("")
	line("  Each call is a line below. Ctrl-C ends the bridge.")
	line("")
}

// report asks once whether the seller API answers, and says what came.
func (s *screen) report(ctx context.Context, to string, ask func(context.Context) error) {
	err := ask(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.logger.Warn("calls are answered 503 for now", "error", err.Error())
	default:
		s.logger.Info("the seller API answers", "to", to)
	}
}

// end says that the bridge has ended.
func (s *screen) end() { s.logger.Info("stopped") }
