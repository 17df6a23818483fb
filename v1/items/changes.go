package items

import (
	"context"
	"fmt"
	"net/http"

	"sellerd/ent"
	"sellerd/ent/owner"
	"sellerd/ent/shippingmodel"
	"sellerd/internal/base/crash"
	"sellerd/internal/base/each"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/itemset"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file changes many items in one call. The entries (changes_entry.go) are done one after another in one transaction. Their changes
// stand in memory until the end (package itemset), so a rejected entry leaves nothing.

// ItemChange is a change of one item.
type ItemChange struct {
	ItemID            wire.Opt[wire.ID]               `json:"item_id" validate:"omitnil" doc:"the item to change; excludes personal_reference"`
	PersonalReference wire.Opt[string]                `json:"personal_reference" validate:"omitnil,min=1,max=64,oneline" doc:"the item to change, if exactly one of your scheduled, open, unsold and closed items has it"`
	IfMatch           wire.Opt[string]                `json:"if_match" validate:"omitnil,max=1000" doc:"change the item only if this is its ETag, as with If-Match"`
	Patch             wire.Opt[wire.Patch[ItemInput]] `json:"patch" validate:"omitnil" doc:"the body of PATCH /v1/items/{id}"`
	Close             wire.Opt[Closing]               `json:"close" validate:"omitnil" doc:"the body of POST /v1/items/{id}/close, which may be {}"`
	Restart           wire.Opt[Restart]               `json:"restart" validate:"omitnil" doc:"the body of POST /v1/items/{id}/restart, which may be {}"`
}

// ItemChanges are changes of items. Each has exactly one of patch, close and restart.
type ItemChanges struct {
	Changes []ItemChange `json:"changes" validate:"max=100" least:"1" required:"true"`
}

// ChangeItemsInput is the body of a call with changes.
type ChangeItemsInput struct {
	ValidateOnly bool        `query:"validate_only" default:"false" doc:"change nothing, and answer what would happen"`
	Changes      ItemChanges `body:"json"`
}

// ItemChangesAnswer says which changes were done.
type ItemChangesAnswer struct {
	ChangedCount int                `json:"changed_count"`
	RefusedCount int                `json:"refused_count"`
	Results      []ItemChangeResult `json:"results" doc:"in the order of the request"`
}

// ItemChangeResult is the outcome of one change.
type ItemChangeResult struct {
	Index             int               `json:"index"`
	ItemID            wire.Opt[wire.ID] `json:"item_id" doc:"of the item; if none was looked up or found, as in the request"`
	PersonalReference wire.Opt[string]  `json:"personal_reference" doc:"of the item, after the change if it was done; if no item was looked up or found, as in the request"`
	StatusCode        int               `json:"status_code" doc:"what the change alone would have been answered"`
	ETag              wire.Opt[string]  `json:"etag" doc:"of the item after the change; null for a change that was refused, or only validated"`
	Errors            []refusal.Error   `json:"errors"`
}

// SayIn implements core.HasMessages.
func (a *ItemChangesAnswer) SayIn(language string) bool {
	return refusal.Say(language, each.Of(a.Results, func(r ItemChangeResult) []refusal.Error { return r.Errors })...)
}

// changeItems changes items, each as its entry says.
func (s *Items) changeItems(ctx context.Context, c *core.Call, in *ChangeItemsInput) (*ItemChangesAnswer, error) {
	changes := in.Changes.Changes
	perEntry, outside := splitProblems(c, "changes", len(changes))
	switch {
	case len(changes) == 0:
		outside.Add(refusal.BatchEmpty, "changes", "The call holds no changes.")
	case len(changes) > MaxBatch:
		outside.Add(refusal.BatchTooLarge, "changes", "The call holds more than %d changes.", MaxBatch)
	}
	if err := outside.Err(); err != nil {
		return nil, err
	}
	entries := make([]changeEntry, len(changes))
	for i := range changes {
		entries[i].prepare(c, i, &changes[i], &perEntry[i])
	}
	if in.ValidateOnly {
		return s.rehearseChanges(ctx, c, entries)
	}
	return change(ctx, s, c, 0, func(ctx context.Context, tx Change) (*ItemChangesAnswer, error) {
		out, err := tx.changeItems(ctx, c, entries, false)
		if err != nil {
			return nil, err
		}
		if err := tx.storeItems(ctx); err != nil {
			return nil, err
		}
		c.Meta.Store = tx.StoreLimits(c)
		return out, nil
	})
}

// rehearseChanges does the changes in memory alone.
func (s *Items) rehearseChanges(ctx context.Context, c *core.Call, entries []changeEntry) (out *ItemChangesAnswer, err error) {
	if err := s.IDs.Prepare(ctx); err != nil { // the events have ids
		return nil, err
	}
	err = s.Store.Snapshot(ctx, func(ctx context.Context, client *ent.Client) error {
		row, err := client.Owner.Get(ctx, int64(c.Owner))
		if err != nil {
			return fmt.Errorf("load owner %d: %w", c.Owner, err)
		}
		out, err = s.In(s.Rehearsal(client, row)).changeItems(ctx, c, entries, true)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range out.Results {
		out.Results[i].ETag = wire.Opt[string]{}
	}
	return out, nil
}

// changeItems does the changes of a call, in memory. If none can be done, its error has the reasons of all.
func (tx Change) changeItems(ctx context.Context, c *core.Call, entries []changeEntry, readOnly bool) (*ItemChangesAnswer, error) {
	if err := tx.loadItems(ctx, entries, readOnly); err != nil {
		return nil, err
	}
	out := &ItemChangesAnswer{Results: make([]ItemChangeResult, len(entries))}
	var refused refusal.Errors
	for i := range entries {
		e, result := &entries[i], &out.Results[i]
		*result = ItemChangeResult{
			Index: i, ItemID: repeated(e.in.ItemID, e.wrong, ".item_id"), PersonalReference: repeated(e.in.PersonalReference, e.wrong, ".personal_reference"),
			StatusCode: http.StatusOK, Errors: []refusal.Error{},
		}
		errs, err := tx.changeItem(ctx, e, result)
		if err != nil {
			return nil, err
		}
		if errs == nil {
			out.ChangedCount++
			continue
		}
		out.RefusedCount++
		result.StatusCode, result.Errors = errs.Status(), errs.Documented(tx.s.Config.BaseURL)
		for n := range errs {
			result.Errors[n].Index = refusal.IndexAt(i)
			errs[n].Index = refusal.IndexAt(i)
		}
		refused = append(refused, errs...)
	}
	if out.ChangedCount == 0 {
		return nil, refusal.Unprocessable(refused)
	}
	return out, nil
}

// loadItems loads the items that the entries name, and their shipping models, which the rules look up.
func (tx Change) loadItems(ctx context.Context, entries []changeEntry, readOnly bool) (err error) {
	var ids []int64
	var references []string
	models := map[int64]bool{}
	for i := range entries {
		e := &entries[i]
		switch {
		case e.wrong != nil:
		case e.in.ItemID.Set:
			ids = append(ids, int64(e.in.ItemID.V))
		default:
			references = append(references, e.in.PersonalReference.V)
		}
		if e.patch != nil && e.patch.To.ShippingModelID.Set {
			models[int64(e.patch.To.ShippingModelID.V)] = true
		}
	}
	kind := itemset.Kind{ManyWriters: tx.s.Store.ManyWriters(), ReadOnly: readOnly}
	tx.Items, err = itemset.Load(ctx, tx.Client, kind, int64(tx.Owner), ids, references)
	if err != nil {
		return err
	}
	for row := range tx.Items.All {
		if row.ShippingModelID != nil {
			models[*row.ShippingModelID] = true
		}
	}
	types, err := tx.shippingTypes(ctx, models)
	if err != nil {
		return err
	}
	for i := range entries {
		if patch := entries[i].patch; patch != nil {
			patch.models = types
		}
	}
	return nil
}

// shippingTypes loads the types of shipping models. Those that do not exist are in the result as well.
func (tx Change) shippingTypes(ctx context.Context, models map[int64]bool) (map[wire.ID]shippingType, error) {
	types := make(map[wire.ID]shippingType, len(models))
	if len(models) == 0 {
		return types, nil
	}
	ids := make([]int64, 0, len(models))
	for id := range models {
		ids = append(ids, id)
		types[wire.ID(id)] = shippingType{}
	}
	found, err := tx.ShippingModel.Query().Where(shippingmodel.IDIn(ids...), shippingmodel.Owner(int64(tx.Owner))).
		Select(shippingmodel.FieldID, shippingmodel.FieldType, shippingmodel.FieldState).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("load shipping models: %w", err)
	}
	for _, row := range found {
		types[wire.ID(row.ID)] = shippingTypeOf(row)
	}
	return types, nil
}

// instantFor is the updated_at of a change. Each change of an item has its own, because the ETag is made of it.
func (tx Change) instantFor(row *ent.Item) wire.Time {
	at := max(tx.Now, wire.Time(row.UpdatedAt)+1)
	tx.Latest = max(tx.Latest, at)
	return at
}

// storeItems stores what the changes of a call have made of its items, and the units that they spent.
func (tx Change) storeItems(ctx context.Context) error {
	if err := tx.Items.Store(tx.s.Store.Late(ctx)); err != nil {
		return err
	}
	crash.At(crash.MidChanges)
	var words []wordChange
	for _, moved := range tx.Items.Moved() {
		if moved.Before.Search != moved.Now.Search {
			words = append(words, wordChange{moved.Now.ID, moved.Before.Search, moved.Now.Search})
		}
	}
	if err := tx.storeWords(ctx, words); err != nil {
		return err
	}
	if tx.Spent == 0 && tx.SpentToday == 0 && tx.Latest <= tx.Now {
		return nil
	}
	err := tx.Client.Owner.Update().Where(owner.ID(int64(tx.Owner))).AddOpenCount(tx.Spent).AddDayCount(tx.SpentToday).
		SetLastChangeAt(int64(max(tx.Latest, tx.Now))).Exec(tx.s.Store.Late(ctx))
	return wrap.Err(err, "charge units")
}
