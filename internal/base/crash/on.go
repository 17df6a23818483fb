//go:build crashpoints

package crash

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// passages counts how often the point that the file asks for was passed since it asks for it.
var passages struct {
	sync.Mutex
	wanted string
	n      int
}

// At passes a point, and dies if the file asks for it.
func At(p Point) {
	if !slices.Contains(Points, p) && !slices.Contains(CopyPoints, p) {
		panic("crash: " + string(p) + " is missing in Points")
	}
	passages.Lock() // it stays locked while the process dies, so that no other goroutine passes a point meanwhile
	defer passages.Unlock()
	text, err := os.ReadFile(os.Getenv(Variable))
	if err != nil {
		return // nothing is asked for
	}
	wanted := strings.TrimSpace(string(text))
	if wanted != passages.wanted {
		passages.wanted, passages.n = wanted, 0
	}
	if name, _, _ := strings.Cut(wanted, ":"); name != string(p) {
		return
	}
	passages.n++
	if wanted == fmt.Sprintf("%s:%d", p, passages.n) {
		die()
	}
}

// die ends the process without a chance to do anything more, and does not return while that takes effect.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// Clock moves what the machine's clock shows by what the file says, as if that clock had been set. What measures time without that
// clock is not moved.
func Clock(now time.Time) time.Time {
	text, err := os.ReadFile(os.Getenv(ClockVariable))
	if err != nil {
		return now // it is not set
	}
	by, err := time.ParseDuration(string(text))
	if err != nil {
		panic("crash: the clock's file: " + err.Error())
	}
	return now.Add(by)
}
