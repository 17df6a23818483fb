package v1

import "fmt"

// Transition is one move an object may make. A move of an item that is not in its table
// fails, whoever asks for it.
type Transition struct{ From, To, By string }

// The states of items.
const (
	ItemScheduled = "scheduled"
	ItemOpen      = "open"
	ItemSold      = "sold"
	ItemUnsold    = "unsold"
	ItemClosed    = "closed"
)

// ItemTransitions are the moves of items.
var ItemTransitions = []Transition{
	{ItemScheduled, ItemOpen, "starts_at passes"},
	{ItemScheduled, ItemClosed, "the seller closes it"},
	{ItemOpen, ItemSold, "the last piece is sold, or the auction ends with a bid that meets the reserve"},
	{ItemOpen, ItemUnsold, "ends_at passes without renewals left"},
	{ItemOpen, ItemClosed, "the seller closes it"},
	{ItemUnsold, ItemOpen, "the seller restarts it"},
	{ItemClosed, ItemOpen, "the seller restarts it"},
	{ItemSold, ItemOpen, "the seller restarts it after all its sales were cancelled"},
}

// The states of submissions.
const (
	SubmissionPending    = "pending"
	SubmissionProcessing = "processing"
	SubmissionPublished  = "published"
	SubmissionRejected   = "rejected"
)

// SubmissionTransitions are the moves of submissions. The publisher's conditional statements make them.
var SubmissionTransitions = []Transition{
	{SubmissionPending, SubmissionProcessing, "a publisher takes it"},
	{SubmissionProcessing, SubmissionProcessing, "its lease ran out and another publisher takes it"},
	{SubmissionProcessing, SubmissionPending, "an image may be reachable later"},
	{SubmissionProcessing, SubmissionPublished, "the item is made"},
	{SubmissionProcessing, SubmissionRejected, "no image can be used, or the store is full"},
	{SubmissionPending, SubmissionRejected, "publish_deadline passes"},
	{SubmissionProcessing, SubmissionRejected, "publish_deadline passes"},
}

// allow fails when a table has no such move.
func allow(table []Transition, from, to string) error {
	for _, t := range table {
		if t.From == from && t.To == to {
			return nil
		}
	}
	return fmt.Errorf("no transition from %s to %s", from, to)
}

// itemIsListed says whether an item in this state takes room in the store.
func itemIsListed(status string) bool { return status == ItemScheduled || status == ItemOpen }
