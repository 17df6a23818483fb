package items

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sellerd/internal/base/each"
	"sellerd/internal/proof/generated"
	"sellerd/v1/delivery"
)

// machine is a state machine of this package: every state in the order of an object's life, and those that objects begin
// and end in.
type machine struct {
	name, begun   string // begun is what makes an object
	about         string
	table         []Transition
	states        []string
	begin, finals []string
}

var machines = []machine{
	{
		"items", "a submission is published", "Publication makes an item `open`, or `scheduled` if it starts later. A renewed item stays `open`. A `sold` item stays `sold` when only some of its sales are cancelled: list those pieces anew.",
		ItemTransitions,
		[]string{ItemScheduled, ItemOpen, ItemSold, ItemUnsold, ItemClosed},
		[]string{ItemScheduled, ItemOpen},
		nil, // restarting leads back from everywhere
	},
	{
		"submissions", "the seller lists an item", "A submission is final usually within a second, at most 15 minutes after it was accepted. The second of these times is its `publish_deadline`.",
		SubmissionTransitions,
		[]string{SubmissionPending, SubmissionProcessing, SubmissionPublished, SubmissionRejected},
		[]string{SubmissionPending},
		[]string{SubmissionPublished, SubmissionRejected},
	},
	{
		"sales", "a buyer buys the item or wins the auction", "A cancelled sale stays in lists and reads.",
		SaleTransitions,
		[]string{SaleActive, SaleCancelled},
		[]string{SaleActive},
		[]string{SaleCancelled},
	},
	{
		"cancellations", "the sale is made", "`cancellation.status` of a sale. Once the sale's bill is sent, a cancellation cannot be requested or accepted.",
		CancellationTransitions,
		[]string{CancellationNone, CancellationRequested, CancellationCancelled, CancellationRefused},
		[]string{CancellationNone},
		[]string{CancellationCancelled},
	},
	{
		"bills", "the buyer's first purchase that no open bill takes", "A buyer's purchases join the bill while it is `to_invoice`. If some sales are cancelled after the payment, the buyer gets back what `payment.amount` exceeds `total` by.",
		BillTransitions,
		[]string{BillToInvoice, BillAwaitingPayment, BillToSend, BillSent, BillIsCancelled},
		[]string{BillToInvoice},
		[]string{BillSent, BillIsCancelled},
	},
	{
		"deliveries", "an event is to be sent", "A webhook delivery is one attempt. The next attempt at the same event is another delivery.",
		each.Of(delivery.Transitions, func(move delivery.Transition) Transition { return Transition(move) }),
		[]string{delivery.Scheduled, delivery.Sending, delivery.Succeeded, delivery.Failed, delivery.Interrupted, delivery.Cancelled},
		[]string{delivery.Scheduled},
		[]string{delivery.Succeeded, delivery.Failed, delivery.Interrupted, delivery.Cancelled},
	},
}

func TestEveryStateCanBeReached(t *testing.T) {
	for _, machine := range machines {
		reached := slices.Clone(machine.begin)
		for i := 0; i < len(reached); i++ { // reached grows while we follow the moves out of it
			for _, move := range machine.table {
				if move.From == reached[i] && !slices.Contains(reached, move.To) {
					reached = append(reached, move.To)
				}
			}
		}
		for _, state := range machine.states {
			if !slices.Contains(reached, state) {
				t.Errorf("%s never become %s", machine.name, state)
			}
		}
		for _, state := range reached {
			if !slices.Contains(machine.states, state) {
				t.Errorf("%s become %s, which is no state of theirs", machine.name, state)
			}
		}
	}
}

