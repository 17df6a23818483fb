package items

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"sellerd/ent"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
	"sellerd/v1/etag"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file does one entry of a call with changes, by the functions of the operation that it stands for (patch.go, moves.go).
// It gets what that operation alone would have returned, and its rules run before its changes.

// changeEntry is an entry of a call with changes.
type changeEntry struct {
	in    *ItemChange
	index int
	call  core.Call      // of the entry alone, in which fields are named as in the body of its operation
	patch *itemPatch     // of an entry with a patch
	wrong refusal.Errors // why the entry is refused, whatever its item is
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
func (e *changeEntry) prepare(c *core.Call, index int, in *ItemChange, problems *refusal.Problems) {
	e.in, e.index, e.call = in, index, core.Call{Caller: c.Caller, Request: core.Request{IfMatch: in.IfMatch.V}}
	place := "changes[" + strconv.Itoa(index) + "]."
	var own refusal.Problems // but for those inside a patch, which is checked with its item
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
		if e.patch, err = preparePatch(&e.call, &in.Patch.V); err != nil {
			e.wrong = e.refused(refusal.All(err))
		}
	}
}

// check checks which item the entry names, and that it says one thing to do.
func (e *changeEntry) check(place string, problems *refusal.Problems) {
	in := e.in
	if !in.ItemID.Set && !in.PersonalReference.Set {
		problems.Add(refusal.MissingField, place+"item_id", "Name the item by item_id or by personal_reference.")
	}
	if in.ItemID.Set && in.PersonalReference.Set {
		problems.Add(refusal.ConflictingFields, place+"personal_reference", "excludes item_id")
	}
	if in.IfMatch.Set && in.IfMatch.V != "*" && !etag.IsList(in.IfMatch.V) {
		problems.Add(refusal.InvalidValue, place+"if_match", "must be * or entity tags in quotes, with commas between them")
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
			problems.Add(refusal.ConflictingFields, place+part.name, "excludes %s", e.action())
		}
	}
	if said == 0 {
		problems.Add(refusal.MissingField, place+entryPatch, "Say what to do: patch, close or restart.")
	}
}

// refused names the fields of a refusal as they are in the call.
func (e *changeEntry) refused(errs refusal.Errors) refusal.Errors {
	out := make(refusal.Errors, len(errs))
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

// changeItem does what one entry says, and completes its result. Errors are the reasons of a refusal, which has changed nothing.
func (tx Change) changeItem(ctx context.Context, e *changeEntry, result *ItemChangeResult) (refusal.Errors, error) {
	if e.wrong != nil {
		return e.wrong, nil
	}
	row, err := tx.namedItem(ctx, e.in)
	if err == nil {
		err = tx.loadShippingType(ctx, e, row)
	}
	if err == nil {
		result.ItemID, result.PersonalReference = wire.Some(wire.ID(row.ID)), wire.Maybe(row.PersonalReference)
		call := e.call // the transaction may run twice
		call.Problems = e.call.Problems.Clone()
		var out *Item
		if out, err = tx.runEntry(ctx, &call, row, e); err == nil {
			result.PersonalReference, result.ETag = out.PersonalReference, wire.Some(call.Meta.ETag)
			return nil, nil
		}
	}
	if refused, ok := errors.AsType[refusal.Errors](err); ok {
		return e.refused(refused), nil
	}
	return nil, err
}

// namedItem is the item that an entry names.
func (tx Change) namedItem(ctx context.Context, in *ItemChange) (*ent.Item, error) {
	id := int64(in.ItemID.V)
	if !in.ItemID.Set {
		ids, err := tx.Items.Named(ctx, in.PersonalReference.V)
		if err != nil {
			return nil, err
		}
		if len(ids) > 1 {
			texts := each.Of(ids, func(id int64) string { return wire.ID(id).String() })
			return nil, refusal.With(refusal.ReferenceAmbiguous, map[string]any{"item_ids": texts})
		}
		if len(ids) == 0 {
			return nil, refusal.New(refusal.ItemNotFound)
		}
		id = ids[0]
	}
	row, err := tx.Items.Item(ctx, id)
	if err == nil && row == nil {
		err = refusal.New(refusal.ItemNotFound)
	}
	return row, err
}

// runEntry runs the operation that an entry stands for.
func (tx Change) runEntry(ctx context.Context, c *core.Call, row *ent.Item, e *changeEntry) (*Item, error) {
	if e.patch != nil {
		checked, err := tx.s.checkPatch(ctx, c, row, e.patch)
		if err != nil {
			return nil, err
		}
		return tx.patchItem(ctx, c, row, checked)
	}
	if err := itemPrecondition(c, row); err != nil {
		return nil, err
	}
	if e.in.Close.Set {
		return tx.closeItem(ctx, c, row, &e.in.Close.V)
	}
	if err := tx.Release(ctx, -1, -1); err != nil {
		return nil, err
	}
	out, err := tx.restartItem(ctx, c, row, &e.in.Restart.V)
	if err != nil {
		err = cmp.Or(tx.Release(ctx, 1, 1), err)
	}
	return out, err
}

// loadShippingType looks up the shipping model of an item that loadItems has not met, such as one that got its reference in this call.
func (tx Change) loadShippingType(ctx context.Context, e *changeEntry, row *ent.Item) error {
	if e.patch == nil || row.ShippingModelID == nil {
		return nil
	}
	if _, seen := e.patch.models[wire.ID(*row.ShippingModelID)]; seen {
		return nil
	}
	types, err := tx.shippingTypes(ctx, map[int64]bool{*row.ShippingModelID: true})
	maps.Copy(e.patch.models, types)
	return err
}
