// Package store opens the database: a SQLite file, for a service of one process, or PostgreSQL, for a service of several. It contains the
// differences between the two. Other packages see these only in a few statements written by hand. They ask ManyWriters, or have SkipLocked,
// AwaitLocked or Claim complete a statement.
//
// Other packages use two methods. Reader is an ent client for reading. Write runs a function in a transaction and returns
// when its work is durable:
//
//	err := db.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
//		return tx.Item.UpdateOneID(id).SetTitle(title).Exec(ctx)
//	})
//
// # Parts
//
//	connect     connections to PostgreSQL: their settings, poolers, servers that do not answer
//	migrations  the schema, and the lock under which one process changes it
//	writer      the turns of callers on SQLite's one writing connection
//	standby     reads that a standby of PostgreSQL answers
//	lending     what a transaction lends to a caller's work
//	fault       which errors pass
//	copying     copies of whole databases, which stands on this package
//
// # Writing to PostgreSQL
//
// Write is a plain transaction, which is run again when PostgreSQL asks for that. Row locks keep the necessary order: see SkipLocked and
// AwaitLocked.
//
// # Migrations
//
// The schema lives in ent/schema. The files in migrations build that schema, with one folder for each kind of database. Open applies the
// files that a database has not seen. After a change of the schema, run the ent generator and then this command:
//
//	go run ./internal/store/migratediff add_item_colour
//
// It writes the next file of each folder, and a test fails until that is done. Review the files. A release is rolled back by starting the
// old program, so a migration may only add what the old program can ignore (expand); columns that are no longer used are dropped a release
// later (contract).
//
// SQLite changes a column by copying its table. Unless foreign keys are off, dropping the old table then silently deletes every row that
// refers to it with ON DELETE CASCADE. Foreign keys cannot be switched off inside a transaction. So migratediff writes such a migration
// with goose's NO TRANSACTION, switches foreign keys off, begins its own transaction, and commits it only if no reference is broken. Keep
// that frame when you write one by hand, run migratediff without a name afterwards to renew the checksums in atlas.sum, and try it on a
// database with rows.
package store
