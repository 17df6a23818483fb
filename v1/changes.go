package v1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"

	"sellerd/ent"
	"sellerd/ent/owner"
	"sellerd/ent/shippingmodel"
	"sellerd/internal/crash"
	"sellerd/v1/etag"
	"sellerd/v1/itemset"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file changes many items in one call. Each entry is done by the functions of the operation that it stands for (item_changes.go,
// item_moves.go), one after another in one transaction, and gets what that operation alone would have returned. The rules of an entry
// run before its changes, which only stand in memory until the end (package itemset), so a rejected entry leaves nothing.

// ItemChange is a change of one item.
type ItemChange struct {
	ItemID            Opt[ID]               `json:"item_id" validate:"omitnil" doc:"the item to change; excludes personal_reference"`
	PersonalReference Opt[string]           `json:"personal_reference" validate:"omitnil,min=1,max=64,oneline" doc:"the item to change, if exactly one of your scheduled, open, unsold and closed items has it"`
	IfMatch           Opt[string]           `json:"if_match" validate:"omitnil,max=1000" doc:"change the item only if this is its ETag, as with If-Match"`
	Patch             Opt[Patch[ItemInput]] `json:"patch" validate:"omitnil" doc:"the body of PATCH /v1/items/{id}"`
	Close             Opt[Closing]          `json:"close" validate:"omitnil" doc:"the body of POST /v1/items/{id}/close, which may be {}"`
	Restart           Opt[Restart]          `json:"restart" validate:"omitnil" doc:"the body of POST /v1/items/{id}/restart, which may be {}"`
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
	Index             int         `json:"index"`
	ItemID            Opt[ID]     `json:"item_id" doc:"of the item; if none was looked up or found, as in the request"`
	PersonalReference Opt[string] `json:"personal_reference" doc:"of the item, after the change if it was done; if no item was looked up or found, as in the request"`
	StatusCode        int         `json:"status_code" doc:"what the change alone would have been answered"`
	ETag              Opt[string] `json:"etag" doc:"of the item after the change; null for a change that was refused, or only validated"`
	Errors            []Error     `json:"errors"`
}

// changeItems changes items, each as its entry says.
func (s *Service) changeItems(ctx context.Context, c *Call, in *ChangeItemsInput) (*ItemChangesAnswer, error) {
	changes := in.Changes.Changes
	perEntry, outside := splitProblems(c, "changes", len(changes))
	switch {
	case len(changes) == 0:
		outside.Add(BatchEmpty, "changes", "The call holds no changes.")
	case len(changes) > MaxBatch:
		outside.Add(BatchTooLarge, "changes", "The call holds more than %d changes.", MaxBatch)
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
	return change(ctx, s, c, 0, func(ctx context.Context, tx *Change) (*ItemChangesAnswer, error) {
		out, err := tx.changeItems(ctx, c, entries)
		if err != nil {
			return nil, err
		}
		if err := tx.storeItems(ctx); err != nil {
			return nil, err
		}
		c.Meta.Store = tx.storeLimits(c)
		return out, nil
	})
}

// rehearseChanges does the changes in memory alone.
func (s *Service) rehearseChanges(ctx context.Context, c *Call, entries []changeEntry) (out *ItemChangesAnswer, err error) {
	if err := s.ids.Prepare(ctx); err != nil { // the events have ids
		return nil, err
	}
	err = s.store.Snapshot(ctx, func(ctx context.Context, client *ent.Client) error {
		row, err := client.Owner.Get(ctx, int64(c.Owner))
		if err != nil {
			return fmt.Errorf("load owner %d: %w", c.Owner, err)
		}
		now := s.now()
		tx := &Change{
			Client: client, Now: max(now, Time(row.LastChangeAt)+1), Clock: now, Owner: c.Owner, s: s, open: row.OpenCount, daily: usedOnDay(row, now),
			rehearsal: true,
		}
		out, err = tx.changeItems(ctx, c, entries)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range out.Results {
		out.Results[i].ETag = Opt[string]{}
	}
	return out, nil
}

// changeEntry is an entry of a call with changes.
type changeEntry struct {
	in    *ItemChange
	index int
	call  Call       // of the entry alone, in which fields are named as in the body of its operation
	patch *itemPatch // of an entry with a patch
	wrong Errors     // why the entry is refused, whatever its item is
}

// The parts of an entry that say what to do.
const (
	entryPatch   = "patch"
	entryClose   = "close"
	entryRestart = "restart"
)

// action is what an entry says first.
func (e *changeEntry) action() string {
	switch {
	case e.in.Patch.Set:
		return entryPatch
	case e.in.Close.Set:
		return entryClose
	default:
		return entryRestart
	}
}

// prepare checks what can be checked without the item. The problems are those of decoding.
func (e *changeEntry) prepare(c *Call, index int, in *ItemChange, problems *Problems) {
	e.in, e.index, e.call = in, index, Call{Caller: c.Caller, IfMatch: in.IfMatch.V}
	place := "changes[" + strconv.Itoa(index) + "]."
	var own Problems // but for those inside a patch, which is checked with its item
	for _, problem := range problems.Entries() {
		if field, ok := strings.CutPrefix(problem.Field, place+entryPatch+"."); ok {
			problem.Field = field
			e.call.Problems.AddError(problem)
		} else {
			own.AddError(problem)
		}
	}
	wire.CheckRules(in, place, &own)
	e.check(place, &own)
	if e.wrong = own.Entries(); e.wrong != nil {
		e.wrong = append(e.wrong, e.refused(e.call.Problems.Entries())...)
		return
	}
	if in.Patch.Set {
		var err error
		if e.patch, err = e.call.preparePatch(&in.Patch.V); err != nil {
			e.wrong = e.refused(err.(Errors))
		}
	}
}

// check checks which item the entry names, and that it says one thing to do.
func (e *changeEntry) check(place string, problems *Problems) {
	in := e.in
	if !in.ItemID.Set && !in.PersonalReference.Set {
		problems.Add(MissingField, place+"item_id", "Name the item by item_id or by personal_reference.")
	}
	if in.ItemID.Set && in.PersonalReference.Set {
		problems.Add(ConflictingFields, place+"personal_reference", "excludes item_id")
	}
	if in.IfMatch.Set && in.IfMatch.V != "*" && !etag.IsList(in.IfMatch.V) {
		problems.Add(InvalidValue, place+"if_match", "must be * or entity tags in quotes, with commas between them")
	}
	said := 0
	for _, part := range []struct {
		name string
		set  bool
	}{{entryPatch, in.Patch.Set}, {entryClose, in.Close.Set}, {entryRestart, in.Restart.Set}} {
		if part.set {
			said++
		}
		if part.set && said > 1 {
			problems.Add(ConflictingFields, place+part.name, "excludes %s", e.action())
		}
	}
	if said == 0 {
		problems.Add(MissingField, place+entryPatch, "Say what to do: patch, close or restart.")
	}
}

// refused names the fields of a refusal as they are in the call.
func (e *changeEntry) refused(errs Errors) Errors {
	out := make(Errors, len(errs))
	for i, problem := range errs {
		switch problem.Field {
		case "":
		case "If-Match":
			problem.Field = fmt.Sprintf("changes[%d].if_match", e.index)
		default:
			problem.Field = fmt.Sprintf("changes[%d].%s.%s", e.index, e.action(), problem.Field)
		}
		out[i] = problem
	}
	return out
}

// changeItems does the changes of a call, in memory. If none can be done, its error has the reasons of all.
func (tx *Change) changeItems(ctx context.Context, c *Call, entries []changeEntry) (*ItemChangesAnswer, error) {
	if err := tx.loadItems(ctx, entries); err != nil {
		return nil, err
	}
	out := &ItemChangesAnswer{Results: make([]ItemChangeResult, len(entries))}
	var refused Errors
	for i := range entries {
		e, result := &entries[i], &out.Results[i]
		*result = ItemChangeResult{Index: i, ItemID: e.in.ItemID, PersonalReference: e.in.PersonalReference, StatusCode: http.StatusOK, Errors: []Error{}}
		errs, err := tx.changeItem(ctx, e, result)
		if err != nil {
			return nil, err
		}
		if errs == nil {
			out.ChangedCount++
			continue
		}
		out.RefusedCount++
		result.StatusCode, result.Errors = errs.Status(), errs.Documented(tx.s.config.BaseURL)
		for n := range errs {
			result.Errors[n].Index = IndexAt(i)
			errs[n].Index = IndexAt(i)
		}
		refused = append(refused, errs...)
	}
	if out.ChangedCount == 0 {
		return nil, refusal.Unprocessable(refused)
	}
	return out, nil
}

// loadItems loads the items that the entries name, and their shipping models, which the rules look up.
func (tx *Change) loadItems(ctx context.Context, entries []changeEntry) (err error) {
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
	kind := itemset.Kind{Postgres: tx.s.store.Dialect() == dialect.Postgres, ReadOnly: tx.rehearsal}
	tx.items, err = itemset.Load(ctx, tx.Client, kind, int64(tx.Owner), ids, references)
	if err != nil {
		return err
	}
	for row := range tx.items.All {
		if row.ShippingModelID != nil {
			models[*row.ShippingModelID] = true
		}
	}
	types, err := tx.shippingTypes(ctx, models)
	if err != nil {
		return err
	}
	for i := range entries {
		entries[i].call.shippingTypes = types
	}
	return nil
}

// shippingTypes loads the types of shipping models. Those that do not exist are in the result as well.
func (tx *Change) shippingTypes(ctx context.Context, models map[int64]bool) (map[ID]shippingType, error) {
	types := make(map[ID]shippingType, len(models))
	if len(models) == 0 {
		return types, nil
	}
	ids := make([]int64, 0, len(models))
	for id := range models {
		ids = append(ids, id)
		types[ID(id)] = shippingType{}
	}
	found, err := tx.ShippingModel.Query().Where(shippingmodel.IDIn(ids...), shippingmodel.Owner(int64(tx.Owner))).
		Select(shippingmodel.FieldID, shippingmodel.FieldType, shippingmodel.FieldState).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("load shipping models: %w", err)
	}
	for _, row := range found {
		types[ID(row.ID)] = shippingTypeOf(row)
	}
	return types, nil
}

// changeItem does what one entry says, and completes its result. Errors are the reasons of a refusal, which has changed nothing.
func (tx *Change) changeItem(ctx context.Context, e *changeEntry, result *ItemChangeResult) (Errors, error) {
	if e.wrong != nil {
		return e.wrong, nil
	}
	row, err := tx.namedItem(ctx, e.in)
	if err == nil {
		result.ItemID, result.PersonalReference = Some(ID(row.ID)), Maybe(row.PersonalReference)
		call := e.call // the transaction may run twice
		call.Problems = e.call.Problems.Clone()
		var out *Item
		if out, err = tx.runEntry(ctx, &call, row, e); err == nil {
			result.PersonalReference, result.ETag = out.PersonalReference, Some(call.Meta.ETag)
			return nil, nil
		}
	}
	var refused Errors
	if errors.As(err, &refused) {
		return e.refused(refused), nil
	}
	return nil, err
}

// namedItem is the item that an entry names.
func (tx *Change) namedItem(ctx context.Context, in *ItemChange) (*ent.Item, error) {
	id := int64(in.ItemID.V)
	if !in.ItemID.Set {
		ids, err := tx.items.Named(ctx, in.PersonalReference.V)
		if err != nil {
			return nil, err
		}
		if len(ids) > 1 {
			texts := make([]string, len(ids))
			for i, id := range ids {
				texts[i] = ID(id).String()
			}
			return nil, refusal.With(ReferenceAmbiguous, map[string]any{"item_ids": texts})
		}
		if len(ids) == 0 {
			return nil, refusal.New(ItemNotFound)
		}
		id = ids[0]
	}
	row, err := tx.items.Item(ctx, id)
	if err == nil && row == nil {
		err = refusal.New(ItemNotFound)
	}
	return row, err
}

// runEntry runs the operation that an entry stands for.
func (tx *Change) runEntry(ctx context.Context, c *Call, row *ent.Item, e *changeEntry) (*Item, error) {
	if e.patch != nil {
		checked, err := tx.s.checkPatch(ctx, c, row, e.patch)
		if err != nil {
			return nil, err
		}
		return tx.patchItem(ctx, c, row, checked)
	}
	if err := c.itemPrecondition(row); err != nil {
		return nil, err
	}
	if e.in.Close.Set {
		return tx.closeItem(ctx, c, row, &e.in.Close.V)
	}
	if err := tx.release(ctx, -1, -1); err != nil {
		return nil, err
	}
	out, err := tx.restartItem(ctx, c, row, &e.in.Restart.V)
	if err != nil {
		err = cmp.Or(tx.release(ctx, 1, 1), err)
	}
	return out, err
}

// instantFor is the updated_at of a change. Each change of an item has its own, because the ETag is made of it.
func (tx *Change) instantFor(row *ent.Item) Time {
	at := max(tx.Now, Time(row.UpdatedAt)+1)
	tx.latest = max(tx.latest, at)
	return at
}

// storeItems stores what the changes of a call have made of its items, and the units that they spent.
func (tx *Change) storeItems(ctx context.Context) error {
	if err := tx.items.Store(tx.s.store.Late(ctx)); err != nil {
		return err
	}
	crash.At(crash.MidChanges)
	for _, moved := range tx.items.Moved() {
		if moved.Before.Search == moved.Now.Search {
			continue
		}
		if err := tx.storeWords(ctx, moved.Now.ID, moved.Before.Search, moved.Now.Search); err != nil {
			return err
		}
	}
	if tx.spent == 0 && tx.spentToday == 0 && tx.latest <= tx.Now {
		return nil
	}
	err := tx.Client.Owner.Update().Where(owner.ID(int64(tx.Owner))).AddOpenCount(tx.spent).AddDayCount(tx.spentToday).
		SetLastChangeAt(int64(max(tx.latest, tx.Now))).Exec(tx.s.store.Late(ctx))
	if err != nil {
		return fmt.Errorf("charge units: %w", err)
	}
	return nil
}
