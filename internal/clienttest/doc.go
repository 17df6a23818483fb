// Package clienttest has only tests, which generate clients from the OpenAPI document of the program, and let each put an
// item on sale in the running program.
//
// The folders typescript and go each hold one such client, to be read and copied: its generator with pinned versions, and a
// short program that uses it.
package clienttest
