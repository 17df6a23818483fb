package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// lineEvery is how often a log file learns how far things are.
const lineEvery = 5 * time.Second

// progress shows how far things are: a bar for who watches, a line now and then for a log file.
type progress struct {
	out      io.Writer
	terminal bool
	now      func() time.Time
	unit     string // of what is counted: rows

	bar         *progressbar.ProgressBar // on a terminal
	phase       string
	done, total int
	told        time.Time
}

func newProgress(out *os.File, now func() time.Time, unit string) *progress {
	return &progress{out: out, terminal: term.IsTerminal(int(out.Fd())), now: now, unit: unit}
}

// begin ends the phase before and starts one of so many units.
func (p *progress) begin(phase string, total int) {
	p.end()
	p.phase, p.done, p.total, p.told = phase, 0, total, p.now()
	if p.terminal {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription(phase),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(30))
	}
}

// add counts what is through the phase.
func (p *progress) add(n int) {
	p.done += n
	if p.bar != nil {
		_ = p.bar.Add(n) // a bar that cannot be drawn is no reason to stop
		return
	}
	if p.now().Sub(p.told) >= lineEvery {
		p.line("")
	}
}

// note tells why nothing moves.
func (p *progress) note(text string) {
	if p.bar != nil {
		p.bar.Describe(p.phase + ", " + text)
		return
	}
	p.line(", " + text)
}

// end finishes the phase.
func (p *progress) end() {
	switch {
	case p.phase == "":
		return
	case p.bar != nil:
		_ = p.bar.Exit()
		fmt.Fprintln(p.out)
	default:
		p.line("")
	}
	p.phase, p.bar = "", nil
}

func (p *progress) line(more string) {
	p.told = p.now()
	fmt.Fprintf(p.out, "%s: %d of %d %s%s\n", p.phase, p.done, p.total, p.unit, more)
}
