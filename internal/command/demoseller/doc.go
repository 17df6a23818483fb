// Package demoseller makes the seller of `sellerd serve --demo`, with items, sales and bills in every state, and prints how to begin.
//
//   - seller.go makes the account and its keys; story.go makes its data by the service's own operations.
//   - consent.go asks first where others may use the database; welcome.go prints the keys, the first requests and the pages.
package demoseller
