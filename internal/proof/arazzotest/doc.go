// Package arazzotest has only tests. They run sequences of requests from the documents (the first requests of README.md, the script
// docs/examples/first-sale.sh, and the commands of the migration guide) against the built program. They record the requests and answers, and
// describe each sequence as a workflow of an Arazzo 1.0 document beside the script. With the tag npm, Redocly runs these workflows against the
// program.
//
// The document is kept as a file, so that a change of a sequence shows as a change of the file.
package arazzotest
