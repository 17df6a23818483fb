// Package wire converts between JSON and the values of /v1. Its types are what stands in requests and answers: Opt for a
// value that may be missing, Time, ID, Money and the ids with a prefix. One Plan per Go type serves three readers: Encode
// writes an answer, BindJSON reads a body strictly and gathers every problem with its path, and CheckRules enforces the
// rules in the tags. Input does the same for paths and queries.
//
// The package knows the codes that a value can break, and no rule of the marketplace.
package wire
