package httplog

import (
	"bytes"
	"io"
	"log/slog"
	"sync"
	"time"
)

// These bound how late lines are written, how many are written together, and how many are kept while the log cannot be written, in bytes.
const (
	latest     = 100 * time.Millisecond
	largeBatch = 64 << 10
	mostKept   = 1 << 20
)

// lastBatch bounds how long Close waits for a log that cannot be written.
const lastBatch = time.Second

// Batches writes lines together, because each write costs as much as a hundred lines. A log that takes no lines holds nobody up: lines are
// kept, later ones are left out, and the log says so when it can be written again. Batches is safe for concurrent use.
type Batches struct {
	out io.Writer

	mu    sync.Mutex
	lines []byte      // that are not written yet
	lost  int         // lines that were left out since the last batch
	timer *time.Timer // writes the lines; it runs as long as there are some

	writing chan struct{} // has room for the one that writes a batch
	spare   []byte        // for the next lines, of the one that writes
}

// NewBatches makes Batches that end up in out.
func NewBatches(out io.Writer) *Batches { return &Batches{out: out, writing: make(chan struct{}, 1)} }

// Write implements io.Writer. It takes whole lines, and never waits.
func (b *Batches) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := len(b.lines)
	if before+len(line) > mostKept {
		b.lost++
		return len(line), nil
	}
	b.lines = append(b.lines, line...)
	switch {
	case before == 0 && b.timer == nil:
		b.timer = time.AfterFunc(latest, b.flush)
	case before == 0:
		b.timer.Reset(latest)
	case before < largeBatch && len(b.lines) >= largeBatch:
		b.timer.Reset(0)
	}
	return len(line), nil
}

// flush writes the lines that there are, after those that are being written.
func (b *Batches) flush() {
	b.writing <- struct{}{}
	defer func() { <-b.writing }()
	b.mu.Lock()
	batch, lost := b.lines, b.lost
	b.lines, b.lost = b.spare[:0], 0
	b.mu.Unlock()
	b.spare = nil
	if len(batch) == 0 {
		return
	}
	unwritten := lost + bytes.Count(batch, []byte("\n"))
	if lost > 0 {
		var notice bytes.Buffer
		slog.New(slog.NewJSONHandler(&notice, nil)).Warn("lines are missing here, because the log could not be written", "lines", lost)
		batch = append(batch, notice.Bytes()...)
	}
	if _, err := b.out.Write(batch); err != nil {
		b.mu.Lock()
		b.lost += unwritten
		b.mu.Unlock()
	}
	if cap(batch) <= 2*largeBatch {
		b.spare = batch
	}
}

// Close writes the last lines, if the log takes them.
func (b *Batches) Close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.flush()
	}()
	late := time.NewTimer(lastBatch)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
}
