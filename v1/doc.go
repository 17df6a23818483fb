// Package v1 is the seller API: its rules, its operations and its workers.
//
// This is the life of an item. A seller submits an item (SubmitItem, SubmitBatch). The service checks everything that it can check at once, and
// returns a submission. The publisher takes the submission, fetches its images and turns it into an item, or rejects it with the reason. Either
// way the submission is final within fifteen minutes. An item with a later start is scheduled until then; any other item is open at once. The
// closer opens it at its start and, at its end, renews it or ends it as sold or unsold. Until there is a bid or a purchase, the seller may change
// it (UpdateItem) or close it (CloseItem); an unsold or closed item can be put on sale again (RestartItem). Bids and purchases come from the
// marketplace, never from sellers; each purchase is a sale, and a buyer's sales gather on a bill. Each of these steps is a single transaction,
// which also holds the answer for a repeated request, the counters of the store's limits, and the event for the seller's systems. Events are
// delivered to the webhooks of the seller. All data belong to one account in one mode, test or live, and are never visible to another account or
// mode.
//
// Where things are: the rules are in rooms, packages below this one. core has what all operations share: v1/core/http.go carries a request to
// its operation and the result back, and a change runs inside the transaction of v1/core/change.go. items has items and submissions, trade what
// happens with buyers, hooks events and webhooks, accounts accounts and their settings, privacy what forgets a buyer, and sunset what only /rest
// needs. Each room lists its endpoints in its operations.go, and operations.go of this package joins these lists. service.go makes the rooms.
//
// The other packages below contain none of the rules: refusal has the error codes, wire the values and JSON, rows the statements about many
// rows, outbound the calls to sellers' addresses, reference the data that all sellers share, numbering the ids, queue the rows that wait for a
// worker, lease the leases of workers, intake the statements that store new submissions, shipping the shipping models and trackings, and delivery
// the engine behind webhooks. apikey has the text of keys, secret the service's secret, ratelimit the limits of requests, etag the entity tags,
// and overview what operators see of accounts. openapi prints the table of operations; nothing here uses it.
package v1
