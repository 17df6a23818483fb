package accounts

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/webhook"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/etag"
	"sellerd/v1/items"
	"sellerd/v1/overview"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file shows accounts to the operator: package overview reads them.

// The operator's endpoints that read accounts and keys.
var (
	OperatorBrowseAccounts = core.NewOp("OperatorBrowseAccounts", "GET", "/operator/accounts", 200, (*Accounts).operatorBrowseAccounts,
		core.Doc("Lists accounts in the order of their ids. Filters add up."))
	OperatorGetAccount = core.NewOp("OperatorGetAccount", "GET", "/operator/accounts/{id}", 200, (*Accounts).operatorGetAccount, core.Tagged,
		core.Doc("Reads an account with its limits and their use, its keys, its webhooks and how many bills have each status. Its entity tag is that of the account alone, as a PATCH needs it."))
	OperatorBrowseKeys = core.NewOp("OperatorBrowseKeys", "GET", "/operator/accounts/{id}/keys", 200, (*Accounts).operatorBrowseKeys,
		core.Doc("Lists the keys of an account in both modes, without their secrets, the newest first."))
	OperatorGetKey = core.NewOp("OperatorGetKey", "GET", "/operator/keys/{id}", 200, (*Accounts).operatorGetKey,
		core.Doc("Reads a key without its secret, an imported one as well."))
)

// AccountFilter selects accounts. Letters from A to Z may be large or small.
type AccountFilter struct {
	Nickname wire.Opt[string] `query:"nickname"`
	Email    wire.Opt[string] `query:"email"`
	Status   wire.Opt[string] `query:"status" enum:"active suspended closed" doc:"a closed account is not among the suspended ones"`
	Limit    wire.Opt[int]    `query:"limit" min:"1" max:"200" default:"50"`
	After    wire.Opt[string] `query:"after" doc:"next_cursor of the page before"`
}

// AccountNames select accounts for commands: AccountFilter without pages.
type AccountNames = overview.Filter

// AccountOverview is an account with what an operator wants to know of it: limits and their use, keys, webhooks and bills.
type AccountOverview struct {
	OperatorAccount
	Keys []core.KeyInfo `json:"keys" doc:"of both modes, the newest first; imported keys of /rest are not among them"`
	Live ModeOverview   `json:"live"`
	Test ModeOverview   `json:"test"`
}

// ModeOverview is what an account has in one mode.
type ModeOverview struct {
	OpenItems      CountLimit         `json:"open_items" doc:"scheduled and open items and pending submissions"`
	NewItemsPerDay DailyLimit         `json:"new_items_per_day"`
	Bills          map[string]int     `json:"bills" doc:"how many bills have each status"`
	Webhooks       []overview.Webhook `json:"webhooks"`
}

// operatorBrowseAccounts lists accounts in the order of their numbers.
func (s *Accounts) operatorBrowseAccounts(ctx context.Context, _ *core.Call, in *AccountFilter) (*rows.Page[OperatorAccount], error) {
	filter := AccountNames{Nickname: in.Nickname.V, Email: in.Email.V, Status: in.Status.V}
	scope := rows.Scope("OperatorBrowseAccounts", 0, []byte(filter.Nickname), []byte(filter.Email), []byte(filter.Status))
	after, err := s.Cursors.After(in.After, scope)
	if err != nil {
		return nil, err
	}
	limit := in.Limit.Or(items.DefaultPageSize)
	found, err := overview.Accounts(ctx, s.Store.Reader(), filter, after.ID, limit+1)
	if err != nil {
		return nil, err
	}
	shown := func(row *ent.Account) OperatorAccount { return *operatorAccountFrom(row) }
	return rows.Found(s.Cursors, scope, found, limit, shown, func(row *ent.Account) rows.Cursor { return rows.Cursor{ID: row.ID} }), nil
}

// EachAccount yields what operatorBrowseAccounts lists, for commands, until the first error.
func (s *Accounts) EachAccount(ctx context.Context, filter AccountNames, yield func(*OperatorAccount) error) error {
	for after := int64(0); ; {
		found, err := overview.Accounts(ctx, s.Store.Reader(), filter, after, items.MaxPageSize)
		if err != nil {
			return err
		}
		for _, row := range found {
			if err := yield(operatorAccountFrom(row)); err != nil {
				return err
			}
			after = row.ID
		}
		if len(found) < items.MaxPageSize {
			return nil
		}
	}
}

// OperatorAccountRef names an account in a path.
type OperatorAccountRef struct {
	ID wire.ID `path:"id" missing:"route_not_found"`
}

