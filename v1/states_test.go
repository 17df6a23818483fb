package v1

import (
	"slices"
	"testing"
)

// machines are the state machines of this package: every state, and those that objects begin and end in.
var machines = []struct {
	name          string
	table         []Transition
	states        []string
	begin, finals []string
}{
	{
		"items", ItemTransitions,
		[]string{ItemScheduled, ItemOpen, ItemSold, ItemUnsold, ItemClosed},
		[]string{ItemScheduled, ItemOpen},
		nil, // publication makes an item in either; restarting leads back from everywhere
	},
	{
		"submissions", SubmissionTransitions,
		[]string{SubmissionPending, SubmissionProcessing, SubmissionPublished, SubmissionRejected},
		[]string{SubmissionPending},
		[]string{SubmissionPublished, SubmissionRejected},
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
				t.Errorf("%s: nobody moves %s to %s", machine.name, move.From, move.To)
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
	allowed := map[string][]string{ // written out once more, as the contract tells it
		"items": {
			"scheduled open", "scheduled closed", "open sold", "open unsold", "open closed", "unsold open", "closed open", "sold open",
		},
		"submissions": {
			"pending processing", "processing processing", "processing pending", "processing published", "processing rejected", "pending rejected",
		},
	}
	for _, machine := range machines {
		for _, from := range append(slices.Clone(machine.states), "", "unknown") {
			for _, to := range append(slices.Clone(machine.states), "", "unknown") {
				err := allow(machine.table, from, to)
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
