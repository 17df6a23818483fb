// Package crashtest kills the server, again and again, while sellers list items, buyers buy and webhooks tell of it, and
// then asks over the API whether anything was lost or doubled. TestCrashPoints kills it at named points of the code
// instead of at random:
//
//	go test ./internal/crashtest                                  # 5 kills on each database
//	go test ./internal/crashtest -kills 200 -patient -timeout 2h  # at length
//
// The server is the program itself in a process of its own, ended by SIGKILL, so no line of it can tidy up. The clients
// and their journal of what was acknowledged live in the test's process and see only HTTP, and so does the receiver of
// the webhooks. What it promises is in TestKill9.
package crashtest
