// Package hooktest measures the webhooks of the built program: how soon an event arrives, how fast a backlog drains,
// what receivers that are down, hostile or picky do to the others, and what the rotation of secrets and keys breaks. It
// holds nothing but these tests:
//
//	go test ./internal/hooktest                                # small, a few seconds each
//	go test ./internal/hooktest -long -npm -timeout 30m -p 1   # the figures of docs/reliability.md
//
// The server is the program in a process of its own, the receivers are in the test's process, and everything is seen
// through HTTP. The whole schedule of retries takes three days, so it is tested under a fake clock, with the engine
// (package v1).
package hooktest
