// Package delivery is the engine behind webhooks. It brings each event to each webhook that subscribes to it, at least
// once, and the events of one object in their order.
//
// # What it works on
//
// A change of the seller's data writes its events in its own transaction, and for each event and webhook a dispatch and a
// delivery. A dispatch is one event on its way to one webhook. It is pending, with an instant at which it is due, or
// leased, while an attempt is in flight; it is deleted when its event has arrived or is given up. A delivery is one
// attempt, and stays as the seller's log: scheduled, sending, and then succeeded, failed, interrupted or cancelled
// (Transitions). All of it is in the database. What an engine has in memory can be lost at any moment.
//
// # Claim, send, settle
//
// Claim finds the webhooks that have something due, locks a few of them, and leases the dispatches that may start now:
// what there are free slots for, and of one resource one event at a time. A lease is a random token and a time. The
// delivery is on record as sending before anything leaves.
//
// Send makes the request, signed with every live secret of the webhook, and notes the answer. It touches no database.
//
// Settle stores outcomes in groups, under locks on their webhooks. A success ends the dispatch and lets the next event of
// its resource go. A failure makes it due again by the schedule, as another delivery, or gives it up after the last
// attempt.
//
// Run does the three side by side until its context ends. Once does each of them one time, which is what tests call.
//
// # Fencing
//
// An outcome is stored only while the dispatch still has the token under which it was claimed. A worker that stood still
// for so long that another one took over finds its outcome dropped; before it sends, it looks whether that may have
// happened. A lease that ran out is ended by any engine: the attempt is interrupted, because it is not known whether it
// arrived, and another one follows. So an event may arrive twice, but is never lost: it is given up only after its
// schedule, when it is too old, or when its webhook is deleted, and then the log says so.
//
// Everything that changes webhooks and dispatches locks the webhooks first, in the order of their ids. So any number of
// engines, in any number of processes, may work on one database.
//
// # Health
//
// A webhook's health is in its row: failures in a row, since when, and until when it rests. Five failures open its breaker,
// which then lets one attempt through after a rest that doubles. A receiver that is overloaded may ask for a rest itself.
// A webhook is disabled when it answers 410, or when nothing has succeeded for five days; what waits for it stays.
//
// # Backlog
//
// Pausing, resuming, disabling or deleting a webhook may concern a million dispatches. Each is done lazily, or a chunk at a
// time.
//
// The engine is made of a Config and knows nothing else of the service. Where something has to happen in a transaction of
// the service, it is lent the transaction's client (CancelOrphans, giveUpOld, Resume).
package delivery
