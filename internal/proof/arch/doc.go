// Package arch has only tests, of the structure of the module: which package may import which, how large each may be, which
// files may read the machine's clock, what goes with /rest, that ent's generated code is up to date, and that comments cite only
// documents that exist.
package arch
