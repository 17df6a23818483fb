// Package outagetest takes the database away from running servers, in the ways in which databases go away, and looks from
// outside at what callers get meanwhile and afterwards: a server that stands still without closing a connection
// (frozen_test.go), a standby that takes over (failover_test.go), and a pooler in between (pooler_test.go).
//
// By default the tests are small and judge only what is promised. With -long they run under load for longer, as `make
// soak` and `make figures` do.
package outagetest
