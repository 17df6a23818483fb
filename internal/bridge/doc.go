// Package bridge serves the deprecated interface under /rest on a seller's own machine, and makes the requests of /v1 over HTTP. So a
// program that cannot be changed keeps working after the sunset, with another base address.
//
// Package legacy serves the calls, with the tables of package translate. It calls /v1 through an interface, API. This package implements
// API for a service that is reached over HTTP. The bridge never calls the service's own /rest.
//
//   - bridge.go joins the two and adds what every request needs: an id, a log line, recovery from panics. serve.go starts and stops the server,
//     and spells the names of headers.
//   - api.go is the API. client.go sends its requests, answer.go reads the answers, patience.go waits when the service asks for that, and
//     trouble.go explains why there was no answer.
//   - lists.go has the lists of items and of sales. window.go reads parts of them by position, which /v1 does not have: it remembers cursors
//     (marks.go) and asks what has changed since. memory.go limits what is remembered about all lists.
//   - keys.go reads the file of old keys, session.go seals sessions, state.go keeps the secret that seals them.
//   - Three files do what /v1 does not: repeat.go allows an equal create again after a day, secure.go sends addresses as https, and numbers.go
//     makes small numbers for notification settings.
//   - record.go notes what a call did.
//
// Package command has the command line. Two programs run it: seller bridge, which has no database, and sellerd bridge.
package bridge
