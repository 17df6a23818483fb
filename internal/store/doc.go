// Package store opens the database and is the only place that knows there are two kinds of it: a SQLite file, for a
// service that is one process, and PostgreSQL, for a service that is several.
//
// Everybody else sees two things. Reader is an ent client for reading. Write runs a function in a transaction and
// returns when its work is durable:
//
//	err := db.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
//		return tx.Item.UpdateOneID(id).SetTitle(title).Exec(ctx)
//	})
//
// # Writing to SQLite
//
// SQLite has one writer at a time, and making a commit durable costs far more than the statements before it. So one
// goroutine owns the one writing connection. It lends its transaction to the callers who wait, one after the other, each
// behind a savepoint; what fails is rolled back to that savepoint and is nobody else's concern. When nobody waits any
// more it commits, and only then do the callers get their answers. A busy service pays for one commit where it would have
// paid for many, an idle one commits at once, and no timer is involved.
//
// # Writing to PostgreSQL
//
// The same call is a plain transaction, run again when PostgreSQL asks for it. Row locks order what must be ordered, see
// LockRows and AwaitRows.
//
// # Migrations
//
// The schema lives in ent/schema. The files in migrations lead to it, one folder for each kind of database; Open applies
// those that a database has not seen. After a change of the schema, and the ent generator:
//
//	go run ./internal/store/migratediff add_item_colour
//
// writes the next file of each folder, and a test fails until that is done. Review the files. A release is rolled back by
// starting the old program, so a migration may only add what the old program can ignore (expand); what nobody uses any
// more goes a release later (contract).
//
// SQLite changes a column by copying its table, and dropping the old one deletes, without any error, every row
// elsewhere that refers to it with ON DELETE CASCADE, unless foreign keys are off, which they cannot be made inside of a
// transaction. migratediff writes such a migration with goose's NO TRANSACTION, switches foreign keys off, begins a
// transaction of its own and lets it commit only if no reference is broken. Keep that frame when you write one by hand,
// run migratediff without a name afterwards to renew the checksums in atlas.sum, and try it on a database with rows.
package store
