// Package deploy holds no code, only the files with which the program is put on machines (README.md here says how they
// are used), and the tests of what can be tried of them without those machines.
package deploy
