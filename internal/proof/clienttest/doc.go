// Package clienttest has only tests. Some generate clients from the OpenAPI document of the program, and let each sell an item with the
// running program. The others run the programs that the pages of the clients show, such as docs/seller/clients-php.md.
//
// The folders typescript, heyapi, go and python each hold a generated client, to be read and copied: its generator with pinned versions,
// and a short program that uses it to list an item, sell it in the sandbox and ship it. All options of the generators have their defaults.
// The client in python is tested by make npm.
package clienttest
