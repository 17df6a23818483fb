// Package feed reads an owner's events in the order in which they became visible, and lets readers wait for the next ones.
//
// # The order
//
// Every change of an owner holds the owner's row until its commit is visible, and gives its events one instant, which is later than that of
// every earlier change of the owner. So the instants of an owner's events rise from commit to commit, in every process and whatever the
// clocks say. The events of one change have the same instant and rising ids. The order of the feed is by instant, then by id. The id alone
// is not enough: it is made from the clock and the number of the process before the commit, so a later commit can have a smaller id.
//
// A reader that has an event has seen all events that were committed before it. So a cursor, which is the place of the last event, skips
// nothing.
//
// # The cursor
//
// A cursor is the place of an event, or the end of the feed at the time of a reading. The second form also has the time of the reading, so
// a reader's cursor stays valid even if the account has no events for months.
//
// # Filters
//
// A page without filters is one statement. With filters, it walks at most WalkedRows events and returns those that match. Its cursor
// continues where the walk ended. So filters need no index, which would slow down the table that every change writes.
//
// # Waiting
//
// A waiting reader has no transaction and no database connection. Commits of its own process wake it at once (Notify). If several processes
// share a database, one reader of each process asks on behalf of all others which owners have changed, with one cheap query a few times a
// second.
package feed
