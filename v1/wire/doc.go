// Package wire converts between JSON and the values of /v1. Its types are the values in requests and answers: Opt for a
// value that may be missing, Time, ID, Money and the ids with a prefix. One Plan per Go type serves three readers: Encode
// writes an answer, BindJSON reads a body strictly and collects every problem with its path, and CheckRules enforces the
// rules in the tags. Input does the same for paths and queries.
//
// The package uses the error codes of single values, and has no rules of the marketplace.
package wire
