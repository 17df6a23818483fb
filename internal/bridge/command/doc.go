// Package command is the command line of the bridge: its flags, their errors, and the output at a terminal. Package
// internal/command/seller has the command.
package command
