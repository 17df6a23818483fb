package items

import (
	"fmt"

	"sellerd/v1/publishing"
)

// Transition is one allowed move of an object. A move that is not in its table fails. docs/seller/states.md shows the tables.
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
	{ItemScheduled, ItemOpen, "`starts_at` passes"},
	{ItemScheduled, ItemClosed, "the seller closes it"},
	{ItemOpen, ItemSold, "the last piece is sold, or the auction ends with a bid that meets the reserve"},
	{ItemOpen, ItemSold, "the seller takes back what is left of a partly sold item"},
	{ItemOpen, ItemUnsold, "`ends_at` passes without renewals left, or with bids below the reserve"},
	{ItemOpen, ItemClosed, "the seller closes it"},
	{ItemUnsold, ItemOpen, "the seller restarts it"},
	{ItemClosed, ItemOpen, "the seller restarts it"},
	{ItemSold, ItemOpen, "the last of its sales is cancelled"},
}

// The states of submissions.
const (
	SubmissionPending    = publishing.Pending
	SubmissionProcessing = publishing.Processing
	SubmissionPublished  = publishing.Published
	SubmissionRejected   = publishing.Rejected
)

// SubmissionTransitions are the moves of submissions. The publisher's conditional statements make them.
var SubmissionTransitions = []Transition{
	{SubmissionPending, SubmissionProcessing, "a publisher takes it"},
	{SubmissionProcessing, SubmissionProcessing, "its lease ran out and another publisher takes it"},
	{SubmissionProcessing, SubmissionPending, "an image may be reachable later"},
	{SubmissionProcessing, SubmissionPending, "its publisher releases it, or never learned of its claim"},
	{SubmissionProcessing, SubmissionPublished, "the item is made"},
	{SubmissionProcessing, SubmissionRejected, "no image can be used, or the store is full"},
	{SubmissionPending, SubmissionRejected, "`publish_deadline` passes"},
	{SubmissionProcessing, SubmissionRejected, "`publish_deadline` passes"},
}

// The states of sales.
const (
	SaleActive    = "active"
	SaleCancelled = "cancelled"
)

// SaleTransitions are the moves of sales.
var SaleTransitions = []Transition{
	{SaleActive, SaleCancelled, "the marketplace accepts its cancellation"},
}

// The states of a sale's cancellation.
const (
	CancellationNone      = "none"
	CancellationRequested = "requested"
	CancellationCancelled = "cancelled"
	CancellationRefused   = "refused"
)

// CancellationTransitions are the moves of a sale's cancellation.
var CancellationTransitions = []Transition{
	{CancellationNone, CancellationRequested, "the buyer or the seller asks for it"},
	{CancellationRefused, CancellationRequested, "the buyer or the seller asks again"},
	{CancellationRequested, CancellationCancelled, "the marketplace accepts it"},
	{CancellationRequested, CancellationRefused, "the marketplace refuses it"},
	{CancellationNone, CancellationCancelled, "the marketplace cancels without being asked"},
}

// The states of bills.
const (
	BillToInvoice       = "to_invoice"
	BillAwaitingPayment = "awaiting_payment"
	BillToSend          = "to_send"
	BillSent            = "sent"
	BillIsCancelled     = "cancelled"
)

// BillTransitions are the moves of bills.
var BillTransitions = []Transition{
	{BillToInvoice, BillAwaitingPayment, "the marketplace invoices it, with the cost of shipping"},
	{BillAwaitingPayment, BillToSend, "the buyer pays"},
	{BillToSend, BillSent, "the seller declares it sent"},
	{BillToInvoice, BillIsCancelled, "the last of its sales is cancelled"},
	{BillAwaitingPayment, BillIsCancelled, "the last of its sales is cancelled"},
	{BillToSend, BillIsCancelled, "the last of its sales is cancelled; the payment is refunded"},
}

// Allow fails when a table has no such move.
func Allow(table []Transition, from, to string) error {
	for _, t := range table {
		if t.From == from && t.To == to {
			return nil
		}
	}
	return fmt.Errorf("no transition from %s to %s", from, to)
}

// itemIsListed says whether an item in this state takes room in the store.
func itemIsListed(status string) bool { return status == ItemScheduled || status == ItemOpen }
