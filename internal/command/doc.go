// Package command is what command lines have in common: a program that consists of commands, and what those commands share. It knows none
// of them, so programs of any commands can be made with it.
//
//   - program.go runs a command line; parser.go reads it and says what is wrong with it; wrong.go says what is wrong with a value.
//   - details.go is what --help says of a command beyond its flags; each package of commands has a table of them.
//   - variables.go names variables that are no settings; secret_files.go reads secrets from the files that variables name,
//     env_file.go a file of variables.
//   - completion.go prints the scripts for shells, complete.go answers them.
//   - progress.go shows how far a long command got; output.go prints results and logs; network.go says why a server does
//     not answer.
//   - files.go stores files.
package command
