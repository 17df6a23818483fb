// Package command is what command lines have in common: a program that consists of commands, and what those commands share. It knows none
// of them, so programs of any commands can be made with it.
//
//   - program.go runs a command line. It reads what --help says of commands beyond their flags, of which each package of commands has a file,
//     help.txt. parser.go reads a command line and says what is wrong with it; wrong.go says what is wrong with a value, and why a server
//     does not answer.
//   - variables.go names variables that are no settings, and reads a file of variables; secret_files.go reads secrets from the files that
//     variables name.
//   - complete.go prints the scripts for shells, and answers them.
//   - progress.go shows how far a long command got; output.go prints results and logs.
//   - files.go stores files.
package command
