// Package bridge serves the deprecated interface under /rest on a seller's own machine, and makes the requests of /v1 over
// HTTP. So a program that cannot be changed goes on working after the sunset: it gets another base address.
//
// Package legacy serves the calls, by the tables of package translate. It asks an API for what it needs of /v1, and this
// package has the API for a service that is reached over HTTP. It never calls the service's own /rest.
//
//   - bridge.go puts both together and does what every request needs: an id, a log line, recovery from panics. serve.go
//     listens and ends, and names.go spells the names of headers.
//   - api.go is the API. client.go sends its requests, answer.go reads the answers, patience.go waits when the service asks
//     for that, and trouble.go words why there was no answer.
//   - lists.go has the lists of items and of sales. window.go reads parts of them by position, which /v1 does not have: it
//     remembers cursors (marks.go) and asks what has changed since. memory.go bounds what is remembered of all lists, and
//     lru.go of which keys the account is known.
//   - keys.go reads the file of old keys, session.go seals sessions, state.go keeps the secret that seals them.
//   - What /v1 does not know: repeat.go lets an equal create list again after a day, secure.go sends addresses as https, and
//     numbers.go makes small numbers for notification settings.
//   - record.go notes what a call did.
//
// Package command has the command line. Two programs run it: sellerd bridge, and sellerd-bridge, which has no database.
package bridge
