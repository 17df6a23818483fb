package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/numbering"
	"sellerd/v1/refusal"
	"sellerd/v1/shipping"
	"sellerd/v1/wire"
)

// This file reads and writes all shipping models of an account as a text that can be edited, for the commands beside the
// server.

// ShippingModelEntry is one model in such a text, a JSON array of them.
type ShippingModelEntry struct {
	ID wire.Opt[wire.ID] `json:"id"` // missing: a new model
	shipping.ModelInput
}

// ShippingModelChanges are the changes of an account's models.
type ShippingModelChanges struct {
	Created   []wire.ID         `json:"created"`
	Changed   []wire.ID         `json:"changed"`
	Unchanged []wire.ID         `json:"unchanged"`
	Retired   []wire.ID         `json:"retired"` // not in the text, and in use
	Deleted   []wire.ID         `json:"deleted"` // not in the text, and not in use
	Default   wire.Opt[wire.ID] `json:"default"`
}

// ListShippingModels are an account's models in a mode, live or test, as SetShippingModels reads them; ErrNoAccount
// when there is no such account.
func (s *Accounts) ListShippingModels(ctx context.Context, account int64, mode string) ([]ShippingModelEntry, error) {
	c, err := s.actForAccount(ctx, account, mode)
	if err != nil {
		return nil, err
	}
	rows, err := shipping.Of(ctx, s.Store.Reader(), int64(c.Owner))
	if err != nil {
		return nil, err
	}
	entries := make([]ShippingModelEntry, len(rows))
	for i, row := range rows {
		zones, err := wire.Raw[[]shipping.ZoneInput]{Text: row.Zones}.Value()
		if err != nil {
			return nil, fmt.Errorf("shipping model %d: %w", row.ID, err)
		}
		entries[i] = ShippingModelEntry{wire.Some(wire.ID(row.ID)), shipping.ModelInput{
			Name: wire.Some(row.Name), Type: wire.Some(row.Type), Currency: wire.Some(wire.Currency(row.Currency)), IsDefault: row.IsDefault,
			Retired: row.State == shipping.Retired, Zones: zones,
		}}
	}
	return entries, nil
}

