// Package accounts is the room of accounts: what a seller sees of the own account and its limits (account.go), the lists that all
// sellers share (reference.go), and what the operator does: accounts, keys, settings and shipping models (the files operator_*.go).
// Read operations.go for the endpoints.
package accounts
