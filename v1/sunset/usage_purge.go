package sunset

import (
	"context"
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

// The purges are by hand, because a builder's DELETE has no LIMIT. Ids rise with the days, so the oldest rows are the first.
var (
	purgeUsage    = `DELETE FROM ` + legacyusage.Table + ` WHERE ` + legacyusage.FieldDay + ` < $1 AND ` + firstRows(legacyusage.Table)
	purgeRequests = `DELETE FROM ` + successorusage.Table + ` WHERE ` + successorusage.FieldDay + ` < $1 AND ` + firstRows(successorusage.Table)
	purgeUses     = `DELETE FROM ` + legacyuse.Table + ` WHERE ` + firstRows(legacyuse.Table)
)

// firstRows is the condition for a table's first chunk of rows.
func firstRows(table string) string {
	return `id IN (SELECT id FROM ` + table + ` ORDER BY id LIMIT ` + strconv.Itoa(purgeChunk) + `)`
}

// Purge deletes a chunk of what is no longer shown, and returns the number of rows.
func (u *Usage) Purge(ctx context.Context) (int, error) {
	if err := u.config.TrustClock(); err != nil {
		return 0, err
	}
	reader, kept := u.config.Store.Reader(), u.oldestDay()
	oldest, err := reader.LegacyUsage.Query().Order(ent.Asc(legacyusage.FieldID)).First(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return 0, fmt.Errorf("look for old legacy usage: %w", err)
	}
	request, err := reader.SuccessorUsage.Query().Order(ent.Asc(successorusage.FieldID)).First(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return 0, fmt.Errorf("look for old counts of requests: %w", err)
	}
	type purge struct {
		text string
		args []any
	}
	var due []purge
	if oldest != nil && oldest.Day < kept {
		due = append(due, purge{purgeUsage, []any{kept}})
	}
	if request != nil && request.Day < kept {
		due = append(due, purge{purgeRequests, []any{kept}})
	}
	if u.now() >= UsesEnd {
		use, err := reader.LegacyUse.Query().Exist(ctx)
		if err != nil {
			return 0, fmt.Errorf("look for old legacy uses: %w", err)
		}
		if use {
			due = append(due, purge{text: purgeUses})
		}
	}
	if len(due) == 0 {
		return 0, nil
	}
	purged := 0
	err = u.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		purged = 0
		for _, p := range due {
			n, err := rows.Affect(ctx, tx, p.text, p.args...)
			if err != nil {
				return err
			}
			purged += n
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("purge legacy usage: %w", err)
	}
	return purged, nil
}

// oldestDay is the oldest day that is kept.
func (u *Usage) oldestDay() int64 { return dayOf(u.now()) - LegacyUsageDays }
