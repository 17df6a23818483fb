// Package ent is the model: schema/ is written by hand, everything else in this folder is generated from it by entc.go.
//
// Run `make generate` after a change under schema/; `make check` fails when the generated code is stale.
package ent

//go:generate go run -mod=mod entc.go
