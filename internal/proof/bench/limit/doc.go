// Package limit is the yardstick of internal/proof/bench: a server written by hand for four requests (get an item, read a page, submit an
// item, submit a batch) and for publishing, as fast as an honest server can be on each database. The service is compared with it, so the
// cost of validation, limits, metrics, log lines and generality shows as a ratio.
//
// Honest means that a seller would get the same as from the service: bodies equal to the service's byte for byte, except for ids and
// times, and the same rows, durable before the answer is sent. A test compares both. The server leaves out checks: it decodes a request
// but does not validate it. It reads each key only once, so it would not notice a revocation.
//
// On SQLite reads carry no context into the driver, which would start a goroutine for each statement. Readers share a mapped file, have a
// cache of 16 MB each and no mutex. On PostgreSQL values come in binary form from pgx and go into the answer without database/sql. On
// both, statements are prepared once, JSON is appended column by column from one list (item.go), and submits that wait at the same time
// share one transaction (group.go).
//
// A handler that publishes does so in the same transactions, up to 500 items in one. It knows from memory what waits; another process would
// find it in the table of submissions. It binds bodies, divides texts into words and fetches pictures as the service does, by the same code.
// Its schema (betterSchema) answers the same filters with fewer indexes, and it does not count rows for the positions of /rest.
package limit
