package v1

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sellerd/ent"
	"sellerd/v1/etag"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file is about visits to items, which the marketplace counts and reports from time to time. They come all day, and a
// seller's tool must not take them for changes: an item keeps its updated_at, and there is no event. But a read returns the
// new number, so the entity tag changes.

// VisitsInput is a report of visits to an item.
type VisitsInput struct {
	ID     ID     `path:"id" missing:"item_not_found"`
	Visits Visits `body:"json"`
}

// Visits is the number of visits since the last report.
type Visits struct {
	Count Opt[int] `json:"count" validate:"required,min=1,max=1000000" doc:"how many came since the last report; they are added"`
}

// maxVisits is the largest whole number that JSON parsers with floating point numbers represent exactly.
const maxVisits = 1<<53 - 1

// operatorVisits adds visits to an item in any state.
func (s *Service) operatorVisits(ctx context.Context, c *Call, in *VisitsInput) (*Item, error) {
	if err := s.actForItem(ctx, c, in.ID); err != nil {
		return nil, err
	}
	wire.CheckRules(&in.Visits, "", &c.Problems)
	return change(ctx, s, c, 0, func(ctx context.Context, tx *Change) (*Item, error) {
		row, err := tx.loadItem(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		count := int64(in.Visits.Count.V)
		if count > maxVisits-row.VisitCount {
			return nil, refusal.Newf(OutOfRange, "count", "would be more than %d in all", int64(maxVisits))
		}
		saved, err := tx.Item.UpdateOneID(row.ID).AddVisitCount(count).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("count visits of item %d: %w", row.ID, err)
		}
		out := s.itemFrom(saved)
		c.Meta.ETag = out.etag()
		return &out, nil
	})
}

// etag is the item's entity tag: the time of its last change, which is different for each change of an owner, and the
// visits, which are not a change.
func (out *Item) etag() string {
	b := append(make([]byte, 0, 32), '"')
	b = strconv.AppendInt(b, int64(out.UpdatedAt), 36)
	if out.VisitCount > 0 {
		b = strconv.AppendInt(append(b, '-'), out.VisitCount, 36)
	}
	return string(append(b, '"'))
}

// itemPrecondition is precondition for an item without regard to visits, which a change cannot overwrite.
func (c *Call) itemPrecondition(row *ent.Item) error {
	if c.IfMatch == "" || c.IfMatch == "*" {
		return nil
	}
	version := `"` + strconv.FormatInt(row.UpdatedAt, 36)
	for tag := range etag.All(c.IfMatch) {
		if rest, same := strings.CutPrefix(tag, version); same && (rest == `"` || rest[0] == '-') {
			return nil
		}
	}
	return errObjectChanged
}

// CategoryMove moves an item to its right category.
type CategoryMove struct {
	CategoryID Opt[ID] `json:"category_id" validate:"required"`
}

// moveToCategory corrects an item's category for the marketplace, in any state of the item.
func (s *Service) moveToCategory(ctx context.Context, c *Call, id ID, in *CategoryMove) (*Item, error) {
	wire.CheckRules(in, "", &c.Problems)
	if in.CategoryID.Set {
		s.checkCategory(in.CategoryID.V, "", &c.Problems)
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
