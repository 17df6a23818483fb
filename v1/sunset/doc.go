// Package sunset is what the deprecated interface /rest leaves behind in the service: what /v1 does without, and what goes
// when /rest ends. It has six parts, which know nothing of each other:
//
//   - Positions are counters that say how many rows of a list lie in which stretch of time. Moves moves them in the
//     transaction of the change that moves the rows.
//   - Windows are parts of lists by position. ReadWindow finds the first row by the counters.
//   - Usage counts the calls of /rest, so that sellers see what is left to move, and operators which sellers are left.
//   - Keys of the old interface are imported by operators, and found by an id that is made of their hash. Tokens are
//     sessions that such a key, or one of /v1, has opened.
//   - Settings are webhooks of /rest, which have small numbers.
//   - Drills are times in which /rest answers as after its end. Running says which are running, for next to nothing.
//
// The package knows none of the rules: package v1 says which rows are in which list, and what a key may do. Columns come
// from ent's constants.
package sunset
