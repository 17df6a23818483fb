package itemset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/v1/rows"
)

// The statements are about sets of rows: a builder of ent can neither write rows with values of their own together, nor look up
// several references at once. The names of columns are ent's.

// sold items are out of reach of references: a seller lists the same again under the same reference.
const sold = "sold"

var (
	record = rows.NewRecord[ent.Item](item.Columns)

	byID = rows.NewSets(`SELECT `+rows.ColumnList(item.Table, item.Columns)+` FROM `+item.Table+` WHERE `+rows.Any(item.Table), item.FieldID+" bigint")

	// byIDLocked is byID for PostgreSQL with locks on the rows, in the order of their ids. It waits for a worker that has a row, and
	// then reads what the worker has left. Without the locks, the updates below would pass over a row that a worker changes meanwhile,
	// because they find rows by their places.
	byIDLocked = rows.NewSet(`SELECT `+rows.ColumnList(item.Table, item.Columns)+` FROM given CROSS JOIN LATERAL (SELECT * FROM `+item.Table+` i
 WHERE i.id >= given.id AND i.id <= given.id ORDER BY i.id LIMIT 1 FOR NO KEY UPDATE) AS `+item.Table, item.FieldID+" bigint")

	// The order is that of the index on references. Without it, PostgreSQL may read all items of an owner when it believes that there are
	// few; and if it were an equality, the order would be that of the ids alone.
	byReference = rows.NewSet(`SELECT given.reference, (`+named("given.owner", "given.reference", "LIMIT 1")+`), (`+
		named("given.owner", "given.reference", "LIMIT 1 OFFSET 1")+`) FROM given WHERE given.owner IS NOT NULL`, "owner bigint", "reference text")
	allByReference = named("$1", "$2", "LIMIT $3")
)

// named is the query for the ids of the items that a reference can mean.
func named(owner, reference, limit string) string {
	return `SELECT ` + item.FieldID + ` FROM ` + item.Table + ` WHERE ` + item.FieldOwner + ` = ` + owner + ` AND ` + item.FieldPersonalReference + ` >= ` + reference +
		` AND ` + item.FieldPersonalReference + ` <= ` + reference + ` AND ` + item.FieldStatus + ` <> '` + sold + `' ORDER BY ` +
		item.FieldPersonalReference + `, ` + item.FieldID + ` ` + limit
}

// update writes some columns of many rows.
type update struct {
	columns   []string
	statement *rows.Sets
}

func newUpdate(columns ...string) update {
	u, assignments := update{}, make([]string, len(columns))
	for i, column := range columns {
		name, _, _ := strings.Cut(column, " ")
		u.columns = append(u.columns, name)
		assignments[i] = name + " = given." + name
	}
	u.statement = rows.NewSets(`UPDATE `+item.Table+` SET `+strings.Join(assignments, ", ")+` FROM given WHERE `+rows.Each(item.Table),
		append([]string{item.FieldID + " bigint"}, columns...)...)
	return u
}

// updates are for the changes that sellers make most: prices and quantities, and closing.
var updates = []update{
	newUpdate(item.FieldPrice+" bigint", item.FieldCurrentPrice+" bigint", item.FieldQuantity+" bigint", item.FieldSequence+" bigint",
		item.FieldUpdatedAt+" bigint"),
	newUpdate(item.FieldStatus+" text", item.FieldDueAt+" bigint", item.FieldClosedAt+" bigint", item.FieldCloseReason+" text",
		item.FieldCloseNote+" text",
		item.FieldSequence+" bigint", item.FieldUpdatedAt+" bigint"),
}

// Store writes the items that have changed: with the first of the updates that writes all changed columns of an item, or else by
// itself.
func (s *Set) Store(ctx context.Context) error {
	given := make([][]any, len(updates))
	for _, moved := range s.moved {
		columns, values := record.Changed(moved.Before, moved.Now)
		n := slices.IndexFunc(updates, func(u update) bool {
			return !slices.ContainsFunc(columns, func(column string) bool { return !slices.Contains(u.columns, column) })
		})
		if n >= 0 {
			given[n] = record.Append(append(given[n], moved.Now.ID), moved.Now, updates[n].columns)
			continue
		}
		if err := storeAlone(ctx, s.tx, moved.Now.ID, columns, values); err != nil {
			return fmt.Errorf("update item %d: %w", moved.Now.ID, err)
		}
	}
	for n, set := range given {
		if err := updates[n].statement.On(s.kind.ManyWriters).Exec(ctx, s.tx, set); err != nil {
			return fmt.Errorf("update items: %w", err)
		}
	}
	return nil
}

// Save stores what an update sets of one item, and returns the item as it is then. The transaction has the owner's row locked, so
// the row is as it was read. late is ctx for a statement whose result is not needed.
func Save(ctx, late context.Context, tx *ent.Client, row *ent.Item, update *ent.ItemUpdateOne) (*ent.Item, error) {
	if len(update.Mutation().AddedFields()) > 0 { // the sum is the database's
		return update.Save(ctx)
	}
	now, err := record.Apply(row, update.Mutation())
	if err != nil {
		return nil, err
	}
	columns, values := record.Changed(row, now)
	return now, storeAlone(late, tx, row.ID, columns, values)
}

// Changes says whether an update sets anything of an item to another value.
func Changes(row *ent.Item, update *ent.ItemUpdateOne) (bool, error) {
	now, err := record.Apply(row, update.Mutation())
	if err != nil {
		return false, err
	}
	columns, _ := record.Changed(row, now)
	return len(columns) > 0, nil
}

func storeAlone(ctx context.Context, tx *ent.Client, id int64, columns []string, values []any) error {
	alone := tx.Item.Update().Where(item.ID(id))
	for i, column := range columns {
		var err error
		if values[i] == nil {
			err = alone.Mutation().ClearField(column)
		} else {
			err = alone.Mutation().SetField(column, values[i])
		}
		if err != nil {
			return err
		}
	}
	return alone.Exec(ctx)
}
