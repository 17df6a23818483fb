package store

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect"
)

// confirm writes a message to PostgreSQL's log that has no effect. Its commit waits for the synchronous standby, and so for
// everything that was committed before. Without a synchronous standby it writes nothing.
const confirm = `SELECT pg_logical_emit_message(true, 'sellerd', '') WHERE current_setting('synchronous_standby_names') <> ''`

// Confirm returns once everything that was read before is as durable as an acknowledged change. PostgreSQL keeps a change whose wait
// for the synchronous standby was broken off, and shows it at once, though a standby that is promoted may not have it. What is
// acknowledged because it was read must be confirmed. Elsewhere, and without such a standby, there is nothing to wait for.
func (db *DB) Confirm(ctx context.Context) error {
	if db.dialect != dialect.Postgres {
		return nil
	}
	if _, err := db.reader.ExecContext(ctx, confirm); err != nil {
		return fmt.Errorf("wait for the standby: %w", err)
	}
	return nil
}
