package v1

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/v1/keycheck"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
)

// The two hottest reads, one item and a page of items, are one statement through ent's client and are scanned into one
// reused row: ent's own query builders spend three times the allocations (internal/bench has the figures, and a test
// compares both ways). Column names come from ent, so a change of the schema breaks the build or that test.

// itemColumns are what an answer shows of an item. The others are the service's own, and each would cost every page.
var (
	itemColumns = rows.ColumnsBut(item.Columns,
		item.FieldOwner, item.FieldHighBidderID, item.FieldImagesDueAt, item.FieldSequence, item.FieldRunStartedAt,
		item.FieldDueAt, item.FieldSearch, item.FieldLease)
	itemColumnList = rows.ColumnList(item.Table, itemColumns)
)

// The second statement also confirms a claim.
var (
	itemByID        = "SELECT " + itemColumnList + " FROM " + item.Table + " WHERE " + item.FieldID + " = $1 AND " + item.FieldOwner + " = $2"
	claimedItemByID = "SELECT " + keycheck.FirstColumn() + ", " + itemColumnList + " FROM " + item.Table +
		" WHERE " + item.FieldID + " = $4 AND " + item.FieldOwner + " = $5"
)

// readItem reads one of the owner's items outside a change, with all its columns.
func (s *Service) readItem(ctx context.Context, owner Owner, id ID) (*ent.Item, error) {
	row, err := s.store.Reader().Item.Query().Where(item.ID(int64(id)), item.Owner(int64(owner))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, refusal.New(ItemNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("load item %d: %w", id, err)
	}
	return row, nil
}

// itemScans are spare scans of itemColumns, for reads that convert the row at once.
var itemScans = sync.Pool{New: func() any { return rows.NewScanner[ent.Item](itemColumns) }}

// scanItem reads what an answer shows of one of the owner's items.
func (s *Service) scanItem(ctx context.Context, c *Call, id ID, scan *rows.Scanner[ent.Item]) error {
	scan.Row.Owner = int64(c.Owner)
	query, args, targets := itemByID, []any{int64(id), int64(c.Owner)}, scan.Targets
	claimed := c.claim.Open()
	if claimed {
		query = claimedItemByID
		args, targets = c.claim.First(args, targets)
	}
	rows, err := s.store.Query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("load item %d: %w", id, err)
	}
	defer rows.Close()
	if !rows.Next() {
		return cmp.Or[error](rows.Err(), refusal.New(ItemNotFound))
	}
	if err := rows.Scan(targets...); err != nil {
		return fmt.Errorf("scan item %d: %w", id, err)
	}
	if claimed {
		return c.claim.Confirm()
	}
	return nil
}
