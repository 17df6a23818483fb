package v1

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"sellerd/ent"
	"sellerd/internal/crash"
)

// How long events and their deliveries are kept, and what receivers answered (contract, section 6).
const (
	EventRetention    = 30 * 24 * time.Hour
	ResponseRetention = 7 * 24 * time.Hour
)

// clockTolerance is how far the clock may have moved against the process's uptime before nothing is deleted any more: a
// wrong clock must not cost anybody data.
const clockTolerance = 24 * time.Hour

// errClockMoved keeps everything until the clock is right or the process starts anew.
var errClockMoved = errors.New("the clock moved by more than a day while the process ran: nothing is deleted until it is set right or the process starts anew")

// trustClock fails when the clock moved while the process ran.
func (s *Service) trustClock() error {
	moved := s.now().Sub(s.started) - s.Uptime()
	if moved > clockTolerance || moved < -clockTolerance {
		return errClockMoved
	}
	return nil
}

// idBefore is an id that is larger than all that were made before an instant, as far as the clock was right.
func idBefore(t Time) int64 { return max(0, int64(t)/1000-idEpoch) << 22 }

// purges delete a chunk of what is older than an id. Ids rise with time, so the oldest rows are the first of each table. A
// dispatch that was held for so long is given up; one that is in flight is left to its worker.
var purges = []struct{ what, text string }{
	{"cancel what was held for too long", `UPDATE deliveries SET status = 'cancelled', final = true, next_attempt_at = NULL WHERE status = 'scheduled' AND id IN (
 SELECT delivery_id FROM dispatches WHERE id < $1 AND status <> 'leased' ORDER BY id LIMIT ` + strconv.Itoa(sweepChunk) + `)`},
	{"purge dispatches", `DELETE FROM dispatches WHERE id IN (SELECT id FROM dispatches WHERE id < $1 AND status <> 'leased' ORDER BY id LIMIT ` + strconv.Itoa(sweepChunk) + `)`},
	{"purge deliveries", `DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE id < $1 ORDER BY id LIMIT ` + strconv.Itoa(sweepChunk) + `)`},
	{"purge events", `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id < $1 ORDER BY id LIMIT ` + strconv.Itoa(sweepChunk) + `)`},
}

// PurgeOnce deletes a chunk of what is no longer kept of events and deliveries, and says how many rows it touched.
func (s *Service) PurgeOnce(ctx context.Context) (int, error) {
	if err := s.trustClock(); err != nil {
		return 0, err
	}
	now := s.now()
	touched := 0
	err := s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		touched = 0
		for _, purge := range purges {
			n, err := affect(ctx, tx, purge.text, idBefore(now.Add(-EventRetention)))
			if err != nil {
				return fmt.Errorf("%s: %w", purge.what, err)
			}
			touched += n
			crash.At(crash.MidPurge)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	crash.At(crash.AfterPurge)
	n, err := s.forgetResponses(ctx, idBefore(now.Add(-ResponseRetention)))
	return touched + n, err
}

// oldResponses looks at a chunk of old deliveries: where it ends, how long it is, and how many of them still have the
// response's body.
var oldResponses = `SELECT max(id), count(*), count(CASE WHEN response_body <> '' THEN 1 END)
 FROM (SELECT id, response_body FROM deliveries WHERE id >= $1 AND id < $2 ORDER BY id LIMIT ` + strconv.Itoa(sweepChunk) + `) AS chunk`

// forgetResponses empties what receivers answered long ago. How far it has come is kept in memory: after a start it
// reads once more over what is empty already, and writes nothing there.
func (s *Service) forgetResponses(ctx context.Context, old int64) (int, error) {
	from := s.responsesForgotten.Load()
	if from >= old {
		return 0, nil
	}
	var last *int64
	n, full := 0, 0
	err := queryRows(ctx, s.store.Reader(), oldResponses, []any{from, old}, func(rows *sql.Rows) error { return rows.Scan(&last, &n, &full) })
	if err != nil {
		return 0, fmt.Errorf("find old responses: %w", err)
	}
	if last == nil {
		s.responsesForgotten.Store(old)
		return 0, nil
	}
	if full > 0 {
		err = s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
			_, err := affect(ctx, tx, `UPDATE deliveries SET response_body = '' WHERE id >= $1 AND id <= $2 AND response_body <> ''`, from, *last)
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("forget responses: %w", err)
		}
	}
	s.responsesForgotten.Store(*last + 1)
	return n, nil
}

// affect runs a statement and says how many rows it touched.
func affect(ctx context.Context, tx *ent.Client, text string, args ...any) (int, error) {
	result, err := tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// Backlog is how the outbox stands, for the metrics.
type Backlog struct {
	Waiting   int           // dispatches that wait for a webhook that can take them, or are in flight
	Held      int           // those of paused and disabled webhooks
	OldestDue time.Duration // how long the oldest that could be sent has been due; 0 when none is
}

// WebhookBacklog looks at the outbox. Endpoints that rest do not count as due.
func (s *Service) WebhookBacklog(ctx context.Context) (Backlog, error) {
	var b Backlog
	now := s.now()
	err := queryRows(ctx, s.store.Reader(), `SELECT status, count(*) FROM dispatches GROUP BY status`, nil, func(rows *sql.Rows) error {
		var status string
		var n int
		if err := rows.Scan(&status, &n); err != nil {
			return err
		}
		if status == dispatchHeld {
			b.Held = n
		} else {
			b.Waiting += n
		}
		return nil
	})
	if err != nil {
		return b, fmt.Errorf("count dispatches: %w", err)
	}
	due, err := s.dueEndpoints(ctx, now)
	if err != nil {
		return b, err
	}
	for _, e := range due {
		if e.firstDue > 0 {
			b.OldestDue = max(b.OldestDue, now.Sub(Time(e.firstDue)))
		}
	}
	return b, nil
}
