// Package lineartest checks that several processes on one database answer like a single process that does one request at a time. That is
// linearizability: each request takes effect at one instant between its sending and its answer.
//
// Clients send requests about one object to all processes at the same time, and note when each request was sent and
// answered, and what the answer was. These notes are a history. Meanwhile the test kills processes, freezes them and starts
// them again (faults_test.go). A model says what one process without faults would answer. The library porcupine looks for an
// order of the requests that fits the times and the model. If there is none, the test fails and writes the history to a
// page that can be opened in a browser (history_test.go).
//
// A request whose connection broke, or whose answer was 503, may or may not have taken effect, at once or later. The history records it
// without an end, so both cases fit.
//
// Each kind of history has a file with its requests and its model: the life of an item (life_test.go), a quantity (quantity_test.go),
// idempotency keys (keys_test.go), the counters of a store (counters_test.go), If-Match (ifmatch_test.go), the feed of events
// (feed_test.go), and the outcome of a submission, for which a frozen worker may try to store another outcome (outcome_test.go).
//
// A check that cannot fail proves nothing. So mutants_test.go builds the program without one of its protections, and expects the same check
// to find a history without an order:
//
//	go test ./internal/proof/lineartest                                        # some hundred histories, a few seconds
//	go test ./internal/proof/lineartest -args -histories 10000 -mutants        # at length
package lineartest
