//go:build !cgo

package wire

// A program without cgo has no SQLite, so it serves nothing: it is the bridge, which has operations and their types, and sends
// requests. The library that checks input calls methods by name. Because of that the linker would keep every method of every
// type, which is a third of that program.

// ChecksInput says whether the program has what checks the rules of tags.
const ChecksInput = false

func brokenRules(any, string) []brokenRule { panic(noRules) }

// IsCountry panics: see ChecksInput.
func IsCountry(string) bool { panic(noRules) }

const noRules = "wire: a program that was built without cgo checks no input"
