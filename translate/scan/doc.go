// Package scan finds the calls of /rest that a seller's programs make, without running the programs. It reads source in
// twelve languages, settings, and records of requests, and compares the paths in them with the tables of package translate.
//
// A scan goes over the files twice. First it reads all files, and remembers the constants, the settings, and the functions that send requests.
// Then it evaluates each expression that can be a path: literals are joined, names are replaced by their values, and values that are known only
// at run time become holes. A path that is in the tables becomes a Finding. Its method follows from the code around it, and its confidence from
// how much of the address is known.
//
//   - scan.go has the options and the report; walk.go visits folders and read.go reads files.
//   - language.go, lex*.go, groups.go, tree.go and functions.go turn source into statements; shell.go does so for shells, and powershell*.go for PowerShell.
//   - assign.go, names.go and world.go remember values; eval*.go evaluate the expressions that hints.go selects.
//   - variadic.go reads functions that take the parts of a path; project.go, otherservice.go, clients.go and tests.go exclude other programs,
//     other services, and tests.
//   - match.go and match_path.go compare paths with the tables; method*.go and context.go read the code around a path; sender.go
//     and sender_call.go find functions that send requests; source.go, decide.go and plans.go put these together for a file.
//   - settings*.go read settings, records.go reads what package capture finds in records.
//   - text.go and sarif.go print a report.
//
// The only text of a report that comes from a seller is the name of a file: paths come from the tables, and commands from the guide. So a report
// contains no key, whatever the files contain.
package scan
