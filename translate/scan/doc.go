// Package scan finds the calls of /rest that a seller's programs make, without running the programs.
//
// The idea: find every line that may be a call, then rank. A seller who misses a line has a program that breaks on the day of the
// sunset; one who reads a line too many loses seconds. So the scan does not try to understand programs. It looks for texts that have
// a path of the tables of package translate, joins what is written in one expression, and says how much speaks for each.
//
// A scan goes over the files twice. The first pass (names.go) gathers names that have addresses or paths, and the programs that know
// the service. The second finds candidates, and keeps nothing of a file but its findings:
//
//   - walk.go lists files, reads them one after another, and bounds their number in memory. words.go knows their kinds.
//   - file.go reads a file as tokens of package source: what joins, leads to a member or compares is one sign each in all languages.
//   - value.go joins the operands of an expression. What only the running program knows becomes a hole.
//   - paths.go compares a text with the tables: which routes it may be, and what stands before the path.
//   - lines.go makes the candidates of a file: expressions, arguments that are parts of a path, and constants where they are used.
//   - clues.go walks from a path outwards, once, and takes from each token what it says: the method, the fields, the host.
//   - evidence.go ranks. Left out is what is proven to be another thing: a route that is served, a sentence, a comment, a path of another
//     host. The rest is certain, likely or possible by what stands in the line (host, method, fields), in the file (the
//     service, a client with an address), and in the program around it.
//   - records.go compares what package capture reads of records: HAR, Postman, logs, recordings of the bridge.
//   - scan.go has the options and the report, text.go and sarif.go print it.
//
// What the scan knows of languages, clients and frameworks are words in words.txt, each with its reason. To teach it a client, add a
// word. Everything is bounded: the large files in memory, the operands of an expression, what is read around a path, the findings that
// are listed of a file, and the constants of all files. So the time of a scan grows with the size of its files, whatever is in them.
//
// The only text of a report that comes from a seller is the name of a file: paths come from the tables, and commands from the guide.
// So a report contains no key, whatever the files contain.
package scan
