package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sellerd/internal/store/sqlite3"
)

// This file makes sure that what was deleted is gone from the disk, as far as the program can.

// ErrStillInUse says that older versions of pages or rows are still needed by a reader, and so are still on the disk.
var ErrStillInUse = errors.New("store: others still read what was deleted")

// Erase removes what was deleted, or replaced, from places other than the tables. Call it after a deletion that is promised to somebody.
//
// On SQLite the old versions of pages are in the write-ahead log: Erase moves the log into the file and empties it. In the file
// itself deleted content is overwritten when it is deleted. A reader or a writer delays Erase, which tries again for a while and then
// returns ErrStillInUse.
//
// On PostgreSQL, Erase has the planner's statistics of the tables made anew, with everywhere, because they hold samples of values. Old
// versions of rows stay until VACUUM FULL writes the tables anew, and the server's log of changes, its standbys and its backups have
// copies of their own.
//
// SQLite leaves copies of rows in the unused space of pages when it moves them from one to another. With everywhere, Erase has the file
// written anew without them (VACUUM), unless it is so large that writers would wait too long. Then it returns ErrTooLarge.
func (db *DB) Erase(ctx context.Context, everywhere bool) error {
	if file, ok := db.engine.(*sqlite); ok {
		return Classify(file.erase(ctx, everywhere))
	}
	if !everywhere {
		return nil
	}
	// Who does not own the tables gets a warning.
	if _, err := db.reader.ExecContext(ctx, "ANALYZE buyers, bills, sales, events, deliveries, idempotency_keys"); err != nil {
		return fmt.Errorf("store: analyze tables: %w", Classify(err))
	}
	return nil
}

// ErrTooLarge says that a SQLite file may have copies of what was deleted in its unused space.
var ErrTooLarge = errors.New("store: the file is too large to be written anew beside a server: its unused space may have copies until VACUUM is run")

const (
	// mostVacuumed is the size of files, in bytes, that are written anew.
	mostVacuumed = 128 << 20
	// eraseLimit is how long Erase tries to empty the log.
	eraseLimit = 30 * time.Second
	// eraseTurn is how long one try may hold up writers.
	eraseTurn = 200 * time.Millisecond
	// erasePause is the time between two tries.
	erasePause = 500 * time.Millisecond
)

// erase empties the log. It uses a connection of its own, because the writer's is in a transaction most of the time.
func (s *sqlite) erase(ctx context.Context, everywhere bool) error {
	pool := openPool(fmt.Sprintf("%s?mode=rw&_busy_timeout=%d", s.name, eraseTurn.Milliseconds()), 1, nil)
	defer func() { _ = pool.Close() }() // it has no transaction
	var size int64
	if err := pool.QueryRow("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").Scan(&size); err != nil {
		return fmt.Errorf("store: find the size of the file: %w", err)
	}
	vacuum := everywhere && size <= mostVacuumed
	limit := time.NewTimer(eraseLimit)
	defer limit.Stop()
	again := time.NewTicker(erasePause)
	defer again.Stop()
	for {
		if vacuum {
			_, err := pool.Exec("VACUUM")
			if err != nil && !locked(err) {
				return fmt.Errorf("store: write the file anew: %w", err)
			}
			vacuum = err != nil
		}
		// Most of the log is moved without holding up anybody, so that the rest takes no time.
		if _, err := emptied(pool, "PASSIVE"); err != nil {
			return err
		}
		done, err := emptied(pool, "TRUNCATE")
		switch {
		case err != nil:
			return err
		case done && everywhere && size > mostVacuumed:
			return ErrTooLarge
		case done && !vacuum:
			return nil
		}
		select {
		case <-again.C:
		case <-limit.C:
			return ErrStillInUse
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// emptied makes a checkpoint, and says whether nobody was in its way.
func emptied(pool *sql.DB, mode string) (bool, error) {
	var busy, pages, moved int
	err := pool.QueryRow("PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &pages, &moved)
	if locked(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store: move the log into the database file: %w", err)
	}
	return busy == 0, nil
}

// locked says whether another connection is in the way.
func locked(err error) bool {
	code := sqlite3.CodeOf(err)
	return code == sqlite3.Busy || code == sqlite3.Locked
}
