// Package command is the command line of the bridge: its flags, their errors, and the output at a terminal. Two programs use it: sellerd as
// one of its commands, and sellerd-bridge as its only purpose.
package command
