// Package delivery is the engine behind webhooks. It delivers each event at least once to each webhook that subscribes to it, and the
// events of one object in order.
//
// # Dispatches and deliveries
//
// A change of the seller's data writes its events in its own transaction, and for each event and webhook a dispatch and a delivery. A
// dispatch is one event on its way to one webhook. It is pending, with an instant at which it is due, or leased while an attempt is in
// flight. It is deleted when its event has arrived or is given up. A delivery is one attempt, and stays as the seller's log: scheduled,
// sending, and then succeeded, failed, interrupted or cancelled (Transitions). All of this is in the database. An engine can lose its
// memory at any moment without harm.
//
// # Claim, send, settle
//
// Claim finds the webhooks that have a due dispatch, locks a few of them, and leases the dispatches that may start now: as many as there
// are free slots, and one event at a time for each resource. A lease is a random token and a time. The delivery is on record as sending
// before the request is sent.
//
// Send makes the request, signed with every live secret of the webhook, and notes the answer. It does not use the database.
//
// Settle stores outcomes in groups, under locks on their webhooks. A success ends the dispatch and lets the next event of its resource go.
// After a failure the dispatch is due again by the schedule, as another delivery, or is given up after the last attempt.
//
// Run does the three in parallel until its context ends. Once does each step one time; tests call it.
//
// # Fencing
//
// An outcome is stored only while the dispatch still has the token under which it was claimed. If a worker stops for so long that another
// worker takes over, its outcome is dropped; before the worker sends, it checks whether that may have happened. Any engine can end a lease
// that ran out: the attempt counts as interrupted, because it may or may not have arrived, and another attempt follows. So an event may
// arrive twice, but is never lost: it is given up only after its schedule, when it is too old, or when its webhook is deleted, and then the
// log says so.
//
// Everything that changes webhooks and dispatches locks the webhooks first, in the order of their ids. So any number of
// engines, in any number of processes, may work on one database.
//
// # Health
//
// A webhook's health is in its row: its consecutive failures, when they began, and until when it rests. Five failures open its breaker,
// which then lets one attempt through after a rest that doubles. A receiver that is overloaded may ask for a rest itself. Attempts in flight
// end no rest when they succeed; one that began after it does, or one sent by hand. A webhook is
// disabled when it answers 410, or when no attempt has succeeded for five days; its waiting events stay.
//
// # Backlog
//
// Pausing, resuming, disabling or deleting a webhook may concern a million dispatches. Each is done lazily, or a chunk at a
// time.
//
// The engine is made from a Config and knows nothing else about the service. For work in a transaction of the service, it gets the
// transaction's client (CancelOrphans, giveUpOld, Resume).
package delivery
