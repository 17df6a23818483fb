package sunset

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"sellerd/ent"
	"sellerd/ent/legacyuse"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file keeps the first and the last use of each call by each key, until UsesEnd.

// useRow is the key of a use.
type useRow struct {
	owner     int64
	key, call string
}

func (r useRow) compare(other useRow) int {
	return cmp.Or(cmp.Compare(r.owner, other.owner), cmp.Compare(r.key, other.key), cmp.Compare(r.call, other.call))
}

// usesOf are the uses in counts by day.
func usesOf(counts map[usageRow]*usageCount) map[useRow]*usageCount {
	uses := make(map[useRow]*usageCount, len(counts))
	for row, count := range counts {
		use := useRow{row.owner, row.key, row.call}
		if uses[use] == nil {
			uses[use] = &usageCount{}
		}
		uses[use].merge(*count)
	}
	maps.DeleteFunc(uses, func(_ useRow, count *usageCount) bool { return count.last >= UsesEnd })
	return uses
}

// addUse widens what is stored of a use, and yields the lossy fields that are known: what stood there, else what is given.
// It is by hand, because builders have neither ON CONFLICT nor RETURNING.
var addUse = rows.NewSet(`INSERT INTO `+legacyuse.Table+` (`+useColumns+`)
 SELECT `+useColumns+` FROM given WHERE `+legacyuse.FieldOwner+` IS NOT NULL
 ON CONFLICT (`+useKey+`) DO UPDATE SET `+
	widened(legacyuse.FieldFirstUsedAt, "<")+`, `+widened(legacyuse.FieldLastUsedAt, ">")+`, `+
	legacyuse.FieldDrilledAt+` = CASE WHEN excluded.`+legacyuse.FieldDrilledAt+` > COALESCE(`+legacyuse.Table+`.`+legacyuse.FieldDrilledAt+`, 0) THEN excluded.`+
	legacyuse.FieldDrilledAt+` ELSE `+legacyuse.Table+`.`+legacyuse.FieldDrilledAt+` END
 RETURNING `+useKey+`, `+legacyuse.FieldLossyFields,
	legacyuse.FieldOwner+" bigint", legacyuse.FieldKeyID+" text", legacyuse.FieldCall+" text",
	legacyuse.FieldFirstUsedAt+" bigint", legacyuse.FieldLastUsedAt+" bigint", legacyuse.FieldLossyFields+" text", legacyuse.FieldDrilledAt+" bigint")

// useKey are the columns that identify a row, and useColumns all that are written.
var (
	useKey     = strings.Join([]string{legacyuse.FieldOwner, legacyuse.FieldKeyID, legacyuse.FieldCall}, ", ")
	useColumns = useKey + ", " + strings.Join([]string{
		legacyuse.FieldFirstUsedAt, legacyuse.FieldLastUsedAt, legacyuse.FieldLossyFields, legacyuse.FieldDrilledAt,
	}, ", ")
)

// widened sets a column to the new value if that is less or greater.
func widened(column, than string) string {
	stored := legacyuse.Table + "." + column
	return column + ` = CASE WHEN excluded.` + column + ` ` + than + ` ` + stored + ` THEN excluded.` + column + ` ELSE ` + stored + ` END`
}

// usageUses are the uses.
var usageUses = usageTable[useRow]{
	add: addUse, compare: useRow.compare,
	values: func(row useRow, count *usageCount) []any {
		return []any{row.owner, row.key, row.call, int64(count.first), int64(count.last), lossyText(count.lossy), orNil(count.drilled)}
	},
	key: func(row *useRow) []any { return []any{&row.owner, &row.key, &row.call} },
	setLossy: func(ctx context.Context, tx *ent.Client, row useRow, lossy string) error {
		return tx.LegacyUse.Update().Where(legacyuse.Owner(row.owner), legacyuse.KeyID(row.key), legacyuse.Call(row.call)).
			SetLossyFields(lossy).Exec(ctx)
	},
}

// orNil is an instant as it is stored, NULL for 0.
func orNil(t wire.Time) any {
	if t == 0 {
		return nil
	}
	return int64(t)
}
