// Package pattern has regular expressions that are compiled when they are first used. The program has two hundred, and a server needs
// few of them: to compile all of them would take a fifth of its start.
package pattern

import (
	"regexp"
	"sync"
)

// Late returns a regular expression. The first call compiles it; it panics if the expression is malformed. It is not
// inlined: with copies of its closures for each expression, seller is 220 KB larger.
//
//go:noinline
func Late(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