// operatorGetAccount reads an account. Its entity tag is that of the account alone, which a PATCH can name.
func (s *Accounts) operatorGetAccount(ctx context.Context, c *core.Call, in *OperatorAccountRef) (*AccountOverview, error) {
	core.TraceFrom(ctx).Account = int64(in.ID)
	out, err := s.AccountOverview(ctx, int64(in.ID))
	if err != nil {
		return nil, AsRefused(err)
	}
	c.Meta.ETag = etag.Of(wire.EncodeJSON(nil, &out.OperatorAccount))
	return out, nil
}

// AccountOverview reads what operators see of an account; ErrNoAccount when there is none.
func (s *Accounts) AccountOverview(ctx context.Context, id int64) (*AccountOverview, error) {
	row, err := s.Store.Reader().Account.Get(ctx, id)
	if err != nil {
		return nil, core.Missing(err, core.ErrNoAccount, "load account")
	}
	out := &AccountOverview{OperatorAccount: *operatorAccountFrom(row)}
	if out.Keys, err = s.ListKeys(ctx, id); err != nil {
		return nil, err
	}
	for test, mode := range map[bool]*ModeOverview{false: &out.Live, true: &out.Test} {
		if *mode, err = s.modeOverview(ctx, row, core.OwnerOf(id, test)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Accounts) modeOverview(ctx context.Context, row *ent.Account, owner core.Owner) (out ModeOverview, err error) {
	c := &core.Call{}
	c.Owner, c.Limits = owner, core.LimitsOf(row)
	limits, err := s.CurrentStoreLimits(ctx, c)
	if err != nil {
		return out, err
	}
	out.OpenItems, out.NewItemsPerDay = shownLimits(limits)
	if out.Bills, err = overview.Bills(ctx, s.Store.Reader(), int64(owner)); err != nil {
		return out, err
	}
	hooks, err := s.Store.Reader().Webhook.Query().Where(webhook.Owner(int64(owner))).Order(ent.Asc(webhook.FieldID)).All(ctx)
	if err != nil {
		return out, fmt.Errorf("load webhooks: %w", err)
	}
	out.Webhooks, err = overview.Webhooks(ctx, s.Store.Reader(), hooks, s.Now(), delivery.Failed, webhookText)
	return out, err
}

// operatorBrowseKeys lists the keys of an account, of both modes, the newest first.
func (s *Accounts) operatorBrowseKeys(ctx context.Context, _ *core.Call, in *OperatorAccountRef) (*rows.Page[core.KeyInfo], error) {
	core.TraceFrom(ctx).Account = int64(in.ID)
	keys, err := s.ListKeys(ctx, int64(in.ID))
	if err != nil {
		return nil, AsRefused(err)
	}
	return &rows.Page[core.KeyInfo]{Results: keys}, nil
}

// operatorGetKey reads what can be shown of a key, an imported one as well.
func (s *Accounts) operatorGetKey(ctx context.Context, _ *core.Call, in *KeyRef) (*core.KeyInfo, error) {
	info, err := s.FindKey(ctx, s.Store.Reader(), string(in.ID), s.Now())
	if err != nil {
		return nil, AsRefused(err)
	}
	core.TraceFrom(ctx).Account = int64(info.AccountID)
	return &info, nil
}

// Suspend suspends an account, or ends that, for commands. It returns ErrNoAccount when there is none.
func (s *Accounts) Suspend(ctx context.Context, id int64, suspended bool) (*OperatorAccount, error) {
	status := core.AccountStatusActive
	if suspended {
		status = core.AccountStatusSuspended
	}
	return s.changeAccount(ctx, id, func(row *ent.Account, update *ent.AccountUpdateOne) error {
		if row.ClosedAt != nil && !suspended {
			return ErrClosed
		}
		update.SetStatus(status)
		return nil
	})
}

// FailingWebhook is a webhook that fails, with its owner.
type FailingWebhook struct {
	Account wire.ID
	Mode    string
	overview.Webhook
}

// WorstWebhooks reads the webhooks that have failed the longest, at most limit, for the operator's pages. Each says what it answers.
func (s *Accounts) WorstWebhooks(ctx context.Context, limit int) ([]FailingWebhook, error) {
	found, err := overview.Worst(ctx, s.Store.Reader(), limit)
	if err != nil {
		return nil, err
	}
	out := make([]FailingWebhook, len(found))
	for i, row := range found {
		seen, err := overview.Webhooks(ctx, s.Store.Reader(), []*ent.Webhook{row}, s.Now(), delivery.Failed, webhookText)
		if err != nil {
			return nil, err
		}
		owner := core.Owner(row.Owner)
		out[i] = FailingWebhook{wire.ID(owner.Account()), owner.Mode(), seen[0]}
	}
	return out, nil
}

func webhookText(id int64) string { return wire.WebhookID(id).String() }
