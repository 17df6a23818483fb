// Package crashtest kills the server many times while sellers list items, buyers buy and webhooks deliver events, and then checks through
// the API that nothing was lost or done twice. TestCrashPoints kills it at named points of the code instead of at random.
// TestTheRepricingExampleSurvivesKills kills the server while a program from docs/examples changes items, and kills that program too:
//
//	go test ./internal/proof/crashtest                                  # 5 kills on each database
//	go test ./internal/proof/crashtest -kills 200 -patient -timeout 2h  # at length
//	go test ./internal/proof/crashtest -run Repricing -v -args -prices 10000
//
// The server is the program itself in a separate process, ended by SIGKILL, so none of its code can clean up. The clients, with their
// journal of acknowledged requests, and the receiver of the webhooks are in the test's process and use only HTTP. TestKill9 lists the
// promises.
package crashtest
