package httplog_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/httplog"
)

// file is where a log ends up. It can be full, and it can keep its writers waiting.
type file struct {
	open chan struct{} // closed when it takes writes; nil for one that always does

	mu     sync.Mutex
	full   bool
	writes []string
}

func (f *file) Write(p []byte) (int, error) {
	if f.open != nil {
		<-f.open
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.full {
		return 0, errors.New("no space left on device")
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

func write(t *testing.T, b *httplog.Batches, line string) {
	t.Helper()
	if n, err := b.Write([]byte(line)); n != len(line) || err != nil {
		t.Fatalf("write: %d, %v", n, err)
	}
}

func TestLinesAreWrittenTogetherAfterATenthOfASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{}
		b := httplog.NewBatches(f)
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
		b := httplog.NewBatches(f)
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
		b := httplog.NewBatches(f)
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
		b := httplog.NewBatches(f)
		line := strings.Repeat("x", 1023) + "\n"
		write(t, b, "first\n")
		time.Sleep(time.Second)
		for range kept + 7 {
			write(t, b, line)
		}
		began := time.Now()
		b.Close()
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("the end waited for %v", waited)
		}
		close(f.open)
		f.expect(t, "first\n", strings.Repeat(line, kept)+missing(t, 7))
		write(t, b, "last\n")
		b.Close()
		f.expect(t, "first\n", strings.Repeat(line, kept)+missing(t, 7), "last\n")
	})
}

func TestALogThatFailsSaysHowMuchIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{full: true}
		b := httplog.NewBatches(f)
		for range 2 {
			write(t, b, "1\n")
			write(t, b, "2\n")
			time.Sleep(time.Second)
		}
		f.fill(false)
		write(t, b, "3\n")
		b.Close()
		f.expect(t, "3\n"+missing(t, 4))
	})
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
	b := httplog.NewBatches(&out)
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
