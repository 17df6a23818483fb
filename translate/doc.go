// Package translate says how the deprecated /rest interface maps onto /v1, as data. Each legacy call is one Call; each
// of its fields is one Row, which pairs the legacy field with a path into /v1's own Go types and names the Converter
// between the two. There is one definition and three readers: package legacy runs /rest by these tables, the
// migration guide prints them, and the tests walk them row by row.
//
// Compile checks every path against /v1's types and makes a Table. Its Plans translate in both directions without a
// server or a database: Decode turns a legacy request into the /v1 requests it stands for, with a note on everything
// that did not come through as it was; AppendBody and AppendError turn results and refusals back into legacy XML.
//
// Paths in rows are written as the guide prints them: {id} is a part of /v1's path, ?status a query parameter,
// @Accept-Language a header, and anything else a member of the body or of the result (price.amount).
package translate
