// Package clienttest has only tests. Some generate clients from the OpenAPI document of the program, and let each put an item on sale in the
// running program. The others run the programs that docs/clients.md shows for the clients that sellers copy.
//
// The folders typescript, heyapi and go each hold a generated client, to be read and copied: its generator with pinned versions, and a short
// program that uses it. The client in heyapi is generated without options.
package clienttest
