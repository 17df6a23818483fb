// Package v1 is the seller API: its rules, its operations and everything that works behind them.
//
// The life of an item, in ten sentences. A seller submits an item (SubmitItem, SubmitBatch); what can be checked at
// once is checked at once, and the seller gets a submission in return. The publisher takes the submission, fetches its
// images and turns it into an item, or rejects it with the reason; either way the submission is final within fifteen
// minutes. An item with a later start waits as scheduled, any other is open at once. The closer opens it at its start
// and, at its end, renews it, or closes its books as sold or unsold. Until somebody bids or buys, the seller may change
// it (UpdateItem) or close it (CloseItem); an unsold or closed item can be put on sale again (RestartItem). Bids and
// purchases come from the marketplace, never from sellers; each purchase is a sale, and a buyer's sales gather on a
// bill. Every one of these steps is a single transaction, which also holds the answer to a repeated request, the
// counters of the store's limits, and the event that tells the seller's systems. The events leave through the
// webhooks a seller subscribed to. Every read belongs to one account in one mode, test or live, and nothing of one
// is ever visible to another. Nothing else happens to an item.
//
// Where things are: operations.go is the table of endpoints, http.go carries a request to its operation and the result
// back, service.go holds what the operations share, and each resource has its file. A change runs inside change.go's
// transaction; keys.go, limits.go, idempotency.go and events.go are the rules every operation passes. What buyers do
// comes in through marketplace.go, from the operator (operator.go) or from somebody with a test key (sandbox.go).
package v1
