package httplog_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/httplog"
)

// file is where a log ends up. It can be full, and it can keep its writers waiting.
type file struct {
	open  chan struct{} // closed when it takes writes; nil for one that always does
	takes time.Duration // for a write

	mu     sync.Mutex
	full   bool
	room   int // in bytes, of a full one
	writes []string
}

func (f *file) Write(p []byte) (int, error) {
	if f.open != nil {
		<-f.open
	}
	time.Sleep(f.takes)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.full && len(p) > f.room {
		n := f.room
		f.room = 0
		if n > 0 {
			f.writes = append(f.writes, string(p[:n]))
		}
		return n, errors.New("no space left on device")
	}
	f.writes = append(f.writes, string(p))
	return len(p), nil
}

func (f *file) fill(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = full
}

func (f *file) expect(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if diff := cmp.Diff(want, f.writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// expectText is expect, but for how the text is divided into writes.
func (f *file) expectText(t *testing.T, want string) {
	t.Helper()
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := strings.Join(f.writes, ""); got != want {
		t.Errorf("%d bytes instead of %d, which differ in the lines (-want +got):\n%s", len(got), len(want), cmp.Diff(lengths(want), lengths(got)))
	}
}

// lengths are the lines of a text, the usual ones of a kilobyte only counted.
func lengths(text string) (out []string) {
	usual := 0
	for line := range strings.Lines(text) {
		if line == kilobyte {
			usual++
			continue
		}
		out, usual = append(out, strconv.Itoa(usual)+" usual lines", line[:min(len(line), 200)]), 0
	}
	return append(out, strconv.Itoa(usual)+" usual lines")
}

// kilobyte is the line of a request.
var kilobyte = func() string {
	line := func(op string) string {
		return string(lineOf(httplog.Request{Op: op, Method: "GET", Status: 200, Stack: "v1", ID: "req_1"}))
	}
	return line(strings.Repeat("x", 1024-len(line(""))))
}()

func write(t *testing.T, b *httplog.Batches, line string) {
	t.Helper()
	if n, err := b.Write([]byte(line)); n != len(line) || err != nil {
		t.Fatalf("write: %d, %v", n, err)
	}
}

func TestLinesAreWrittenTogetherAfterATenthOfASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{}
		b := httplog.NewBatches(f, httplog.JSON)
		write(t, b, "1\n")
		time.Sleep(99 * time.Millisecond) // all times here are those of the test's own clock
		write(t, b, "2\n")
		f.expect(t)
		time.Sleep(time.Millisecond)
		f.expect(t, "1\n2\n")
		time.Sleep(time.Hour)
		write(t, b, "3\n")
		time.Sleep(100 * time.Millisecond)
		f.expect(t, "1\n2\n", "3\n")
	})
}

func TestManyLinesAreWrittenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{}
		b := httplog.NewBatches(f, httplog.JSON)
		line := strings.Repeat("x", 1023) + "\n"
		for range 64 {
			write(t, b, line)
		}
		f.expect(t, strings.Repeat(line, 64))
	})
}

func TestTheLastLinesAreWrittenAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{}
		b := httplog.NewBatches(f, httplog.JSON)
		write(t, b, "1\n")
		b.Close()
		write(t, b, "2\n") // such as of a goroutine that ends later
		b.Close()
		f.expect(t, "1\n", "2\n")
	})
}

// kept is how many lines of a kilobyte wait for a log that takes none.
const kept = 1024

// A pipe whose reader is stuck used to hold up every request.
func TestALogThatTakesNothingHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{open: make(chan struct{})}
		b := httplog.NewBatches(f, httplog.JSON)
		write(t, b, kilobyte)
		time.Sleep(time.Second)
		for range kept - 1 + 7 {
			write(t, b, kilobyte)
		}
		began := time.Now()
		b.Close()
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("the end waited for %v", waited)
		}
		close(f.open)
		want := strings.Repeat(kilobyte, kept) + missing(t, 7)
		f.expectText(t, want)
		write(t, b, "last\n")
		b.Close()
		f.expectText(t, want+"last\n")
	})
}

func TestALogThatFailsLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{full: true}
		b := httplog.NewBatches(f, httplog.JSON)
		for range 2 {
			write(t, b, "1\n")
			write(t, b, "2\n")
			time.Sleep(time.Second)
		}
		f.fill(false)
		write(t, b, "3\n")
		b.Close()
		f.expect(t, "1\n2\n1\n2\n3\n")
	})
}

