// Package serve has the command that runs the server, and the one that asks whether it is ready.
//
//   - serve.go has the flags, and the start: check what is given, open what is needed, assemble the server.
//   - db_read.go is about reading from a standby, operator_token.go about the token of the operator API, store_metrics.go about metrics of writes.
//   - health.go asks a running server.
package serve
