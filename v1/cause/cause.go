// Package cause says who caused an event (cause.go), and which events a reader does not want for whom or what they are about (filter.go). It
// knows the keys that followed others by rotation, and none of the rules.
package cause

import "strings"

// Cause is who caused an event. The zero Cause is the service itself, or somebody who is not known.
type Cause struct {
	Via       string // one of the names below
	KeyID     string // the public id of the key, empty without one
	RequestID string // empty without one
	Trace     string // the traceparent of what did it (package tracing), empty if nothing is traced
}

// How events are caused.
const (
	ByV1          = "v1" // the sandbox, too
	ByRest        = "rest"
	ByOperator    = "operator"
	ByMarketplace = "marketplace" // a worker or a buyer
	BySystem      = "system"
)

// Text is the cause as a submission keeps it for its events. Neither ids nor names have spaces.
func (c Cause) Text() string {
	text := c.Via + " " + c.KeyID + " " + c.RequestID
	if c.Trace == "" {
		return text
	}
	return text + " " + c.Trace
}

// Parse reads a Text. A program that knows no causes has stored none.
func Parse(text *string) (c Cause) {
	if text != nil {
		c.Via, c.KeyID, _ = strings.Cut(*text, " ")
		c.KeyID, c.RequestID, _ = strings.Cut(c.KeyID, " ")
		c.RequestID, c.Trace, _ = strings.Cut(c.RequestID, " ")
	}
	return c
}
