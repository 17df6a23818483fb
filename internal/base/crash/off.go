//go:build !crashpoints

package crash

import "time"

// At passes a point. In the program as it is shipped, it does nothing.
func At(Point) {}

// Clock returns what the machine's clock shows. In the program as it is shipped, that is all.
func Clock(now time.Time) time.Time { return now }