func TestEveryMoveSaysWhoMakesItAndNoneLeavesAFinalState(t *testing.T) {
	for _, machine := range machines {
		for _, move := range machine.table {
			if move.By == "" {
				t.Errorf("%s: nothing moves %s to %s", machine.name, move.From, move.To)
			}
			if slices.Contains(machine.finals, move.From) {
				t.Errorf("%s: %s is final, but may become %s", machine.name, move.From, move.To)
			}
		}
		for _, state := range machine.states {
			leaves := slices.ContainsFunc(machine.table, func(move Transition) bool { return move.From == state })
			if final := slices.Contains(machine.finals, state); leaves == final {
				t.Errorf("%s: nothing leads out of %s", machine.name, state)
			}
		}
	}
}

func TestOnlyTheMovesOfTheTablesAreAllowed(t *testing.T) {
	allowed := map[string][]string{ // written out once more, independently of the tables
		"items": {
			"scheduled open", "scheduled closed", "open sold", "open unsold", "open closed", "unsold open", "closed open", "sold open",
		},
		"submissions": {
			"pending processing", "processing processing", "processing pending", "processing published", "processing rejected", "pending rejected",
		},
		"sales":         {"active cancelled"},
		"cancellations": {"none requested", "refused requested", "requested cancelled", "requested refused", "none cancelled"},
		"bills": {
			"to_invoice awaiting_payment", "awaiting_payment to_send", "to_send sent",
			"to_invoice cancelled", "awaiting_payment cancelled", "to_send cancelled",
		},
		"deliveries": {"scheduled sending", "sending succeeded", "sending failed", "sending interrupted", "scheduled cancelled"},
	}
	for _, machine := range machines {
		for _, from := range append(slices.Clone(machine.states), "", "unknown") {
			for _, to := range append(slices.Clone(machine.states), "", "unknown") {
				err := Allow(machine.table, from, to)
				if want := slices.Contains(allowed[machine.name], from+" "+to); want != (err == nil) {
					t.Errorf("%s from %q to %q: %v", machine.name, from, to, err)
				}
			}
		}
	}
}

func TestOnlyScheduledAndOpenItemsTakeRoomInTheStore(t *testing.T) {
	for state, want := range map[string]bool{ItemScheduled: true, ItemOpen: true, ItemSold: false, ItemUnsold: false, ItemClosed: false} {
		if got := itemIsListed(state); got != want {
			t.Errorf("%s: %v", state, got)
		}
	}
}

// statesFile shows the tables to people.
const statesFile = "../../docs/seller/states.md"

func TestTheStatesInTheDocumentationAreThoseOfTheTables(t *testing.T) {
	generated.Compare(t, statesFile, []byte(statesPage()))
}

// statesPage draws every machine, as a picture and as a table.
func statesPage() string {
	var page strings.Builder
	page.WriteString("# States\n\n" +
		"Items, sales, bills and submissions have states. Each move from one to another is shown here; any other move is rejected.\n\n" +
		"<!-- Written from the tables in v1/items/states.go by make generate. -->\n")
	for _, m := range machines {
		fmt.Fprintf(&page, "\n## %s%s\n\n%s\n\n```mermaid\nstateDiagram-v2\n", strings.ToUpper(m.name[:1]), m.name[1:], m.about)
		for _, state := range m.begin {
			fmt.Fprintf(&page, "    [*] --> %s\n", state)
		}
		drawn := map[string]bool{} // one arrow for each pair of states, however many reasons there are
		for _, move := range m.table {
			if arrow := fmt.Sprintf("    %s --> %s\n", move.From, move.To); !drawn[arrow] {
				drawn[arrow] = true
				page.WriteString(arrow)
			}
		}
		for _, state := range m.finals {
			fmt.Fprintf(&page, "    %s --> [*]\n", state)
		}
		page.WriteString("```\n\n| From | To | Cause |\n| --- | --- | --- |\n")
		for _, state := range m.begin {
			fmt.Fprintf(&page, "| (new) | `%s` | %s |\n", state, m.begun)
		}
		for _, move := range m.table {
			fmt.Fprintf(&page, "| `%s` | `%s` | %s |\n", move.From, move.To, move.By)
		}
	}
	return page.String()
}
