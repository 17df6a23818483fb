package items

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"sellerd/ent"
	"sellerd/v1/cause"
	"sellerd/v1/core"
	"sellerd/v1/itemset"
	"sellerd/v1/markup"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// UpdateItemInput is a change of an item.
type UpdateItemInput struct {
	ID    wire.ID               `path:"id" missing:"item_not_found"`
	Patch wire.Patch[ItemInput] `body:"json"`
}

// updateItem changes the fields that the item's state allows to change: see editable.
func (s *Items) updateItem(ctx context.Context, c *core.Call, in *UpdateItemInput) (*Item, error) {
	patch, err := preparePatch(c, &in.Patch)
	if err != nil {
		return nil, err
	}
	found := c.Problems
	for range PatchAttempts {
		c.Problems = found.Clone()
		out, err := s.checkAndPatch(ctx, c, in.ID, patch)
		if !errors.Is(err, errItemMoved) {
			return out, err
		}
	}
	return nil, refusal.Later(refusal.ServiceUnavailable, time.Second)
}

// itemPatch is a patch without the members that no patch may name, and with the sanitised description.
type itemPatch struct {
	wire.Patch[ItemInput]
	description string
	models      map[wire.ID]shippingType // the shipping models that are loaded already; nil: they are looked up
}

// preparePatch does what a patch needs before the item is known. A member that no patch may change is reported together with all
// other problems, and is then ignored.
func preparePatch(c *core.Call, in *wire.Patch[ItemInput]) (*itemPatch, error) {
	for _, field := range fieldsForCreation {
		if in.Names(field) {
			c.Problems.Add(refusal.ImmutableField, field, "cannot change after creation")
		}
	}
	if len(in.Fields) == 0 && c.Problems.Err() == nil {
		return nil, refusal.New(refusal.EmptyPatch)
	}
	patch := &itemPatch{Patch: *in}
	patch.Fields = slices.DeleteFunc(slices.Clone(in.Fields), func(path string) bool {
		return slices.ContainsFunc(c.Problems.Entries(), func(problem refusal.Error) bool {
			return problem.Field == path && (problem.Code == refusal.UnknownField || problem.Code == refusal.ImmutableField)
		})
	})
	if patch.To.Description.Set {
		patch.description = markup.Sanitize(patch.To.Description.V)
	}
	return patch, nil
}

// PatchAttempts is how often a patch is checked again because the item has changed meanwhile.
const PatchAttempts = 50

var errItemMoved = errors.New("the item has changed since it was checked")

// checkAndPatch checks the patched item before the transaction, and changes the item inside the transaction if it has not
// changed since: two patches that are valid alone can be invalid together.
func (s *Items) checkAndPatch(ctx context.Context, c *core.Call, id wire.ID, patch *itemPatch) (*Item, error) {
	row, err := s.ReadItem(ctx, c.Owner, id)
	if err != nil {
		return nil, err
	}
	checked, err := s.checkPatch(ctx, c, row, patch)
	if err != nil {
		return nil, err
	}
	return change(ctx, s, c, 0, func(ctx context.Context, tx Change) (*Item, error) {
		fresh, err := tx.LoadItem(ctx, c, id)
		if err != nil {
			return nil, err
		}
		if fresh.UpdatedAt != row.UpdatedAt {
			return nil, errItemMoved
		}
		return tx.patchItem(ctx, c, fresh, checked)
	})
}

// checkedPatch is a patch that was checked against an item.
type checkedPatch struct {
	*itemPatch
	before, after ItemInput
}

// checkPatch checks the patched item. What is wrong with it, and what was wrong with the patch, is the error.
func (s *Items) checkPatch(ctx context.Context, c *core.Call, row *ent.Item, patch *itemPatch) (*checkedPatch, error) {
	before, err := InputOfItem(row)
	if err != nil {
		return nil, err
	}
	checked := &checkedPatch{itemPatch: patch, before: before, after: patched(before, &patch.Patch)}
	err = cmp.Or(itemPrecondition(c, row), editable(row, checked))
	if err != nil {
		return nil, cmp.Or(c.Problems.Err(), err)
	}
	draft := checked.after
	if draft.Description.Set == before.Description.Set && markup.Same(draft.Description.V, before.Description.V) {
		draft.Description = wire.Opt[string]{} // it was checked when it was first sent, by the rules of that time
		checked.after.Description = before.Description
	} else if draft.Description.Set {
		checked.after.Description.V = patch.description
	}
	k := check{Items: s, call: c, start: wire.Time(row.RunStartedAt), earlier: &checked.before, models: patch.models, problems: &c.Problems}
	if err := k.item(ctx, &draft); err != nil {
		return nil, err
	}
	return checked, c.Problems.Err()
}

