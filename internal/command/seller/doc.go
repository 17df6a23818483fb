// Package seller has the commands of sellers and of those who write programs for them. They call the service over HTTP, as any client does,
// or only read files. None of them has a database, so a program of these commands alone is built without cgo.
//
//   - import.go lists the items of a file, and import_sample.go writes such a file.
//   - export.go writes items, sales and bills to a file, and categories.go finds the number of a category.
//   - listen.go forwards events to a developer's machine, and mcp.go gives an agent tools.
//   - paths.go is for Windows, whose shells leave more to programs.
//   - scan.go and translate.go find and translate calls of the old interface, and bridge.go serves it on the seller's own machine.
package seller
