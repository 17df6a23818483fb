// Package trade is the room of what happens between a seller and buyers: sales, bills, trackings, ratings and cancellations. Bids,
// purchases and payments come from the marketplace (marketplace.go), from the operator (operator.go) or from a seller with a
// test key who acts as the marketplace (sandbox.go). The closer opens items at their start, and renews or ends them at their end.
// Read operations.go for the endpoints, sell.go for how a purchase becomes a sale on a bill, and then the file of the subject.
package trade
