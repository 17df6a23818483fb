// Package clienttest holds no code, only the tests that generate clients from the OpenAPI document that the program
// serves, and let them put an item on sale in the running program.
//
// The folders typescript and go each hold one such client, to be read and copied: what generates it with its pinned
// versions, and a short program that uses it.
package clienttest
