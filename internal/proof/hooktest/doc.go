// Package hooktest measures the webhooks of the built program: how soon an event arrives, how fast a backlog drains, how
// receivers that are down, hostile or strict affect the others, and whether the rotation of secrets and keys breaks
// anything. It has only these tests:
//
//	go test ./internal/proof/hooktest                                # small, a few seconds each
//	go test ./internal/proof/hooktest -long -npm -timeout 30m -p 1   # the figures of docs/operator/reliability.md
//
// The server is the program in a separate process, the receivers are in the test's process, and all checks use HTTP. The whole schedule of
// retries takes three days, so it is tested with a fake clock, with the engine in v1.
package hooktest
