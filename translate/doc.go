// Package translate describes, as data, how the deprecated interface /rest maps onto /v1. Each legacy call is one Call, with everything
// that is known about the call. Each field of a call is one Row: it pairs the legacy field with a path in /v1's Go types, and names the
// Converter between the two. The words about a call, and its samples, are in calls.txt. Package legacy serves /rest with these tables. The
// packages below this one print them: guide for people, openapi for programs, paste for requests that are pasted into the translator, and
// command as curl commands. The tables import none of these readers.
//
// Compile checks every path against /v1's types and makes a Table. Its Plans translate in both directions, without a server
// or a database. Decode translates a legacy request to requests of /v1, with a note for each field that changes or is lost.
// AppendBody and AppendError translate results and errors to legacy XML.
//
// Paths in rows are written as the guide prints them: {id} is a part of /v1's path, ?status is a query parameter,
// @Accept-Language is a header, and any other path is a member of the body or of the result (price.amount).
package translate
