// Package hostiletest attacks the program from outside and checks that it keeps working correctly.
//
// Callers send or read so slowly that a connection costs them almost nothing (slow_linux_test.go, with the callers in crowd_linux_test.go).
// Sellers name addresses of the operator's own network, where servers really answer (inside_linux_test.go).
//
//	go test ./internal/proof/hostiletest                    # a hundred connections of each kind
//	go test ./internal/proof/hostiletest -args -long        # thousands, and the addresses; make soak-hostile
package hostiletest
