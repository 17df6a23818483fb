// Package deploy holds no code, only the files that deploy the program (README.md in this folder says how to use them), and the
// tests that are possible without the machines for which the files are meant.
package deploy
