// Package arazzotest has only tests. They run walks that the documents print (the first requests of README.md, the script
// docs/examples/first-sale.sh, and the commands of the migration guide) against the built program, record what is sent and
// answered, and describe each walk as an Arazzo 1.0 document beside the script. With the tag npm, Redocly runs these
// documents against the program.
//
// The documents are kept as files, so that a change of a walk is read as a change of a file.
package arazzotest
