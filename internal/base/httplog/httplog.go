// Package httplog writes what HTTP adds to a program's log: a line for each request, and the lines of net/http, as entries of that log, at
// the level that suits them, and without the addresses of callers and texts of strangers.
package httplog

import (
	"context"
	"log"
	"log/slog"
	"regexp"
	"strings"
)

// New is the ErrorLog of a server.
func New(logger *slog.Logger) *log.Logger { return log.New(writer{logger}, "", 0) }

// TakeOver has a logger write what the standard library logs without a server: lines about the connections of clients.
func TakeOver(logger *slog.Logger) {
	log.SetFlags(0)
	log.SetPrefix("")
	log.SetOutput(writer{logger})
}

// writer gets each line with one call.
type writer struct{ logger *slog.Logger }

// levels are those of lines, by what they begin with. All others are warnings: they are about a mistake of this program, or about a limit
// of the machine.
var levels = []struct {
	begins string
	level  slog.Level
}{
	{"http: panic serving", slog.LevelError},
	// Callers cause these, as often as they like.
	{"http: TLS handshake error", slog.LevelInfo},
	{"http: URL query contains semicolon", slog.LevelDebug},
	{"Unsolicited response received on idle HTTP channel", slog.LevelInfo},
}

// Write implements io.Writer. A panic's line is followed by the stack.
func (w writer) Write(text []byte) (int, error) {
	line, more, _ := strings.Cut(strings.TrimRight(string(text), "\n"), "\n")
	level := slog.LevelWarn
	for _, l := range levels {
		if strings.HasPrefix(line, l.begins) {
			level = l.level
			break
		}
	}
	line, _, _ = strings.Cut(line, " starting with ") // what a stranger sent
	var attrs []slog.Attr
	if more != "" {
		attrs = append(attrs, slog.String("stack", more))
	}
	w.logger.LogAttrs(context.Background(), level, addresses.ReplaceAllString(line, "…"), attrs...)
	return len(text), nil
}

// addresses are addresses of IPv4 and IPv6, with a port or without.
var addresses = regexp.MustCompile(`\[[0-9A-Fa-f:.]+(%[^\]]*)?\](:\d+)?|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b|` +
	`\b([0-9A-Fa-f]{1,4}:)*[0-9A-Fa-f]{0,4}::[0-9A-Fa-f:]*[0-9A-Fa-f]|\b[0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){7}\b`)
