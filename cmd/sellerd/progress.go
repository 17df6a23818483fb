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

// progress shows how far a long command is: a bar for who watches, a line now and then for a log file. A nil one shows
// nothing.
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

// onTerminal is the same for who watches, and nil for a log file that has its own lines.
func (p *progress) onTerminal() *progress {
	if !p.terminal {
		return nil
	}
	return p
}

// uncounted is the total of a phase of which nobody knows how long it is. The bar shows that it goes on.
const uncounted = -1

// begin ends the phase before and starts one of so many units.
func (p *progress) begin(phase string, total int) {
	if p == nil {
		return
	}
	p.end()
	p.phase, p.done, p.total, p.told = phase, 0, total, p.now()
	if p.terminal {
		options := []progressbar.Option{
			progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription(phase),
			progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionSetWidth(30),
		}
		if total == uncounted { // it is drawn from now on, again and again, and wiped at the end
			options = append(options, progressbar.OptionSetRenderBlankState(true), progressbar.OptionClearOnFinish())
		} else {
			options = append(options, progressbar.OptionShowCount())
		}
		p.bar = progressbar.NewOptions(total, options...)
	}
}

// add counts what is through the phase.
func (p *progress) add(n int) {
	if p == nil {
		return
	}
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
	if p == nil {
		return
	}
	if p.bar != nil {
		p.bar.Describe(p.phase + ", " + text)
		return
	}
	p.line(", " + text)
}

// end finishes the phase.
func (p *progress) end() {
	switch {
	case p == nil || p.phase == "":
		return
	case p.bar != nil && p.total == uncounted:
		_ = p.bar.Finish() // Exit would leave it turning
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
	if p.total == uncounted {
		fmt.Fprintf(p.out, "%s%s\n", p.phase, more)
		return
	}
	fmt.Fprintf(p.out, "%s: %d of %d %s%s\n", p.phase, p.done, p.total, p.unit, more)
}
