package accounts

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/etag"
	"sellerd/v1/items"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// Account is the caller's account with the key in use and its mode.
type Account struct {
	ID        wire.ID                 `json:"id"`
	Nickname  string                  `json:"nickname"`
	Email     string                  `json:"email"`
	Type      string                  `json:"type" enum:"private professional"`
	Country   string                  `json:"country" doc:"ISO 3166-1 alpha-2"`
	Language  string                  `json:"language" enum:"en fr de it es nl"`
	Currency  wire.Currency           `json:"currency"`
	TimeZone  string                  `json:"time_zone" doc:"IANA name"`
	Store     AccountStore            `json:"store"`
	Rating    trade.RatingSum         `json:"rating"`
	Status    string                  `json:"status" enum:"active suspended"`
	Mode      string                  `json:"mode" enum:"live test" doc:"the key's"`
	Key       AccountKey              `json:"key"`
	Sandbox   wire.Opt[trade.Sandbox] `json:"sandbox" since:"1.3.0" doc:"null in live mode"`
	CreatedAt wire.Time               `json:"created_at"`
}

// AccountStore is the seller's store on the marketplace.
type AccountStore struct {
	Name string `json:"name"`
	Plan string `json:"plan"`
}

// AccountKey is the key in use.
type AccountKey struct {
	Prefix     string              `json:"prefix"`
	Name       wire.Opt[string]    `json:"name"`
	CreatedAt  wire.Time           `json:"created_at"`
	ExpiresAt  wire.Opt[wire.Time] `json:"expires_at"`
	LastUsedAt wire.Opt[wire.Time] `json:"last_used_at" doc:"exact to a minute"`

	Permissions wire.Opt[[]string] `json:"permissions" catalogue:"permissions" since:"1.3.0" newer:"buyers:read=1.6.0" doc:"what the key permits; null for all"`
}

// getAccount reads the caller's account and key.
func (s *Accounts) getAccount(ctx context.Context, c *core.Call, _ *core.NoInput) (*Account, error) {
	row, err := s.Store.Reader().Account.Get(ctx, c.AccountID)
	if err != nil {
		return nil, fmt.Errorf("load account: %w", err)
	}
	key, err := s.FindKey(ctx, s.Store.Reader(), c.KeyID, s.Now())
	if err != nil {
		return nil, err
	}
	out := accountFrom(row)
	out.Mode = c.Owner.Mode()
	if out.Sandbox, err = s.SandboxOf(ctx, c.Owner); err != nil {
		return nil, err
	}
	out.Key = AccountKey{Prefix: key.Prefix, Name: key.Name, CreatedAt: key.CreatedAt, ExpiresAt: key.ExpiresAt, Permissions: key.Permissions}
	c.Meta.ETag = etag.Of(wire.EncodeJSON(nil, &out)) // a read is not a change, so last_used_at is left out
	out.Key.LastUsedAt = key.LastUsedAt
	return &out, nil
}

func accountFrom(row *ent.Account) Account {
	return Account{
		ID: wire.ID(row.ID), Nickname: row.Nickname, Email: row.Email, Type: row.Type, Country: row.Country, Language: row.Language,
		Currency: wire.Currency(row.Currency), TimeZone: row.TimeZone, Store: AccountStore{row.StoreName, row.StorePlan},
		Rating: trade.RatingSum{Count: row.RatingCount, Percentage: wire.Maybe(row.RatingPercentage)},
		Status: row.Status, CreatedAt: wire.Time(row.CreatedAt),
	}
}

// Limits are the caller's limits. A limit of 0 is off, and its remaining amount is null.
type Limits struct {
	Requests                 RequestLimit `json:"requests"`
	OpenItems                CountLimit   `json:"open_items" doc:"scheduled and open items and pending submissions"`
	NewItemsPerDay           DailyLimit   `json:"new_items_per_day"`
	BatchItems               int          `json:"batch_items"`
	ImagesPerItem            int          `json:"images_per_item"`
	PageSize                 PageSizes    `json:"page_size"`
	Webhooks                 UsedLimit    `json:"webhooks"`
	IdempotencyRetentionDays int          `json:"idempotency_retention_days"`
}

// RequestLimit is a limit of requests.
type RequestLimit struct {
	Limit         int                 `json:"limit"`
	Remaining     wire.Opt[int]       `json:"remaining"`
	ResetAt       wire.Opt[wire.Time] `json:"reset_at"`
	WindowSeconds int                 `json:"window_seconds"`
}

// CountLimit is a limit of objects that exist at the same time.
type CountLimit struct {
	Limit     int           `json:"limit"`
	Used      int           `json:"used"`
	Remaining wire.Opt[int] `json:"remaining"`
}

// DailyLimit is a limit of new objects in a UTC day.
type DailyLimit struct {
	Limit     int           `json:"limit"`
	Used      int           `json:"used"`
	Remaining wire.Opt[int] `json:"remaining"`
	ResetAt   wire.Time     `json:"reset_at"`
}

// UsedLimit is a fixed limit and the amount used.
type UsedLimit struct {
	Limit int `json:"limit"`
	Used  int `json:"used"`
}

// PageSizes are the default and the largest limit of a list.
type PageSizes struct {
	Default int `json:"default"`
	Max     int `json:"max"`
}

// getLimits returns the caller's limits.
func (s *Accounts) getLimits(ctx context.Context, c *core.Call, _ *core.NoInput) (*Limits, error) {
	store, err := s.CurrentStoreLimits(ctx, c)
	if err != nil {
		return nil, err
	}
	owner, err := s.Store.Reader().Owner.Get(ctx, int64(c.Owner))
	if err != nil {
		return nil, fmt.Errorf("load owner: %w", err)
	}
	out := &Limits{
		Requests:   RequestLimit{WindowSeconds: 60},
		BatchItems: items.MaxBatch, ImagesPerItem: items.MaxImages, PageSize: PageSizes{items.DefaultPageSize, items.MaxPageSize},
		Webhooks: UsedLimit{core.MaxWebhooks, owner.WebhookCount}, IdempotencyRetentionDays: 30,
	}
	out.OpenItems, out.NewItemsPerDay = shownLimits(store)
	if rate := c.Meta.Rate; rate != nil && rate.Limit > 0 {
		out.Requests.Limit, out.Requests.Remaining = rate.Limit, wire.Some(rate.Remaining)
		out.Requests.ResetAt = wire.Some(s.Now().Add(rate.ResetAfter))
	}
	return out, nil
}

// shownLimits are the limits of a store as answers show them.
func shownLimits(l *core.StoreLimitState) (open CountLimit, daily DailyLimit) {
	open = CountLimit{Limit: l.OpenLimit, Used: l.OpenUsed}
	if l.OpenLimit > 0 {
		open.Remaining = wire.Some(max(0, l.OpenLimit-l.OpenUsed))
	}
	daily = DailyLimit{Limit: l.DailyLimit, Used: l.DailyUsed, ResetAt: l.DailyReset}
	if l.DailyLimit > 0 {
		daily.Remaining = wire.Some(max(0, l.DailyLimit-l.DailyUsed))
	}
	return open, daily
}
