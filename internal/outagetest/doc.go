// Package outagetest takes the database away from running servers in different ways, and checks from outside what callers
// get meanwhile and afterwards: a server that hangs without closing a connection (frozen_test.go), a standby that takes
// over (failover_test.go), and a pooler in between (pooler_test.go). standby_test.go does all of it, and more, with the primary and
// the synchronous standby of docs/deploy/standby.
//
// By default the tests are small and check only the promises. With -long they run under load for longer, as `make soak` and
// `make figures` do.
package outagetest
