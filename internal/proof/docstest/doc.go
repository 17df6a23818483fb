// Package docstest has only tests: one runs every command printed in README.md and docs/, others compare the tables of
// flags and metrics there with the program.
package docstest
