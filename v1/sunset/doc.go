// Package sunset is the room of what only the deprecated interface /rest needs, and what is removed when /rest ends. room.go hands the core
// its worker, its hooks and its keys; operations.go has its endpoints. These are its parts:
//
//   - Positions are counters of the rows of a list in each period of time. Moves updates them in the transaction of the change that moves
//     the rows.
//   - Windows are parts of lists by position. readWindow finds the first row by the counters. windows.go says which lists have them.
//   - Usage counts the calls of /rest, so that sellers see which calls they still have to move, and operators see which sellers still call.
//   - Keys of the old interface are imported by operators, and found by an id that is made of their hash. Tokens are sessions that such a
//     key, or one of /v1, has opened.
//   - Settings are webhooks of /rest, which have small numbers.
//   - Drills are periods in which /rest answers as after its end. Running says which drills are running, at almost no cost.
//
// Names of columns come from ent's constants.
package sunset
