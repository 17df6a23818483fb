// Package limit is the yardstick of internal/bench: a server written by hand for the few requests that are measured, as fast
// as it can honestly be on each database. The service is compared with it, so what the service spends on validation, limits,
// metrics, log lines and generality shows as a ratio.
//
// Honest means that a seller would get what the service gives: bodies equal to the service's byte by byte, except for ids
// and times, and the same rows behind an answer, durable before it is sent. A test compares both. What the server leaves
// out are checks: it decodes a request and does not validate it, and it does not read a key again that it has seen once, so
// it would not notice a revocation.
//
// On SQLite reads carry no context into the driver, which would start a goroutine for each statement. Readers share a mapped
// file, have a cache of 16 MB each and no mutex. On PostgreSQL values come in binary form from pgx and go into the answer
// without a detour over database/sql. On both, statements are prepared once, JSON is appended by hand (item.go, sale.go),
// and submits that wait at the same time share one transaction (group.go).
package limit
