// Package itemset keeps the items of one call with many changes: it loads them together, holds what the changes make of them, one
// change after another, and stores the outcome together. So a hundred changes cost a dozen statements. It knows the rows and none of
// the rules.
package itemset

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/internal/base/wrap"
	"sellerd/v1/rows"
)

// MostNamed is how many items Named returns at most.
const MostNamed = 100

// Set is the items of one owner in one transaction, which has the owner's row locked. Workers lease items without that lock, so a
// set that is to be stored locks the rows of its items, too.
type Set struct {
	tx    *ent.Client
	owner int64
	kind  Kind

	items map[int64]*Item
	named map[string]namedItems
	moved []*Item
}

// Item is an item as the transaction found it, and as it is after the changes so far.
type Item struct{ Before, Now *ent.Item }

// namedItems are the first two ids of the items that a reference can mean in the database, 0 where there is none.
type namedItems struct{ first, second int64 }

// Kind is how a set uses its transaction.
type Kind struct {
	ManyWriters bool // other transactions change items meanwhile: the database is PostgreSQL
	ReadOnly    bool // nothing will be stored
}

// Load loads the owner's items that have one of the ids or references.
func Load(ctx context.Context, tx *ent.Client, kind Kind, owner int64, ids []int64, references []string) (*Set, error) {
	s := &Set{tx: tx, kind: kind, owner: owner, items: make(map[int64]*Item, len(ids)+len(references)), named: map[string]namedItems{}}
	wanted := slices.Clone(ids)
	given := make([]any, 0, 2*len(references))
	for _, reference := range distinct(references) {
		given = append(given, owner, reference)
	}
	err := byReference.Query(ctx, tx, given, func(found *sql.Rows) error {
		var reference string
		var first, second sql.NullInt64
		if err := found.Scan(&reference, &first, &second); err != nil {
			return err
		}
		s.named[reference] = namedItems{first.Int64, second.Int64}
		if first.Valid && !second.Valid {
			wanted = append(wanted, first.Int64)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find items by reference: %w", err)
	}
	return s, s.load(ctx, distinct(wanted))
}

func distinct[T cmp.Ordered](values []T) []T {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// load loads items by their ids. Those of other owners are left out.
func (s *Set) load(ctx context.Context, ids []int64) error {
	scan := rows.NewScanner[ent.Item](item.Columns)
	statement := byID.On(s.kind.ManyWriters)
	if s.kind.ManyWriters && !s.kind.ReadOnly {
		statement = byIDLocked
	}
	err := statement.Query(ctx, s.tx, rows.IDs(ids), func(found *sql.Rows) error {
		if err := found.Scan(scan.Targets...); err != nil {
			return err
		}
		if scan.Row.Owner == s.owner {
			row := scan.Copy()
			s.items[row.ID] = &Item{row, row}
		}
		return nil
	})
	return wrap.Err(err, "load items")
}

// Item is an item as it is after the changes so far, nil if the owner has none with the id.
func (s *Set) Item(ctx context.Context, id int64) (*ent.Item, error) {
	if s.items[id] == nil {
		if err := s.load(ctx, []int64{id}); err != nil || s.items[id] == nil {
			return nil, err
		}
	}
	return s.items[id].Now, nil
}

// All are the items that are loaded, in any order.
func (s *Set) All(yield func(*ent.Item) bool) {
	for _, known := range s.items {
		if !yield(known.Now) {
			return
		}
	}
}

// Named are the ids of the items that a reference can mean after the changes so far, in their order: those that have it and are not
// sold. There are at most MostNamed.
func (s *Set) Named(ctx context.Context, reference string) ([]int64, error) {
	known, looked := s.named[reference]
	changed := slices.ContainsFunc(s.moved, func(i *Item) bool { return means(i.Before, reference) || means(i.Now, reference) })
	if looked && !changed && known.second == 0 {
		if known.first == 0 {
			return nil, nil
		}
		return []int64{known.first}, nil
	}
	var ids []int64
	err := rows.Query(ctx, s.tx, allByReference, []any{s.owner, reference, MostNamed + len(s.moved)}, func(found *sql.Rows) error {
		ids = append(ids, 0)
		return found.Scan(&ids[len(ids)-1])
	})
	if err != nil {
		return nil, fmt.Errorf("find items by reference: %w", err)
	}
	for _, i := range s.moved {
		ids = slices.DeleteFunc(ids, func(id int64) bool { return id == i.Now.ID })
		if means(i.Now, reference) {
			ids = append(ids, i.Now.ID)
		}
	}
	slices.Sort(ids)
	return ids[:min(len(ids), MostNamed)], nil
}

// means says whether a reference can mean an item.
func means(row *ent.Item, reference string) bool {
	return row.PersonalReference != nil && *row.PersonalReference == reference && row.Status != sold
}

// Apply changes an item as an update says, and returns what it is then.
func (s *Set) Apply(id int64, update rows.Update) (*ent.Item, error) {
	known := s.items[id]
	now, err := record.Apply(known.Now, update)
	if err != nil {
		return nil, err
	}
	if known.Now == known.Before {
		s.moved = append(s.moved, known)
	}
	known.Now = now
	return now, nil
}

// Moved are the items that have changed, in the order of their first changes.
func (s *Set) Moved() []*Item { return s.moved }
