// Package blackbox lets tests run the program as a process of its own and look at it from outside: a server that can be
// killed, stopped and started again (server.go), clients that see only HTTP (client.go, seller.go), and a receiver of
// webhooks that keeps and verifies what arrives (receiver.go, verify.go). What a test measures it records (figures.go).
//
// The tests are in internal/crashtest, internal/hooktest, internal/outagetest and internal/lineartest.
package blackbox
