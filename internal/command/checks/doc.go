// Package checks has the command that sees whether a running service keeps what the releases promised.
package checks
