package v1

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/v1/etag"
)

// Account is the caller's account with the key in use and its mode.
type Account struct {
	ID        ID           `json:"id"`
	Nickname  string       `json:"nickname"`
	Email     string       `json:"email"`
	Type      string       `json:"type" enum:"private professional"`
	Country   string       `json:"country" doc:"ISO 3166-1 alpha-2"`
	Language  string       `json:"language" enum:"en fr de it es nl"`
	Currency  Currency     `json:"currency"`
	TimeZone  string       `json:"time_zone" doc:"IANA name"`
	Store     AccountStore `json:"store"`
	Rating    RatingSum    `json:"rating"`
	Status    string       `json:"status" enum:"active suspended"`
	Mode      string       `json:"mode" enum:"live test" doc:"the key's"`
	Key       AccountKey   `json:"key"`
	Sandbox   Opt[Sandbox] `json:"sandbox" since:"1.3.0" doc:"null in live mode"`
	CreatedAt Time         `json:"created_at"`
}

// AccountStore is the seller's store on the marketplace.
type AccountStore struct {
	Name string `json:"name"`
	Plan string `json:"plan"`
}

// AccountKey is the key in use.
type AccountKey struct {
	Prefix     string      `json:"prefix"`
	Name       Opt[string] `json:"name"`
	CreatedAt  Time        `json:"created_at"`
	ExpiresAt  Opt[Time]   `json:"expires_at"`
	LastUsedAt Opt[Time]   `json:"last_used_at" doc:"exact to a minute"`

	Permissions Opt[[]string] `json:"permissions" catalogue:"permissions" since:"1.3.0" doc:"what the key permits; null for all"`
}

// getAccount reads the caller's account and key.
func (s *Accounts) getAccount(ctx context.Context, c *Call, _ *NoInput) (*Account, error) {
	row, err := s.store.Reader().Account.Get(ctx, c.AccountID)
	if err != nil {
		return nil, fmt.Errorf("load account: %w", err)
	}
	key, err := s.findKey(ctx, s.store.Reader(), c.KeyID, s.now())
	if err != nil {
		return nil, err
	}
	out := accountFrom(row)
	out.Mode = c.Owner.Mode()
	if out.Sandbox, err = s.sandboxOf(ctx, c.Owner); err != nil {
		return nil, err
	}
	out.Key = AccountKey{Prefix: key.Prefix, Name: key.Name, CreatedAt: key.CreatedAt, ExpiresAt: key.ExpiresAt, Permissions: key.Permissions}
	c.Meta.ETag = etag.Of(EncodeJSON(nil, &out)) // a read is not a change, so last_used_at is left out
	out.Key.LastUsedAt = key.LastUsedAt
	return &out, nil
}

func accountFrom(row *ent.Account) Account {
	return Account{
		ID: ID(row.ID), Nickname: row.Nickname, Email: row.Email, Type: row.Type, Country: row.Country, Language: row.Language,
		Currency: Currency(row.Currency), TimeZone: row.TimeZone, Store: AccountStore{row.StoreName, row.StorePlan},
		Rating: RatingSum{row.RatingCount, Maybe(row.RatingPercentage)}, Status: row.Status, CreatedAt: Time(row.CreatedAt),
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
	Limit         int       `json:"limit"`
	Remaining     Opt[int]  `json:"remaining"`
	ResetAt       Opt[Time] `json:"reset_at"`
	WindowSeconds int       `json:"window_seconds"`
}

// CountLimit is a limit of objects that exist at the same time.
type CountLimit struct {
	Limit     int      `json:"limit"`
	Used      int      `json:"used"`
	Remaining Opt[int] `json:"remaining"`
}

// DailyLimit is a limit of new objects in a UTC day.
type DailyLimit struct {
	Limit     int      `json:"limit"`
	Used      int      `json:"used"`
	Remaining Opt[int] `json:"remaining"`
	ResetAt   Time     `json:"reset_at"`
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
func (s *Accounts) getLimits(ctx context.Context, c *Call, _ *NoInput) (*Limits, error) {
	store, err := s.currentStoreLimits(ctx, c)
	if err != nil {
		return nil, err
	}
	owner, err := s.store.Reader().Owner.Get(ctx, int64(c.Owner))
	if err != nil {
		return nil, fmt.Errorf("load owner: %w", err)
	}
	out := &Limits{
		Requests:   RequestLimit{WindowSeconds: 60},
		BatchItems: MaxBatch, ImagesPerItem: MaxImages, PageSize: PageSizes{DefaultPageSize, MaxPageSize},
		Webhooks: UsedLimit{MaxWebhooks, owner.WebhookCount}, IdempotencyRetentionDays: 30,
	}
	out.OpenItems, out.NewItemsPerDay = shownLimits(store)
	if rate := c.Meta.Rate; rate != nil && rate.Limit > 0 {
		out.Requests.Limit, out.Requests.Remaining = rate.Limit, Some(rate.Remaining)
		out.Requests.ResetAt = Some(s.now().Add(rate.ResetAfter))
	}
	return out, nil
}

// shownLimits are the limits of a store as answers show them.
func shownLimits(l *StoreLimitState) (open CountLimit, daily DailyLimit) {
	open = CountLimit{Limit: l.OpenLimit, Used: l.OpenUsed}
	if l.OpenLimit > 0 {
		open.Remaining = Some(max(0, l.OpenLimit-l.OpenUsed))
	}
	daily = DailyLimit{Limit: l.DailyLimit, Used: l.DailyUsed, ResetAt: l.DailyReset}
	if l.DailyLimit > 0 {
		daily.Remaining = Some(max(0, l.DailyLimit-l.DailyUsed))
	}
	return open, daily
}