// SetShippingModels replaces an account's models in a mode, live or test, by those of a text, all or none. Models that are
// not in the text are deleted, or retired if they are in use. Errors name all mistakes of the text, with paths such as
// [0].zones[1].name; ErrNoAccount is returned when there is no such account.
func (s *Accounts) SetShippingModels(ctx context.Context, account int64, mode string, text []byte) (*ShippingModelChanges, error) {
	c, err := s.actForAccount(ctx, account, mode)
	if err != nil {
		return nil, err
	}
	rows, err := shipping.Of(ctx, s.Store.Reader(), int64(c.Owner))
	if err != nil {
		return nil, err
	}
	var entries []ShippingModelEntry
	var problems refusal.Problems
	if err := wire.BindInto(text, &entries, &problems); err != nil {
		return nil, err
	}
	if err := s.checkShippingModels(c, entries, rows, &problems); err != nil {
		return nil, err
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	used := map[int64]modelUse{}
	for _, row := range rows {
		if !isNamed(entries, row.ID) {
			if used[row.ID], err = s.useOfShippingModel(ctx, row); err != nil {
				return nil, err
			}
		}
	}
	number, err := s.IDs.Numbers(ctx, numbering.ShippingModels, max(1, len(entries)))
	if err != nil {
		return nil, err
	}
	var out *ShippingModelChanges
	err = s.Core.AsOwner(ctx, c.Owner, 0, func(ctx context.Context, tx *core.Change) (err error) {
		if out, err = (Change{tx}).setShippingModels(ctx, entries, used, number); err != nil {
			return err
		}
		return s.Audit(ctx, tx.Client, core.Audited{Account: account, Target: mode, After: out})
	})
	return out, err
}

// actForAccount is a call of a command for an account in a mode.
func (s *Accounts) actForAccount(ctx context.Context, account int64, mode string) (*core.Call, error) {
	c := &core.Call{}
	err := s.ActAs(ctx, c, core.OwnerOf(account, mode == core.ModeName(true)))
	if ent.IsNotFound(err) {
		return nil, core.ErrNoAccount
	}
	return c, err
}

func isNamed(entries []ShippingModelEntry, id int64) bool {
	return slices.ContainsFunc(entries, func(entry ShippingModelEntry) bool { return entry.ID == wire.Some(wire.ID(id)) })
}

// checkShippingModels adds the errors of the models of a text, of each model and of all together.
func (s *Accounts) checkShippingModels(c *core.Call, entries []ShippingModelEntry, rows []*ent.ShippingModel,
	problems *refusal.Problems,
) error {
	active, defaultAt := 0, -1
	named := map[wire.ID]int{}
	for i := range entries {
		entry, at := &entries[i], fmt.Sprintf("[%d].", i)
		var before *ent.ShippingModel
		if entry.ID.Set {
			if k := slices.IndexFunc(rows, func(row *ent.ShippingModel) bool { return wire.ID(row.ID) == entry.ID.V }); k >= 0 {
				before = rows[k]
			} else {
				problems.Add(refusal.UnknownShippingModel, at+"id", "is not a model of the account in this mode; leave it out to create one")
			}
			if other, twice := named[entry.ID.V]; twice {
				problems.Add(refusal.InvalidValue, at+"id", "is the id of [%d] as well", other)
			}
			named[entry.ID.V] = i
		}
		check, err := shipping.NewCheck(s.Reference, before, problems)
		if err != nil {
			return err
		}
		entry.Currency = wire.Some(entry.Currency.Or(c.Currency))
		check.Model(&entry.ModelInput, at)
		if entry.IsDefault && defaultAt >= 0 {
			problems.Add(refusal.ConflictingFields, at+"is_default", "is set for [%d] as well", defaultAt)
		} else if entry.IsDefault {
			defaultAt = i
		}
		if !entry.Retired {
			active++
		}
	}
	if active > MaxShippingModels {
		problems.Add(refusal.TooLong, fmt.Sprintf("[%d]", MaxShippingModels),
			"is one too many: an account has at most %d models that are not retired", MaxShippingModels)
	}
	return nil
}

// errModelsMoved means that a model was removed since the text was checked.
var errModelsMoved = errors.New("the account's shipping models have changed meanwhile: run the command again")

func (tx Change) setShippingModels(ctx context.Context, entries []ShippingModelEntry, used map[int64]modelUse,
	number int64,
) (*ShippingModelChanges, error) {
	rows, err := shipping.Of(ctx, tx.Client, int64(tx.Owner))
	if err != nil {
		return nil, err
	}
	out := &ShippingModelChanges{}
	for i := range entries {
		entry := &entries[i]
		id, kind := entry.ID.V, &out.Created
		if entry.ID.Set {
			k := slices.IndexFunc(rows, func(row *ent.ShippingModel) bool { return wire.ID(row.ID) == id })
			if k < 0 {
				return nil, errModelsMoved
			}
			saved, err := tx.replaceShippingModel(ctx, rows[k], &entry.ModelInput)
			if err != nil {
				return nil, err
			}
			kind = &out.Changed
			if saved == rows[k] {
				kind = &out.Unchanged
			}
		} else {
			id = wire.ID(number + int64(i))
			if _, err := tx.createShippingModel(ctx, int64(id), &entry.ModelInput); err != nil {
				return nil, err
			}
		}
		*kind = append(*kind, id)
		if entry.IsDefault {
			out.Default = wire.Some(id)
		}
	}
	for _, row := range rows {
		if isNamed(entries, row.ID) {
			continue
		}
		use, looked := used[row.ID]
		inUse := !looked // it was created meanwhile
		if looked {
			if inUse, err = tx.shippingModelInUse(ctx, row, use); err != nil {
				return nil, err
			}
		}
		if err := tx.takeShippingModelAway(ctx, row, inUse); err != nil {
			return nil, err
		}
		if inUse {
			out.Retired = append(out.Retired, wire.ID(row.ID))
		} else {
			out.Deleted = append(out.Deleted, wire.ID(row.ID))
		}
	}
	return out, nil
}
