package seller

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"sellerd/internal/command"
)

// atTerminal has the standard input and the standard error be a terminal until the test ends, and returns the end of it that a person sees.
func atTerminal(t *testing.T) (screen *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
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
	in, out := os.Stdin, os.Stderr
	os.Stdin, os.Stderr = terminal, terminal
	t.Cleanup(func() {
		os.Stdin, os.Stderr = in, out
		terminal.Close()
		screen.Close()
	})
	return screen
}

// read is what a person sees up to some text.
func read(t *testing.T, screen *os.File, until string) (seen string) {
	t.Helper()
	for b := make([]byte, 1); !strings.HasSuffix(seen, until); seen += string(b) {
		if _, err := screen.Read(b); err != nil {
			t.Fatalf("after %q: %v", seen, err)
		}
	}
	return seen
}

// TestTheKeyIsAskedForAtATerminal types a key, which the screen does not show.
func TestTheKeyIsAskedForAtATerminal(t *testing.T) {
	screen := atTerminal(t)
	type made struct {
		key string
		err error
	}
	done := make(chan made)
	go func() {
		key, err := askForKey(t.Context())
		done <- made{key, err}
	}()
	seen := read(t, screen, "press Enter: ")
	if echoes(t) {
		t.Error("the terminal shows what is typed after the prompt")
	}
	if _, err := screen.WriteString("  dk_test_typed \r"); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.err != nil || got.key != "dk_test_typed" {
		t.Errorf("the key is %q, %v", got.key, got.err)
	}
	seen += read(t, screen, "\n")
	if diff := cmp.Diff("Paste your API key, which stays hidden, and press Enter: \r\n", seen); diff != "" {
		t.Errorf("the screen shows (-want +got):\n%s", diff)
	}
}

// TestAnInterruptionGivesTheTerminalBack ends while nothing is typed. The terminal shows again what is typed into it.
func TestAnInterruptionGivesTheTerminalBack(t *testing.T) {
	screen := atTerminal(t)
	ctx, interrupt := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := (&account{BaseURL: "http://localhost:8080"}).client(ctx, &command.Program{Now: time.Now})
		done <- err
	}()
	read(t, screen, "press Enter: ")
	interrupt()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "nothing was done") {
		t.Errorf("it says %v", err)
	}
	if !echoes(t) {
		t.Error("the terminal hides what is typed")
	}
}

// TestWhoGivesNoKeyIsToldSo presses Ctrl-C, Ctrl-D and Enter alone, as keys: the terminal sends no signal meanwhile.
func TestWhoGivesNoKeyIsToldSo(t *testing.T) {
	for _, pressed := range []string{"\x03", "\x04", "\r"} {
		screen := atTerminal(t)
		done := make(chan error)
		go func() {
			_, err := askForKey(t.Context())
			done <- err
		}()
		read(t, screen, "press Enter: ")
		if _, err := screen.WriteString(pressed); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err == nil || err.Error() != "no key was given: nothing was done" {
			t.Errorf("after %q it says %v", pressed, err)
		}
		if !echoes(t) {
			t.Errorf("after %q the terminal hides what is typed", pressed)
		}
	}
}

// echoes says whether the terminal shows what is typed.
func echoes(t *testing.T) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}
