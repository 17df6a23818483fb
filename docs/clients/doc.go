// Package clients holds no Go code, only the clients that sellers copy (docs/seller/clients.md says how to use them), and their tests. In
// the tests they, and the Go client of v1/client, call a server that answers from a script.
package clients
