// Package outagetest makes the database of running servers fail in different ways, and checks from outside which answers callers get during
// and after the failure: a server that hangs without closing a connection (frozen_test.go), a standby that takes over (failover_test.go),
// and a pooler in between (pooler_test.go). standby_test.go does all of this, and more, with the primary and the synchronous standby of
// docs/deploy/standby. patroni_linux_test.go takes the primary away from the three machines of docs/deploy/patroni, and pointintime_test.go
// restores a machine to a second by the commands of the page about backups.
//
// upgrade_test.go replaces servers of an earlier release under the same load.
//
// By default the tests are small and check only the promises. With -long they run under load for longer, as `make soak` and
// `make figures` do.
package outagetest