// patchItem changes an item as a patch says that was checked against it.
func (tx Change) patchItem(ctx context.Context, c *core.Call, row *ent.Item, patch *checkedPatch) (*Item, error) {
	if err := editable(row, patch); err != nil {
		return nil, err
	}
	after := &patch.after
	update := tx.Item.UpdateOneID(row.ID)
	setItem(update.Mutation(), after, row.BidCount > 0)
	if patch.Names("images") {
		if err := tx.setImages(row, update, after.Images); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(scheduleFields, patch.Names) {
		ends := int64(after.endOf(wire.Time(row.RunStartedAt), c.TimeZone))
		if ends <= int64(tx.Now) {
			return nil, refusal.Newf(refusal.DateInPast, "duration_days", "is so short that the item would have ended already")
		}
		update.SetEndsAt(ends)
		if row.Status == ItemOpen {
			update.SetDueAt(ends)
		}
		tx.Wake(core.CloserWorker)
	}
	if patch.Names("renewals") {
		update.SetRenewalsLeft(after.Renewals.Or(0))
	}
	changes, err := itemset.Changes(row, update)
	if err != nil {
		return nil, err
	}
	if !changes { // so there is no event
		out := tx.s.ItemFrom(row)
		c.Meta.ETag = out.Etag()
		return &out, nil
	}
	update.SetSequence(row.Sequence + 1)
	saved := row
	if row.QuantitySold > 0 && after.Quantity.Or(1) == row.QuantitySold { // the seller withdraws the remaining pieces
		saved, err = tx.SetItemStatus(ctx, row, update.SetClosedAt(int64(tx.Now)), ItemSold)
	} else if saved, err = tx.saveItem(ctx, row, update); err != nil {
		err = fmt.Errorf("update item %d: %w", row.ID, err)
	}
	if err != nil {
		return nil, err
	}
	if err := tx.indexWords(ctx, row.ID, row.Search, saved.Search); err != nil {
		return nil, err
	}
	tx.EmitItem("item.updated", saved, row)
	out := tx.s.ItemFrom(saved)
	c.Meta.ETag = out.Etag()
	return &out, nil
}

// setImages has pictures of an item fetched that it does not have, or that failed.
func (tx Change) setImages(row *ent.Item, update *ent.ItemUpdateOne, wanted []ImageInput) error {
	images, pending, err := mergeImages(row.Images, wanted)
	if err != nil || images == row.Images {
		return err
	}
	update.SetImages(images).ClearImagesDueAt().ClearImagesCause()
	if pending {
		update.SetImagesDueAt(int64(tx.Clock))
		if row.ImagesDueAt == nil || cause.Parse(row.ImagesCause).KeyID == tx.Cause.KeyID { // else pictures of several keys wait together
			update.SetImagesCause(tx.Cause.Text())
		}
		tx.Wake(core.ImagesWorker)
	}
	return nil
}

// scheduleFields move an item's end.
var scheduleFields = []string{"duration_days", "ends_at", "preferred_end_day", "preferred_end_time"}

// patched is the item after a patch. duration_days and ends_at replace each other.
func patched(before ItemInput, patch *wire.Patch[ItemInput]) ItemInput {
	after := before
	after.Images = slices.Clone(before.Images)
	patch.Apply(&after)
	switch {
	case patch.Names("ends_at") && after.EndsAt.Set && !patch.Names("duration_days"):
		after.DurationDays = wire.Opt[int]{}
	case patch.Names("duration_days") && after.DurationDays.Set && !patch.Names("ends_at"):
		after.EndsAt = wire.Opt[wire.Time]{}
	}
	return after
}

// These fields can change while an item with bids, or a partly sold one, is on sale. With bids, images and options can only
// be added; of a partly sold item, the quantity cannot fall below the number sold.
// A sealed answer shows both lists in full, so a new field joins neither.
var (
	fieldsWithBids   = []string{"personal_reference", "images", "options"}
	fieldsPartlySold = slices.DeleteFunc(patchableFields(), func(field string) bool {
		return field == "price" ||
			slices.Contains(fieldsOfAuctions, field)
	})
	fieldsNotOnSale   = []string{}
	fieldsForCreation = []string{"sale_type", "starts_at"}
	fieldsOfAuctions  = []string{"starting_price", "bid_increment", "reserve_price"} // which are never sold in parts
)

// patchableFields are the members of an item that a patch may name.
func patchableFields() (fields []string) {
	for _, f := range wire.PlanOf(reflect.TypeFor[ItemInput]()).Fields {
		if !slices.Contains(fieldsForCreation, f.Name) {
			fields = append(fields, f.Name)
		}
	}
	return fields
}

// editable rejects changes that an item's state does not allow. The error names the fields that can change.
func editable(row *ent.Item, patch *checkedPatch) error {
	before, after := &patch.before, &patch.after
	switch {
	case row.Status == ItemScheduled, row.Status == ItemOpen && row.BidCount == 0 && row.QuantitySold == 0:
		return nil
	case row.Status == ItemOpen && row.BidCount > 0:
		for _, path := range patch.Fields {
			field, _, _ := strings.Cut(path, ".")
			if !slices.Contains(fieldsWithBids, field) {
				return notEditable(refusal.ItemHasBids, path, fieldsWithBids)
			}
		}
		if patch.Names("images") && !isPrefix(before.Images, after.Images) {
			return notEditable(refusal.ItemHasBids, "images", fieldsWithBids)
		}
		was, is := before.Options.V.Bits(), after.Options.V.Bits()
		if was&^is != 0 {
			return notEditable(refusal.ItemHasBids, "options", fieldsWithBids)
		}
		return nil
	case row.Status == ItemOpen:
		if patch.Names("price") && after.Price != before.Price {
			return notEditable(refusal.ItemPartiallySold, "price", fieldsPartlySold)
		}
		if patch.Names("quantity") && after.Quantity.Or(1) < row.QuantitySold {
			return notEditable(refusal.ItemPartiallySold, "quantity", fieldsPartlySold)
		}
		return nil
	default:
		errs := notEditable(refusal.ItemNotEditable, "", fieldsNotOnSale)
		errs[0].Details["status"] = row.Status // /rest has another word for sold items
		return errs
	}
}

func notEditable(code refusal.Code, field string, fields []string) refusal.Errors {
	return refusal.Newf(code, field, "%s", refusal.InfoOf(code).Meaning).With(map[string]any{"editable_fields": fields})
}

func isPrefix(before, after []ImageInput) bool {
	return len(after) >= len(before) && slices.Equal(before, after[:len(before)])
}
