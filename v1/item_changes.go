package v1

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
	"sellerd/v1/markup"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// UpdateItemInput is a change of an item.
type UpdateItemInput struct {
	ID    ID               `path:"id" missing:"item_not_found"`
	Patch Patch[ItemInput] `body:"json"`
}

// updateItem changes the fields that the item's state allows to change: see editable.
func (s *Service) updateItem(ctx context.Context, c *Call, in *UpdateItemInput) (*Item, error) {
	for _, field := range fieldsForCreation {
		if in.Patch.Names(field) {
			c.Problems.Add(ImmutableField, field, "cannot change after creation")
		}
	}
	if len(in.Patch.Fields) == 0 && c.Problems.Err() == nil {
		return nil, refusal.New(EmptyPatch)
	}
	// A member that no patch may change is reported together with all other problems, and is then ignored.
	in.Patch.Fields = slices.DeleteFunc(in.Patch.Fields, func(path string) bool {
		return slices.ContainsFunc(c.Problems.Entries(), func(problem Error) bool {
			return problem.Field == path && (problem.Code == UnknownField || problem.Code == ImmutableField)
		})
	})
	found := c.Problems
	for range patchAttempts {
		c.Problems = found.Clone()
		out, err := s.checkAndPatch(ctx, c, in)
		if !errors.Is(err, errItemMoved) {
			return out, err
		}
	}
	return nil, refusal.Later(ServiceUnavailable, time.Second)
}

// patchAttempts is how often a patch is checked again because the item has changed meanwhile.
const patchAttempts = 50

var errItemMoved = errors.New("the item has changed since it was checked")

