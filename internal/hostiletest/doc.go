// Package hostiletest attacks the program from outside and checks that it does what it should meanwhile.
//
// Callers send or read so slowly that each of their connections costs them nothing (slow_linux_test.go); crowd_linux_test.go has
// those callers. Sellers name addresses of the operator's own network, where something really answers (inside_linux_test.go).
//
//	go test ./internal/hostiletest                    # a hundred connections of each kind
//	go test ./internal/hostiletest -args -long        # thousands, and the addresses; make soak-hostile
package hostiletest
