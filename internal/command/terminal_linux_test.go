package command

import (
	"bufio"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The questions and the progress of serve --demo are on the terminal as well. A line that came later than what was said after it would
// be about something else.
func TestLinesOnATerminalAreWrittenAtOnce(t *testing.T) {
	flags, out := log.Flags(), log.Writer()
	defer func() { log.SetFlags(flags); log.SetOutput(out) }()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	logger, end := LogFormat{LogFormat: "json"}.NewServerLogger(terminal, slog.LevelInfo)
	logger.Info("the line")
	fmt.Fprintln(terminal, "the question")
	end()
	said := bufio.NewScanner(screen)
	for _, want := range []string{"the line", "the question"} {
		if !said.Scan() || !strings.Contains(said.Text(), want) {
			t.Errorf("%q is said instead of %q: %v", said.Text(), want, said.Err())
		}
	}
}
