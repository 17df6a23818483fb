// Package fuzzhttp sends generated requests to the service, and checks every answer. The requests come from the program's own OpenAPI
// documents: valid ones from the schemas and examples, invalid ones by changing a part of a valid one.
//
// Requests come in sequences. Each sequence has two sellers of its own, and uses earlier answers: the document's links, Location, ids,
// cursors and entity tags (pool_test.go). The workers run in between. So a sequence creates an item, reads, changes, sells and rates it,
// and uses a webhook after its deletion. A quarter of the requests are calls of /rest, from its own document.
//
// The same requests go to two services side by side, one on SQLite and one on PostgreSQL. Their answers must be the same, apart from
// ids. The checks have the names that Schemathesis gives them (checks_test.go).
//
// A seed determines each sequence. When a check fails, the test removes steps as long as the same check fails, and prints the remaining
// requests and the seed (shrink_test.go). faults_test.go shows that each check finds a fault: it changes the answers of one service on
// their way to the fuzzer.
//
// With keys that may not read buyers, personal_test.go looks for the data of buyers in every answer, and in what webhooks are sent.
//
//	go test ./internal/proof/fuzzhttp                                        # some thousand requests, a few seconds
//	go test ./internal/proof/fuzzhttp -args -requests 1000000 -seed 7        # at length
package fuzzhttp
