package delivery

import "fmt"

// The states of a dispatch, one event on its way to one webhook. They are internal; sellers see its attempts, the
// deliveries. A dispatch that is delivered or given up is deleted. Whether its webhook takes anything now is a matter of
// the webhook: the dispatches of a paused one are pending too, and are not claimed.
const (
	DispatchPending = "pending" // due at some time
	DispatchLeased  = "leased"  // an attempt is in flight
)

// What makes an attempt.
const (
	TriggerAutomatic = "automatic"
	TriggerManual    = "manual"
	TriggerTest      = "test"
	TriggerRecovery  = "recovery" // it keeps the order and the schedule, as an automatic one does
)

// byHand says whether an event was sent out of order, once, and past pauses.
func byHand(trigger string) bool { return trigger == TriggerManual || trigger == TriggerTest }

// The states of webhooks. The engine disables them; everything else the seller does.
const (
	WebhookActive   = "active"
	WebhookPaused   = "paused"
	WebhookDisabled = "disabled"
)

// Why a webhook is disabled.
const (
	disabledFailing = "failing" // nothing succeeded for disableAfter
	disabledGone    = "gone"    // the receiver answered 410
)

// FormatStandard is the format of Standard Webhooks: the event as JSON, signed. Others are written by Config.Render.
const FormatStandard = "standard"

// The states of webhook deliveries. Each is one attempt to send one event to one receiver.
const (
	Scheduled   = "scheduled"
	Sending     = "sending"
	Succeeded   = "succeeded"
	Failed      = "failed"
	Interrupted = "interrupted"
	Cancelled   = "cancelled"
)

// Transition is one move that a delivery may make, and what makes it.
type Transition struct{ From, To, By string }

// Transitions are the moves of deliveries. A further attempt is another delivery. docs/seller/states.md draws them.
var Transitions = []Transition{
	{Scheduled, Sending, "a worker takes it"},
	{Sending, Succeeded, "the receiver answers 2xx"},
	{Sending, Failed, "the receiver answers anything else, or cannot be reached"},
	{Sending, Interrupted, "its worker stops, or its lease runs out: nobody knows whether it arrived"},
	{Sending, Interrupted, "the webhook is deleted meanwhile"},
	{Scheduled, Cancelled, "the webhook is deleted"},
	{Scheduled, Cancelled, "the event is older than 96 hours, or no longer kept"},
}

// allowMove fails when the table has no such move.
func allowMove(from, to string) error {
	for _, move := range Transitions {
		if move.From == from && move.To == to {
			return nil
		}
	}
	return fmt.Errorf("no transition from %s to %s", from, to)
}