// A disk that becomes full takes a part of a line. It is completed as soon as there is room, even if no other line comes.
func TestATornLineIsCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{full: true, room: 8}
		b := httplog.NewBatches(f, httplog.JSON)
		write(t, b, "first\n")
		write(t, b, "second\n")
		time.Sleep(time.Minute)
		f.expect(t, "first\nse")
		f.fill(false)
		time.Sleep(100 * time.Millisecond)
		f.expect(t, "first\nse", "cond\n")
	})
}

func TestTheNoticeIsWhereLinesAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{full: true}
		b := httplog.NewBatches(f, httplog.JSON)
		for range kept + 7 {
			write(t, b, kilobyte)
		}
		time.Sleep(time.Second)
		write(t, b, kilobyte)
		// An error must not be pushed out by the requests.
		write(t, b, "an error\n")
		time.Sleep(time.Second)
		b.Close()
		f.expect(t)
		f.fill(false)
		b.Close()
		f.expectText(t, strings.Repeat(kilobyte, kept)+missing(t, 8)+"an error\n")
	})
}

// Lines that are not of requests have a bound of their own.
func TestOtherLinesHaveRoomBesideRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{full: true}
		b := httplog.NewBatches(f, httplog.JSON)
		other := strings.Repeat("x", 1023) + "\n"
		for range kept {
			write(t, b, kilobyte)
		}
		for range kept + 3 {
			write(t, b, other)
		}
		f.fill(false)
		b.Close()
		f.expectText(t, strings.Repeat(kilobyte, kept)+strings.Repeat(other, kept)+missing(t, 3))
	})
}

func TestALineThatHasNoRoomAloneIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{}
		b := httplog.NewBatches(f, httplog.JSON)
		write(t, b, strings.Repeat("x", 2<<20)+"\n")
		time.Sleep(100 * time.Millisecond)
		f.expect(t, missing(t, 1))
		write(t, b, "next\n")
		b.Close()
		f.expect(t, missing(t, 1), "next\n")
	})
}

func TestTheEndWaitsForASlowLog(t *testing.T) {
	for name, c := range map[string]struct {
		lines, written int
		waits          time.Duration
	}{
		"until all is written": {256, 256, 3600 * time.Millisecond},
		"ten seconds":          {kept, 11 * 64, 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &file{takes: 900 * time.Millisecond}
			b := httplog.NewBatches(f, httplog.JSON)
			for range c.lines {
				write(t, b, kilobyte)
			}
			began := time.Now()
			b.Close()
			if waited := time.Since(began); waited != c.waits {
				t.Errorf("%s: it waited for %v, want %v", name, waited, c.waits)
			}
			f.expectText(t, strings.Repeat(kilobyte, c.written))
			time.Sleep(time.Minute) // what is not written then is written before the test ends
		})
	}
}

func TestASocketGetsWholeLines(t *testing.T) {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0) // what is written at once is read at once
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 5000) + "\n"
	expectPieces(t, os.NewFile(uintptr(ends[0]), "reader"), os.NewFile(uintptr(ends[1]), "log"),
		strings.Repeat(kilobyte, 4), strings.Repeat(kilobyte, 2)+"short\n", long, "last\n")
}

// expectPieces writes lines to a log that other programs may write to as well, and expects how they are divided.
func expectPieces(t *testing.T, reader, log *os.File, want ...string) {
	t.Helper()
	defer reader.Close()
	defer log.Close()
	text := strings.Join(want, "")
	b := httplog.NewBatches(log, httplog.JSON)
	for line := range strings.Lines(text) {
		write(t, b, line)
	}
	b.Close()
	var got []string
	for room := make([]byte, 2*len(text)); len(strings.Join(got, "")) < len(text); {
		n, err := reader.Read(room)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(room[:n]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
}

// missing is the line about missing lines, now.
func missing(t *testing.T, lines int) string {
	t.Helper()
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Warn("lines are missing here, because the log could not be written", "lines", lines)
	return out.String()
}

func TestManyMayWriteAtOnce(t *testing.T) {
	var out bytes.Buffer
	b := httplog.NewBatches(&out, httplog.JSON)
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 1000 {
				_, _ = b.Write([]byte("one line of many\n"))
			}
		})
	}
	writers.Wait()
	b.Close()
	if want := strings.Repeat("one line of many\n", 8000); out.String() != want {
		t.Errorf("%d bytes are written instead of %d", out.Len(), len(want))
	}
}
