// Package sunset holds the parts of the service that only the deprecated interface /rest needs, and that are removed when /rest ends. It
// has six
// independent parts:
//
//   - Positions are counters of the rows of a list in each period of time. Moves updates them in the transaction of the change that moves
//
// the
//
//	  rows.
//	- Windows are parts of lists by position. ReadWindow finds the first row by the counters.
//	- Usage counts the calls of /rest, so that sellers see which calls they still have to move, and operators see which sellers still call.
//	- Keys of the old interface are imported by operators, and found by an id that is made of their hash. Tokens are
//	  sessions that such a key, or one of /v1, has opened.
//	- Settings are webhooks of /rest, which have small numbers.
//	- Drills are periods in which /rest answers as after its end. Running says which drills are running, at almost no cost.
//
// The package contains none of the rules: package v1 decides which rows are in which list, and what a key may do. Names of columns come
// from
// ent's constants.
package sunset
