// Package migrations brings a database to the program's schema. The files of each kind of database are in a folder of their own; the
// documentation of package store says how they are made, and what they must not do.
package migrations
