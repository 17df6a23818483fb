// Package serve has the command that runs the server, and the one that asks whether it is ready.
//
//   - serve.go has the flags; start.go is the start: check what is given, open what is needed, assemble the server, run it.
//   - tls.go is about a server that speaks TLS itself.
//   - db_read.go is about reading from a standby, operator_token.go about the token of the operator API.
//   - metrics.go has metrics of the database; health.go asks a running server.
package serve
