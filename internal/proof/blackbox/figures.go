package blackbox

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// EnvFigures names the file that figures are added to, as rows of a table in Markdown. `make figures` sets it.
const EnvFigures = "SELLERD_FIGURES"

// Figure is a measurement with its aim.
type Figure struct {
	Number   string // as in docs/operator/reliability.md
	What     string
	Aim      string
	Measured string
	Reached  bool
}

// Record logs a figure and adds it to the table, if there is one. A figure that was not reached fails the test.
func Record(tb testing.TB, f Figure) {
	tb.Helper()
	tb.Logf("%s, %s: %s (aim: %s)", f.Number, f.What, f.Measured, f.Aim)
	if err := f.write(); err != nil {
		tb.Error(err)
	}
	if !f.Reached {
		tb.Errorf("%s was not reached: %s: %s (aim: %s)", f.Number, f.What, f.Measured, f.Aim)
	}
}

func (f Figure) write() error {
	path := os.Getenv(EnvFigures)
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	verdict := "yes"
	if !f.Reached {
		verdict = "**no**"
	}
	_, err = fmt.Fprintf(file, "| %s | %s | %s | %s | %s |\n", f.Number, f.What, f.Aim, f.Measured, verdict)
	return err
}

// recordVerified records how many deliveries the tests of this process verified.
func recordVerified() error {
	all, byNPM := verified.byGo.Load(), verified.byNPM.Load()
	if all == 0 || !*npm { // as where a test has no network to get npm's package
		return nil
	}
	measured := fmt.Sprintf("%s by Go, %s by npm; %s of them with two secrets", Thousands(all), Thousands(byNPM), Thousands(verified.twice.Load()))
	return Figure{"wire", "deliveries of the rows above that the reference libraries verified", "all", measured, byNPM == all}.write()
}

// Quantile is the value that a part q of all values does not exceed.
func Quantile(values []time.Duration, q float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// Milliseconds shows a duration in a table.
func Milliseconds(d time.Duration) string {
	if d >= 10*time.Millisecond {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// Mebibytes shows an amount of memory in a table.
func Mebibytes(bytes int64) string { return fmt.Sprintf("%d MiB", bytes>>20) }

// Thousands shows a count in a table.
func Thousands(n int64) string { return message.NewPrinter(language.English).Sprint(n) }