// checkAndPatch checks the patched item before the transaction, and changes the item inside the transaction if it has not
// changed since: two patches that are valid alone can be invalid together.
func (s *Service) checkAndPatch(ctx context.Context, c *Call, in *UpdateItemInput) (*Item, error) {
	row, err := s.readItem(ctx, c.Owner, in.ID)
	if err != nil {
		return nil, err
	}
	before, err := inputOfItem(row)
	if err != nil {
		return nil, err
	}
	draft := patched(before, &in.Patch)
	err = cmp.Or(c.itemPrecondition(row), editable(row, &before, &draft, &in.Patch))
	if err != nil {
		return nil, cmp.Or(c.Problems.Err(), err)
	}
	if !in.Patch.Names("description") {
		draft.Description = Opt[string]{} // its length was checked when it was sent; sanitising may have made it longer
	}
	c.keepsShippingModel = before.ShippingModelID
	if err := s.checkItem(ctx, c, &draft, Time(row.RunStartedAt), true, before.Images, "", &c.Problems); err != nil {
		return nil, err
	}
	return change(ctx, s, c, 0, func(ctx context.Context, tx *Change) (*Item, error) {
		fresh, err := tx.loadItem(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if fresh.UpdatedAt != row.UpdatedAt {
			return nil, errItemMoved
		}
		return tx.patchItem(ctx, c, fresh, &in.Patch)
	})
}

func (tx *Change) patchItem(ctx context.Context, c *Call, row *ent.Item, patch *Patch[ItemInput]) (*Item, error) {
	before, err := inputOfItem(row)
	if err != nil {
		return nil, err
	}
	after := patched(before, patch)
	if after.Description.Set && patch.Names("description") {
		after.Description.V = markup.Sanitize(after.Description.V)
	}
	if err := editable(row, &before, &after, patch); err != nil {
		return nil, err
	}
	update := tx.Item.UpdateOneID(row.ID)
	setItem(update.Mutation(), &after, row.BidCount > 0)
	if patch.Names("images") {
		images, pending, err := mergeImages(row.Images, after.Images)
		if err != nil {
			return nil, err
		}
		update.SetImages(images).ClearImagesDueAt()
		if pending {
			update.SetImagesDueAt(int64(tx.Clock))
			tx.wake(imagesWorker)
		}
	}
	if slices.ContainsFunc(scheduleFields, patch.Names) {
		ends := int64(after.endOf(Time(row.RunStartedAt), c.TimeZone))
		if ends <= int64(tx.Now) {
			return nil, refusal.Newf(DateInPast, "duration_days", "is so short that the item would have ended already")
		}
		update.SetEndsAt(ends)
		if row.Status == ItemOpen {
			update.SetDueAt(ends)
		}
		tx.wake(closerWorker)
	}
	if patch.Names("renewals") {
		update.SetRenewalsLeft(after.Renewals.Or(0))
	}
	update.SetSequence(row.Sequence + 1)
	saved := row
	if row.QuantitySold > 0 && after.Quantity.Or(1) == row.QuantitySold { // the seller withdraws the remaining pieces
		saved, err = tx.setItemStatus(ctx, row, update.SetClosedAt(int64(tx.Now)), ItemSold)
	} else if saved, err = update.SetUpdatedAt(int64(tx.Now)).Save(ctx); err != nil {
		err = fmt.Errorf("update item %d: %w", row.ID, err)
	}
	if err != nil {
		return nil, err
	}
	if err := tx.indexWords(ctx, row.ID, row.Search, saved.Search); err != nil {
		return nil, err
	}
	tx.emitItem("item.updated", saved, row)
	out := tx.s.itemFrom(saved)
	c.Meta.ETag = out.etag()
	return &out, nil
}

// scheduleFields move an item's end.
var scheduleFields = []string{"duration_days", "ends_at", "preferred_end_day", "preferred_end_time"}

// patched is the item after a patch. duration_days and ends_at replace each other.
func patched(before ItemInput, patch *Patch[ItemInput]) ItemInput {
	after := before
	after.Images = slices.Clone(before.Images)
	patch.Apply(&after)
	switch {
	case patch.Names("ends_at") && after.EndsAt.Set && !patch.Names("duration_days"):
		after.DurationDays = Opt[int]{}
	case patch.Names("duration_days") && after.DurationDays.Set && !patch.Names("ends_at"):
		after.EndsAt = Opt[Time]{}
	}
	return after
}

// These fields can change while an item with bids, or a partly sold one, is on sale. With bids, images and options can only
// be added; of a partly sold item, the quantity cannot fall below the number sold.
var (
	fieldsWithBids    = []string{"personal_reference", "images", "options"}
	fieldsPartlySold  = slices.DeleteFunc(patchableFields(), func(field string) bool { return field == "price" || slices.Contains(fieldsOfAuctions, field) })
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
func editable(row *ent.Item, before, after *ItemInput, patch *Patch[ItemInput]) error {
	switch {
	case row.Status == ItemScheduled, row.Status == ItemOpen && row.BidCount == 0 && row.QuantitySold == 0:
		return nil
	case row.Status == ItemOpen && row.BidCount > 0:
		for _, path := range patch.Fields {
			field, _, _ := strings.Cut(path, ".")
			if !slices.Contains(fieldsWithBids, field) {
				return notEditable(ItemHasBids, path, fieldsWithBids)
			}
		}
		if patch.Names("images") && !isPrefix(before.Images, after.Images) {
			return notEditable(ItemHasBids, "images", fieldsWithBids)
		}
		was, is := before.Options.V.bits(), after.Options.V.bits()
		if was&^is != 0 {
			return notEditable(ItemHasBids, "options", fieldsWithBids)
		}
		return nil
	case row.Status == ItemOpen:
		if patch.Names("price") && after.Price != before.Price {
			return notEditable(ItemPartiallySold, "price", fieldsPartlySold)
		}
		if patch.Names("quantity") && after.Quantity.Or(1) < row.QuantitySold {
			return notEditable(ItemPartiallySold, "quantity", fieldsPartlySold)
		}
		return nil
	default:
		errs := notEditable(ItemNotEditable, "", fieldsNotOnSale)
		errs[0].Details["status"] = row.Status // /rest has another word for sold items
		return errs
	}
}

func notEditable(code Code, field string, fields []string) Errors {
	errs := refusal.Newf(code, field, "%s", refusal.InfoOf(code).Meaning)
	errs[0].Details = map[string]any{"editable_fields": fields}
	return errs
}

func isPrefix(before, after []ImageInput) bool {
	return len(after) >= len(before) && slices.Equal(before, after[:len(before)])
}

// CloseItemInput ends an item early.
type CloseItemInput struct {
	ID     ID      `path:"id" missing:"item_not_found"`
	Reason Closing `body:"optional"`
}

// Closing is a seller's reason for closing an item.
type Closing struct {
	Reason Opt[string] `json:"reason" validate:"omitnil,oneof=test lost_or_broken not_available incorrect sold_elsewhere other" default:"other"`
	Note   Opt[string] `json:"note" validate:"omitnil,max=255,plaintext"`
}

// closeItem takes an item off sale at once. An auction with bids must run to its end.
func (s *Service) closeItem(ctx context.Context, c *Call, in *CloseItemInput) (*Item, error) {
	wire.CheckRules(&in.Reason, "", &c.Problems)
	return change(ctx, s, c, 0, func(ctx context.Context, tx *Change) (*Item, error) {
		row, err := tx.loadItem(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if !itemIsListed(row.Status) {
			return nil, refusal.With(ItemNotOpen, map[string]any{"status": row.Status})
		}
		if row.BidCount > 0 {
			return nil, refusal.New(ItemHasBids)
		}
		update := tx.Item.UpdateOneID(row.ID).SetCloseReason(in.Reason.Reason.Or("other")).SetNillableCloseNote(in.Reason.Note.Ptr()).
			SetClosedAt(int64(tx.Now))
		out, err := tx.moveItem(ctx, row, update, ItemClosed, "item.closed")
		if err != nil {
			return nil, err
		}
		c.Meta.ETag = out.etag()
		return out, nil
	})
}

// moveItem moves an item to another state, with the other changes of the update, adjusts the store's counter and emits the
// event.
func (tx *Change) moveItem(ctx context.Context, row *ent.Item, update *ent.ItemUpdateOne, to, eventType string) (*Item, error) {
	if eventType != "" {
		update.SetSequence(row.Sequence + 1)
	}
	saved, err := tx.setItemStatus(ctx, row, update, to)
	if err != nil {
		return nil, err
	}
	if eventType != "" {
		tx.emitItem(eventType, saved, nil)
	}
	out := tx.s.itemFrom(saved)
	return &out, nil
}

// setItemStatus is moveItem without the event, for callers that emit one themselves.
func (tx *Change) setItemStatus(ctx context.Context, row *ent.Item, update *ent.ItemUpdateOne, to string) (*ent.Item, error) {
	if err := allow(ItemTransitions, row.Status, to); err != nil {
		return nil, fmt.Errorf("item %d: %w", row.ID, err)
	}
	if itemIsListed(row.Status) && !itemIsListed(to) {
		update.ClearDueAt()
		if err := tx.release(ctx, 1, 0); err != nil {
			return nil, err
		}
	}
	saved, err := update.SetStatus(to).SetUpdatedAt(int64(tx.Now)).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("move item %d to %s: %w", row.ID, to, err)
	}
	tx.itemChanged(row, saved)
	return saved, nil
}

// RestartItemInput puts an ended item on sale again.
type RestartItemInput struct {
	ID      ID      `path:"id" missing:"item_not_found"`
	Restart Restart `body:"optional"`
}

// Restart has the fields that may differ from the item's earlier run.
type Restart struct {
	Price         Opt[Money] `json:"price" validate:"omitnil" doc:"fixed_price only; null is as before"`
	StartingPrice Opt[Money] `json:"starting_price" validate:"omitnil" doc:"auction only; null is as before"`
	DurationDays  Opt[int]   `json:"duration_days" validate:"omitnil,oneof=7 10 14 21 28" doc:"from now on; null is as before"`
	Renewals      Opt[int]   `json:"renewals" validate:"omitnil,oneof=0 1 2 3 4 5 10 99" doc:"null is as before"`
}

// restartItem opens an unsold or closed item again under the same id, without bids, from now on. Sold pieces stay sold:
// only the rest is for sale.
func (s *Service) restartItem(ctx context.Context, c *Call, in *RestartItemInput) (*Item, error) {
	wire.CheckRules(&in.Restart, "", &c.Problems)
	return change(ctx, s, c, 1, func(ctx context.Context, tx *Change) (*Item, error) {
		row, err := tx.loadItem(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if row.Status != ItemUnsold && row.Status != ItemClosed {
			return nil, refusal.With(ItemNotRestartable, map[string]any{"status": row.Status})
		}
		if _, err := tx.room(c, 1); err != nil {
			return nil, err
		}
		out, err := tx.restart(ctx, c, row, &in.Restart)
		if err != nil {
			return nil, err
		}
		c.Meta.ETag = out.etag()
		c.Meta.Store = tx.storeLimits(c)
		return out, nil
	})
}

func (tx *Change) restart(ctx context.Context, c *Call, row *ent.Item, in *Restart) (*Item, error) {
	draft, err := inputOfItem(row)
	if err != nil {
		return nil, err
	}
	draft.EndsAt = Opt[Time]{} // the old end has passed: the item runs its duration again
	var problems Problems
	if in.Price.Set {
		draft.Price = in.Price
	}
	if in.StartingPrice.Set {
		draft.StartingPrice = in.StartingPrice
	}
	if in.DurationDays.Set {
		draft.DurationDays = in.DurationDays
	}
	if in.Renewals.Set {
		draft.Renewals = in.Renewals
	}
	draft.checkSaleType("", &problems)
	draft.checkCurrency("", &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	ends := int64(draft.endOf(tx.Clock, c.TimeZone))
	update := tx.Item.UpdateOneID(row.ID)
	setItem(update.Mutation(), &draft, false)
	if row.StartsAt != nil && *row.StartsAt > int64(tx.Clock) {
		update.ClearStartsAt() // it starts now
	}
	update.SetBidCount(0).ClearFirstBidAt().ClearHighBidderID().
		SetRunStartedAt(int64(tx.Clock)).SetEndsAt(ends).SetDueAt(ends).SetRenewalsLeft(draft.Renewals.Or(0)).
		ClearClosedAt().ClearCloseReason().ClearCloseNote().SetRestartCount(row.RestartCount + 1)
	tx.wake(closerWorker)
	return tx.moveItem(ctx, row, update, ItemOpen, "item.restarted")
}
