// Package pgtest gives tests a real PostgreSQL: a database of their own in a temporary cluster that leaves nothing behind.
//
//	func TestSomething(t *testing.T) {
//		url := pgtest.URL(t, migrate) // a fresh copy of the database that migrate prepared
//
// The first call in a process starts a cluster: initdb into a temporary folder, a server on a free port of 127.0.0.1,
// settings that trade durability for speed. PostgreSQL refuses to run as root, so for root it runs as the user postgres,
// or nobody. A shell script owns the server and listens on a pipe from the test: when the test ends, or is killed, the
// pipe closes, and the script stops the server and removes the folder. So no TestMain is needed, and no interrupted test
// leaves a server running.
//
// Starting a cluster takes a second or two. For a whole test run, share one:
//
//	go run ./internal/proof/pgtest/cmd -- go test ./...
//
// It starts a cluster and gives its address to the tests in the variable SELLERD_TEST_POSTGRES. The variable may also name a server of your
// own: every database made here begins with pgtest_ and is dropped after its test, or by the next test run if that test was killed. Even
// then, tests that interrupt their server start their own cluster.
//
// Flags of that command choose another version, isolation level or connection; `make test` has variables for these. The tests get them in
// the environment variables listed in pgtest.go.
//
// If no PostgreSQL is installed, or if the variable is none, tests are skipped with a message. If SELLERD_REQUIRE_POSTGRES is 1, as in CI, they fail instead.
package pgtest
