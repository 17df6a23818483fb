// Package v1 is the seller API: its rules, its operations and its workers.
//
// This is the life of an item. A seller submits an item (SubmitItem, SubmitBatch). The service checks everything that it can
// check at once, and returns a submission. The publisher takes the submission, fetches its images and turns it into an item,
// or rejects it with the reason. Either way the submission is final within fifteen minutes. An item with a later start is
// scheduled until then; any other item is open at once. The closer opens it at its start and, at its end, renews it or ends
// it as sold or unsold. Until there is a bid or a purchase, the seller may change it (UpdateItem) or close it (CloseItem); an
// unsold or closed item can be put on sale again (RestartItem). Bids and purchases come from the marketplace, never from
// sellers; each purchase is a sale, and a buyer's sales gather on a bill. Each of these steps is a single transaction, which
// also holds the answer for a repeated request, the counters of the store's limits, and the event for the seller's systems.
// Events are delivered to the webhooks of the seller. All data belong to one account in one mode, test or live, and are never
// visible to another account or mode.
//
// Where things are: service.go puts the rooms together, operations.go is the table of endpoints, and rooms.go and names.go have the names
// that other packages use. Each room is a package that has the rules of a subject, and its endpoints in its operations.go: items has
// items and submissions, trade sales, bills, trackings and ratings, hooks events and webhooks, accounts what a seller sees of the own
// account and what the operator does, privacy forgets buyers, and one room, registered in rest.go, has what only /rest needs. All rooms
// stand on core, which has the one way of a request and of a change; its package comment tells both. A room may use those below it:
// privacy, hooks and accounts use trade or items, trade uses items, and items uses core. probe is what tests look at.
//
// The packages below the rooms contain none of the rules: refusal has the error codes, wire the values and JSON, rows the
// statements about many rows, outbound the calls to sellers' addresses, reference the data that all sellers share, numbering
// the ids, queue the rows that wait for a worker, lease the leases of workers, intake the statements that store new
// submissions, itemset the items of a call with many changes, shipping the shipping models and trackings, feed the waiting
// for events, and delivery the engine behind webhooks. apikey has the text of keys, keycheck their rows, permission what they
// permit, secret the service's secret, ratelimit the limits of requests, etag the entity tags, markup the HTML of
// descriptions, sandbox the removal of test data, and overview what operators see of accounts. openapi prints the table of
// operations, and client calls the API; nothing here uses them.
package v1
