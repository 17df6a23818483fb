package translate

import (
	"errors"
	"fmt"
	"slices"
)

// This file has what the migration guide says of a call besides its rows.

// Guidance is what the migration guide says of a call besides its rows. Texts are Markdown of one paragraph.
type Guidance struct {
	Phase   Phase
	Later   int // the calls of a phase are in the order of the tables; calls with a higher number follow those with a lower one
	Example Example
	Note    string // an explanation for readers who compare the two commands, "" for none
	Answer  string // what /v1 answers instead of an acknowledgement, "" for a call that does not only acknowledge
}

// Phase is a step of the migration. Its text is the anchor of the step in the guide.
type Phase string

// The phases, in the order of the guide. PhaseOff has no calls.
const (
	PhaseKeys          Phase = "phase-keys"
	PhaseReading       Phase = "phase-reading"
	PhaseListing       Phase = "phase-listing"
	PhaseSales         Phase = "phase-sales"
	PhaseNotifications Phase = "phase-notifications"
	PhaseOff           Phase = "phase-off"
)

// Example is the request that the commands of a call show. Texts such as $ITEM are variables in the reader's shell.
type Example struct {
	Path map[string]string
	Form []Pair
	V1   string // of a call without an operation: the command for /v1, with {base} for the address of the service
}

// define makes a call with its words and its samples.
func define(call Call) *Call {
	call.read()
	return &call
}

// complete returns an error when a call lacks something that readers of the tables need.
func (c *Call) complete() error {
	g := &c.Guide
	switch o := c.Target.Operation(); {
	case !slices.Contains([]Phase{PhaseKeys, PhaseReading, PhaseListing, PhaseSales, PhaseNotifications}, g.Phase):
		return fmt.Errorf("the guide has no place for it in %q", g.Phase)
	case (o == nil) != (g.Example.V1 != ""):
		return errors.New("a command for /v1 is its own if it has no operation, and else made of its rows")
	case c.Acknowledges() != (g.Answer != ""):
		return errors.New("a call that acknowledges says what /v1 answers in place of that, and no other one does")
	case len(c.Samples) == 0:
		return errors.New("it has no samples")
	case c.ListOf != "" && c.Paged:
		return errors.New("it answers either all there is or a window")
	default:
		return nil
	}
}
