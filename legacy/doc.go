// Package legacy serves the deprecated interface under /rest until its sunset. It has no data path of its own: each call
// is a row of package translate's tables, and runs the operations of package v1 that the row names. What is here is what a
// row cannot say: sessions and their tokens, forms in all their spellings, XML around the answers, the headers that
// announce the end, and the end itself.
//
// What the calls need of /v1 is the interface API. The service in this program is its first implementation (ServiceAPI), and
// nothing else here knows of a service, so the same calls can be answered where there is none.
//
// A request goes find (which call?) → its headers → the switch-off → readFields → admit (who asks, and is there budget?)
// → Decode → the operation, or a runner for calls that are several → XML.
//
// After the sunset this folder is deleted together with the lines of internal/server that mount it.
package legacy
