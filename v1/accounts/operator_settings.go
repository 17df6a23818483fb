package accounts

import (
	"context"
	"fmt"
	"math"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/etag"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file changes accounts, on the operator's side.

// UpdateAccountInput is a change of an account.
type UpdateAccountInput struct {
	ID    wire.ID                     `path:"id" missing:"route_not_found"`
	Patch wire.Patch[AccountSettings] `body:"json"`
}

// AccountSettings are the members of an account that the operator can change. Null clears only limits and the rating.
type AccountSettings struct {
	Nickname wire.Opt[string]         `json:"nickname" validate:"required,min=3,max=40" doc:"as at creation; the store keeps its name"`
	Email    wire.Opt[string]         `json:"email" validate:"required,email,max=254"`
	Type     wire.Opt[string]         `json:"type" validate:"required,oneof=private professional"`
	Language wire.Opt[string]         `json:"language" validate:"required,oneof=en fr de it es nl"`
	Currency wire.Opt[wire.Currency]  `json:"currency" validate:"required" doc:"items, bills and shipping models keep theirs"`
	TimeZone wire.Opt[string]         `json:"time_zone" validate:"required" doc:"IANA name; the ends of items that run stay where they are"`
	Rating   wire.Opt[RatingSettings] `json:"rating" validate:"omitnil" doc:"null: no ratings"`
	Status   wire.Opt[string]         `json:"status" validate:"required,oneof=active suspended"`
	Store    wire.Opt[StoreSettings]  `json:"store" validate:"omitnil"`
	Limits   wire.Opt[LimitSettings]  `json:"limits" validate:"omitnil"`
}

// RatingSettings are the ratings of a seller by buyers, which the marketplace counts and reports.
type RatingSettings struct {
	Count      wire.Opt[int]     `json:"count" validate:"required,min=0,max=1000000000" doc:"ratings with a score"`
	Percentage wire.Opt[float64] `json:"percentage" validate:"omitnil,min=0,max=100" doc:"the mean of the scores, with at most two decimals; null if and only if there are none"`
}

func (settings *AccountSettings) check(problems *refusal.Problems) {
	wire.CheckRules(settings, "", problems)
	checkSeller(settings.Nickname, settings.Currency, settings.TimeZone, problems)
	if !settings.Store.V.Name.Set {
		problems.Add(refusal.MissingField, "store.name", "cannot be cleared")
	}
	if !settings.Store.V.Plan.Set {
		problems.Add(refusal.MissingField, "store.plan", "cannot be cleared")
	}
	switch count, percentage := settings.Rating.V.Count, settings.Rating.V.Percentage; {
	case count.V == 0 && percentage.Set:
		problems.Add(refusal.ConflictingFields, "rating.percentage", "must be null without ratings")
	case count.V > 0 && !percentage.Set:
		problems.Add(refusal.MissingField, "rating.percentage", "is required with ratings")
	case math.Round(percentage.V*100)/100 != percentage.V:
		problems.Add(refusal.InvalidValue, "rating.percentage", "must have at most two decimals")
	}
}

// settingsOf are the settings of an account before a patch.
func settingsOf(row *ent.Account) AccountSettings {
	return AccountSettings{
		Nickname: wire.Some(row.Nickname), Email: wire.Some(row.Email), Type: wire.Some(row.Type), Language: wire.Some(row.Language),
		Currency: wire.Some(wire.Currency(row.Currency)), TimeZone: wire.Some(row.TimeZone),
		Rating: wire.Some(RatingSettings{wire.Some(row.RatingCount), wire.Maybe(row.RatingPercentage)}), Status: wire.Some(row.Status),
		Store: wire.Some(StoreSettings{wire.Some(row.StoreName), wire.Some(row.StorePlan)}),
		Limits: wire.Some(LimitSettings{
			wire.Maybe(row.LimitRequestsPerMinute), wire.Maybe(row.LimitOpenItems),
			wire.Maybe(row.LimitNewItemsPerDay),
		}),
	}
}

// update puts the settings into a row.
func (settings *AccountSettings) update(m *ent.AccountMutation) {
	m.SetNickname(settings.Nickname.V)
	m.SetEmail(settings.Email.V)
	m.SetType(settings.Type.V)
	m.SetLanguage(settings.Language.V)
	m.SetCurrency(string(settings.Currency.V))
	m.SetTimeZone(settings.TimeZone.V)
	m.SetRatingCount(settings.Rating.V.Count.V)
	items.SetOrClear(settings.Rating.V.Percentage.Ptr(), m.SetRatingPercentage, m.ClearRatingPercentage)
	m.SetStatus(settings.Status.V)
	m.SetStoreName(settings.Store.V.Name.V)
	m.SetStorePlan(settings.Store.V.Plan.V)
	limits := settings.Limits.V
	items.SetOrClear(limits.RequestsPerMinute.Ptr(), m.SetLimitRequestsPerMinute, m.ClearLimitRequestsPerMinute)
	items.SetOrClear(limits.OpenItems.Ptr(), m.SetLimitOpenItems, m.ClearLimitOpenItems)
	items.SetOrClear(limits.NewItemsPerDay.Ptr(), m.SetLimitNewItemsPerDay, m.ClearLimitNewItemsPerDay)
}

// operatorUpdateAccount changes an account's data, state, store and limits, from its next request on.
func (s *Accounts) operatorUpdateAccount(ctx context.Context, c *core.Call, in *UpdateAccountInput) (*OperatorAccount, error) {
	core.TraceFrom(ctx).Account = int64(in.ID)
	if len(in.Patch.Fields) == 0 && c.Problems.Err() == nil {
		return nil, refusal.New(refusal.EmptyPatch)
	}
	out, err := s.changeAccount(ctx, int64(in.ID), func(row *ent.Account, update *ent.AccountUpdateOne) error {
		if err := c.Precondition(etag.Of(wire.EncodeJSON(nil, operatorAccountFrom(row)))); err != nil {
			return err
		}
		settings := settingsOf(row)
		in.Patch.Apply(&settings)
		problems := c.Problems.Clone() // a second run starts in the same state
		settings.check(&problems)
		if err := problems.Err(); err != nil {
			return err
		}
		if row.ClosedAt != nil && settings.Status.V == core.AccountStatusActive {
			return ErrClosed
		}
		settings.update(update.Mutation())
		return nil
	})
	if err != nil {
		return nil, AsRefused(err)
	}
	c.Meta.ETag = etag.Of(wire.EncodeJSON(nil, out)) // as operatorGetAccount returns it
	return out, nil
}

// changeAccount changes an account by a rule. It returns ErrNoAccount when there is none.
func (s *Accounts) changeAccount(ctx context.Context, id int64,
	rule func(row *ent.Account, update *ent.AccountUpdateOne) error,
) (out *OperatorAccount, err error) {
	err = s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (core.Audited, error) {
		if err := core.LockAccount(ctx, tx, id, s.Now()); err != nil {
			return core.Audited{}, err
		}
		row, err := tx.Account.Get(ctx, id)
		if err != nil {
			return core.Audited{}, fmt.Errorf("load account %d: %w", id, err)
		}
		before, update := operatorAccountFrom(row), tx.Account.UpdateOne(row)
		if err := rule(row, update); err != nil {
			return core.Audited{}, err
		}
		if name, given := update.Mutation().Nickname(); given && name != row.Nickname {
			if err := nicknameFree(ctx, tx, name, id); err != nil {
				return core.Audited{}, err
			}
		}
		saved, err := update.Save(ctx)
		if ent.IsConstraintError(err) {
			return core.Audited{}, ErrNicknameTaken
		}
		if err != nil {
			return core.Audited{}, fmt.Errorf("update account %d: %w", id, err)
		}
		out = operatorAccountFrom(saved)
		return core.Audited{Account: id, Target: out.ID.String(), Before: before, After: out}, nil
	})
	return out, err
}
