package httplog

import (
	"bytes"
	"cmp"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

// These bound how late lines are written, how many are written together, and how many are kept while the log cannot be written, in bytes.
// Lines that are not of requests find room when those of requests no longer do.
const (
	latest     = 100 * time.Millisecond
	largeBatch = 64 << 10
	mostKept   = 1 << 20
	mostOthers = 2 * mostKept
)

// wholeInPipe is how much a pipe takes at once on every system, in bytes. What is longer can be torn by the lines of another program.
const wholeInPipe = 4 << 10

// These bound how long Close waits: for a log that takes nothing, and for one that is slow.
const (
	lastPiece = time.Second
	lastBatch = 10 * time.Second
)

// Batches writes several lines at a time, because one write costs as much as a hundred lines. A caller never waits for the log. While the log
// cannot be written, Batches keeps lines up to a limit, drops the later ones, and afterwards writes how many. It is safe for concurrent use.
type Batches struct {
	out    io.Writer
	format Format
	piece  int // how much is written at once, in bytes

	mu    sync.Mutex
	lines []byte      // that are not written yet; the first may lack what is written of it
	lost  int         // lines that were left out and are not reported yet
	gap   int         // where in lines the first of them is missing
	timer *time.Timer // writes the lines; it runs as long as there are some

	writing chan struct{} // has room for the one that writes
	through chan struct{} // gets a value when the log has taken something
}

// NewBatches makes Batches of lines in a format that end up in out.
func NewBatches(out io.Writer, format Format) *Batches {
	b := &Batches{out: out, format: format, piece: largeBatch, writing: make(chan struct{}, 1), through: make(chan struct{}, 1)}
	if file, ok := out.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
			b.piece = wholeInPipe
		}
	}
	return b
}

// Write implements io.Writer. It takes whole lines, and never waits.
func (b *Batches) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, idle := len(b.lines), len(b.lines) == 0 && b.lost == 0
	if full := before + len(line); full > mostOthers || full > mostKept && isRequest(line) {
		if b.lost == 0 {
			b.gap = before
		}
		b.lost++
	} else {
		b.lines = append(b.lines, line...)
	}
	switch {
	case b.timer == nil:
		b.timer = time.AfterFunc(latest, b.flush)
	case idle:
		b.timer.Reset(latest)
	case before < largeBatch && len(b.lines) >= largeBatch:
		b.timer.Reset(0)
	}
	return len(line), nil
}

// flush writes the lines that there are, in pieces. What the log does not take is tried again later.
func (b *Batches) flush() {
	b.writing <- struct{}{}
	defer func() { <-b.writing }()
	b.mu.Lock()
	defer b.mu.Unlock()
	var err error
	for due := len(b.lines); err == nil; {
		if b.lost > 0 && b.gap == 0 {
			notice := missing(b.lost, b.format)
			due, b.lost = due+len(notice), 0
			b.lines = append(notice, b.lines...)
		}
		if due == 0 {
			break
		}
		next := b.lines[:due]
		if b.lost > 0 {
			next = next[:min(due, b.gap)]
		}
		next = firstLines(next, b.piece)
		b.mu.Unlock()
		var n int
		n, err = b.out.Write(next)
		b.mu.Lock()
		b.lines = append(b.lines[:0], b.lines[n:]...)
		due, b.gap = due-n, b.gap-n
		if n > 0 {
			select {
			case b.through <- struct{}{}:
			default:
			}
		}
	}
	switch {
	case len(b.lines) == 0 && b.lost == 0:
		if cap(b.lines) > 2*largeBatch {
			b.lines = nil
		}
	case err == nil && len(b.lines) >= largeBatch:
		b.timer.Reset(0)
	default:
		b.timer.Reset(latest)
	}
}

// missing is the line that says how many are missing.
func missing(lines int, format Format) []byte {
	var out bytes.Buffer
	NewLogger(&out, slog.LevelInfo, format).Warn("lines are missing here, because the log could not be written", "lines", lines)
	return out.Bytes()
}

// firstLines are the first lines of a text that have room in a piece, or the first line alone if it has none.
func firstLines(text []byte, piece int) []byte {
	if len(text) <= piece {
		return text
	}
	return text[:cmp.Or(bytes.LastIndexByte(text[:piece], '\n')+1, bytes.IndexByte(text, '\n')+1, len(text))]
}

// Close writes the last lines, as long as the log takes some.
func (b *Batches) Close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.flush()
	}()
	stuck, late := time.NewTimer(lastPiece), time.NewTimer(lastBatch)
	defer stuck.Stop()
	defer late.Stop()
	for {
		select {
		case <-b.through:
			stuck.Reset(lastPiece)
		case <-done:
			return
		case <-stuck.C:
			return
		case <-late.C:
			return
		}
	}
}
