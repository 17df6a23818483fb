// Package copying copies all rows of one database to another, between SQLite and PostgreSQL in both directions, or between
// two of a kind.
//
// The source is read in one transaction that sees it as it was at one moment. Its rows are copied in steps, table by table in
// the order of their primary keys (copy.go, resume.go, finish.go). Each step is one transaction of the target. It also stores the mark of the
// table: the last key that was copied, the number of rows and their digest (marks.go). So after any end, even by kill -9,
// another run goes on behind the marks. Before that it reads the copied rows of the source again and compares digests: if
// one of those rows has changed meanwhile, the rows of two moments would be mixed, and it refuses. If none has, the whole
// is what the source is now.
//
// At the end every table of the target is read and compared with the source by count and digest (compare.go). The digest of
// a table (digest.go) is the same for the same rows on both kinds of database, in any order.
//
// Which tables and columns there are, what refers to what, and which columns the database numbers itself is read from the
// catalogues (catalogue.go, sqlite.go, postgres.go). No list has to follow the schema. Both databases must have the
// program's schema, and their catalogues must agree.
package copying
