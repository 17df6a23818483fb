// Package items is the room of items. A seller submits an item; the room checks it, and keeps it as a submission until its images are
// fetched and it is an item. Sellers browse items, change them alone or many at once, close them and restart them. Read
// operations.go for the endpoints, states.go for what an item can become, and input.go for the rules of an item. Then read
// submissions.go for the way in, and patch.go and moves.go for changes. submit_together.go stores the submissions
// of many callers in one transaction; it changes no rule.
package items
