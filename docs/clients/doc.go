// Package clients holds no Go code, only the clients that sellers copy (docs/clients.md says how they are used), and tests of them. The tests let
// them, and the Go client of v1/client, ask a server that answers as a script says.
package clients
