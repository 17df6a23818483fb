// Package command is the command line of the bridge: its flags, what is wrong with them, and what a person at a terminal
// sees. Two programs have it: sellerd as a command, and sellerd-bridge as all that it does.
package command
