// Package legacy serves the deprecated interface under /rest until its sunset. It has no data path of its own: each call is a row of
// package translate's tables, and runs the operations of package v1 that the row names. This package does the work that a row cannot
// express: sessions and their tokens, forms in all their spellings, the XML around answers, the headers with the date of the end, and the
// switch-off itself.
//
// The interface API holds what the calls need of /v1. The service in this program is its first implementation (ServiceAPI). Nothing else
// here depends on a service, so a program without one can answer the same calls.
//
// A request takes these steps (serve.go):
//
//   - find finds its call (legacy.go), setHeaders sets the headers that every answer has, and retired checks the switch-off.
//   - readFields reads the fields (input.go), and admit authenticates the caller and charges the request (credentials.go).
//   - Decode, of package translate, makes a request of /v1 from the fields.
//   - direct runs the operation. A call that is not a single operation has a runner of its own (composed.go, local.go).
//   - AppendBody, of package translate, writes the result as XML.
//
// After the sunset this folder is deleted together with the lines of internal/server that mount it.
package legacy
