package sunset

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"sellerd/ent"
	"sellerd/ent/legacyusage"
	"sellerd/ent/legacyuse"
	"sellerd/ent/successorusage"
	"sellerd/v1/rows"
)

// This file deletes what is no longer shown.

// purgeChunk bounds the transaction of one purge, in rows.
const purgeChunk = 1000

// purge deletes the rows of a table whose column is below a number. Ids rise with the days, so the oldest rows are the first. It is by
// hand, because a builder's DELETE has no LIMIT.
type purge struct {
	table, column string
	below         int64
}

// due says whether there is a row to delete.
func (p purge) due(ctx context.Context, client *ent.Client) (due bool, err error) {
	oldest := `SELECT id FROM ` + p.table + ` WHERE ` + p.column + ` < $1 AND id = (SELECT min(id) FROM ` + p.table + `)`
	err = rows.Query(ctx, client, oldest, []any{p.below}, func(*sql.Rows) error { due = true; return nil })
	return due, err
}

// chunk deletes the first rows, and returns their number.
func (p purge) chunk(ctx context.Context, tx *ent.Client) (int, error) {
	first := `(SELECT id FROM ` + p.table + ` ORDER BY id LIMIT ` + strconv.Itoa(purgeChunk) + `)`
	return rows.Affect(ctx, tx, `DELETE FROM `+p.table+` WHERE `+p.column+` < $1 AND id IN `+first, p.below)
}

// Purge deletes a chunk of what is no longer shown, and returns the number of rows.
func (u *Usage) Purge(ctx context.Context) (int, error) {
	if err := u.trustClock(); err != nil {
		return 0, err
	}
	purges := []purge{
		{legacyusage.Table, legacyusage.FieldDay, u.oldestDay()}, {successorusage.Table, successorusage.FieldDay, u.oldestDay()},
	}
	if now := u.now(); now >= UsesEnd {
		purges = append(purges, purge{legacyuse.Table, legacyuse.FieldFirstUsedAt, int64(now)})
	}
	purged := 0
	for _, p := range purges {
		n := 0
		due, err := p.due(ctx, u.config.Store.Reader())
		if due {
			err = u.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
				n, err = p.chunk(ctx, tx)
				return err
			})
		}
		if err != nil {
			return 0, fmt.Errorf("purge %s: %w", p.table, err)
		}
		purged += n
	}
	return purged, nil
}

// oldestDay is the oldest day that is kept.
func (u *Usage) oldestDay() int64 { return dayOf(u.now()) - LegacyUsageDays }
