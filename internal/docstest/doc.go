// Package docstest holds no code, only the test that runs every command printed in README.md and docs/, and those that
// compare the tables of flags and metrics there with the program.
package docstest
