// Package feed reads an owner's events in the order in which they became visible, and lets readers wait for the next ones.
//
// # The order
//
// Every change of an owner holds the owner's row until its commit is visible, and gives its events one instant, which is
// later than that of every earlier change of the owner. So the instants of an owner's events rise from commit to commit, in
// every process and whatever the clocks say. The events of one change have the same instant and rising ids. Together the
// instant and the id are the order of the feed. The id alone is none: ids are made of the clock and of the number of the
// process before the commit, so a later commit can have a smaller id.
//
// A reader that has an event has seen all that were committed before it. So a cursor, which is the place of the last event, skips
// nothing.
//
// # The cursor
//
// A cursor is the place of an event, or the end of the feed at the time of a reading. The second form also tells when it was
// read: an account without events for months does not make its reader's cursor too old.
//
// # Filters
//
// A page without filters is one statement. With filters, it walks at most WalkedRows events and answers those that match. Its
// cursor goes on where the walk ended, so no index of filters slows down the table that every change writes.
//
// # Waiting
//
// A reader that waits has no transaction and no database connection. Commits of its own process wake it at once (Notify).
// Where several processes share a database, one reader of each process asks for all others, with one cheap query a few
// times a second, which owners have changed.
package feed
