// Package blackbox lets tests run the program as a separate process and check it from outside: a server that can be killed, stopped and
// started again (server.go), clients that use only HTTP (client.go, seller.go), and a receiver of webhooks that stores and verifies
// deliveries (receiver.go, verify.go). figures.go records measurements.
//
// The tests are in internal/proof/crashtest, internal/proof/hooktest, internal/proof/outagetest and internal/proof/lineartest.
package blackbox
