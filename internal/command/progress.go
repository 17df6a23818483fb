package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// lineEvery is how often a line of progress is written to a log file.
const lineEvery = 5 * time.Second

// Progress shows the progress of a long command: a bar on a terminal, a line from time to time in a log file. A nil
// progress shows nothing.
type Progress struct {
	out      io.Writer
	terminal bool
	now      func() time.Time
	unit     string // the counted things, such as rows

	bar         *progressbar.ProgressBar // on a terminal
	phase       string
	done, total int
	lastLine    time.Time
}

// NewProgress shows the progress of units on a terminal or in a log file.
func NewProgress(out *os.File, now func() time.Time, unit string) *Progress {
	return &Progress{out: out, terminal: term.IsTerminal(int(out.Fd())), now: now, unit: unit}
}

// OnTerminal is the progress for a terminal, and nil for a log file that has its own lines.
func (p *Progress) OnTerminal() *Progress {
	if !p.terminal {
		return nil
	}
	return p
}

// Uncounted is the total of a phase of unknown length. The bar only shows that it is running.
const Uncounted = -1

// Begin ends the current phase and starts one of total units.
func (p *Progress) Begin(phase string, total int) {
	if p == nil {
		return
	}
	p.End()
	p.phase, p.done, p.total, p.lastLine = phase, 0, total, p.now()
	if p.terminal {
		options := []progressbar.Option{
			progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription(phase),
			progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionSetWidth(30),
		}
		if total == Uncounted { // it is redrawn regularly and removed at the end
			options = append(options, progressbar.OptionSetRenderBlankState(true), progressbar.OptionClearOnFinish())
		} else {
			options = append(options, progressbar.OptionShowCount())
		}
		p.bar = progressbar.NewOptions(total, options...)
	}
}

// Add counts finished units.
func (p *Progress) Add(n int) {
	if p == nil {
		return
	}
	p.done += n
	if p.bar != nil && p.total == Uncounted {
		p.bar.Describe(fmt.Sprintf("%s: %d %s", p.phase, p.done, p.unit))
	}
	if p.bar != nil {
		_ = p.bar.Add(n) // an error in drawing the bar does not matter
		return
	}
	if p.now().Sub(p.lastLine) >= lineEvery {
		p.line("")
	}
}

// Note prints why there is no progress.
func (p *Progress) Note(text string) {
	if p == nil {
		return
	}
	if p.bar != nil {
		p.bar.Describe(p.phase + ", " + text)
		return
	}
	if p.phase == "" { // nothing has begun
		fmt.Fprintln(p.out, text)
		return
	}
	p.line(", " + text)
}

// End finishes the phase.
func (p *Progress) End() {
	switch {
	case p == nil || p.phase == "":
		return
	case p.bar != nil && p.total == Uncounted:
		_ = p.bar.Finish() // Exit would leave it running
	case p.bar != nil:
		_ = p.bar.Exit()
		fmt.Fprintln(p.out)
	default:
		p.line("")
	}
	p.phase, p.bar = "", nil
}

func (p *Progress) line(more string) {
	p.lastLine = p.now()
	switch {
	case p.total == Uncounted && p.done == 0:
		fmt.Fprintf(p.out, "%s%s\n", p.phase, more)
	case p.total == Uncounted:
		fmt.Fprintf(p.out, "%s: %d %s%s\n", p.phase, p.done, p.unit, more)
	default:
		fmt.Fprintf(p.out, "%s: %d of %d %s%s\n", p.phase, p.done, p.total, p.unit, more)
	}
}
