// Package copying copies all rows of one database to another, between SQLite and PostgreSQL in both directions, or between
// two of a kind.
//
// The source is read in one transaction that sees it as it was at one moment. Its rows are copied in steps, table by table in the order of
// their primary keys (copy.go, resume.go, finish.go). Each step is one transaction of the target. It also stores the mark of the table: the
// last key that was copied, the number of rows and their digest (marks.go). So after any end, even by kill -9, another run continues after
// the marks. First it reads the copied rows of the source again and compares digests. If one of those rows has changed, the copy would mix
// rows of two moments, so the run stops with an error. If none has changed, the whole copy equals the current source.
//
// At the end every table of the target is read and compared with the source by count and digest (compare.go). The digest of
// a table (digest.go) is the same for the same rows on both kinds of database, in any order.
//
// The tables, the columns, their references, and the columns that the database numbers itself are read from the catalogues (catalogue.go,
// sqlite.go, postgres.go). So no list has to be kept in step with the schema. Both databases must have the program's schema, and their
// catalogues must agree.
package copying
