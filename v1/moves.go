package v1

import (
	"context"
	"fmt"

	"sellerd/v1/wire"
)

// CategoryMove moves an item to its right category.
type CategoryMove struct {
	CategoryID Opt[ID] `json:"category_id" validate:"required"`
}

// moveToCategory corrects an item's category for the marketplace, in any state of the item.
func (s *Service) moveToCategory(ctx context.Context, c *Call, id ID, in *CategoryMove) (*Item, error) {
	wire.CheckRules(in, "", &c.Problems)
	if in.CategoryID.Set {
		s.checkCategory(in.CategoryID.V, "category_id", &c.Problems)
	}
	return change(ctx, s, c, 0, func(ctx context.Context, tx *Change) (*Item, error) {
		row, err := tx.loadItem(ctx, c, id)
		if err != nil {
			return nil, err
		}
		if row.CategoryID == int64(in.CategoryID.V) {
			out := s.itemFrom(row)
			return &out, nil
		}
		saved, err := tx.Item.UpdateOneID(row.ID).SetCategoryID(int64(in.CategoryID.V)).SetUpdatedAt(int64(tx.Now)).SetSequence(row.Sequence + 1).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("move item %d: %w", row.ID, err)
		}
		tx.emitItem("item.moved", saved, row)
		out := s.itemFrom(saved)
		return &out, nil
	})
}
