package v1

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"sellerd/ent"
	"sellerd/ent/account"
)

// The states of an account.
const (
	AccountStatusActive    = "active"
	AccountStatusSuspended = "suspended"
)

// Account is the caller's account, as the key in use sees it (contract, section 7).
type Account struct {
	ID        ID           `json:"id"`
	Nickname  string       `json:"nickname"`
	Email     string       `json:"email"`
	Type      string       `json:"type" doc:"private or professional"`
	Country   string       `json:"country" doc:"ISO 3166-1 alpha-2"`
	Language  string       `json:"language"`
	Currency  Currency     `json:"currency"`
	TimeZone  string       `json:"time_zone" doc:"IANA name"`
	Store     AccountStore `json:"store"`
	Rating    RatingSum    `json:"rating"`
	Status    string       `json:"status" doc:"active or suspended"`
	Mode      string       `json:"mode" doc:"live or test, the key's"`
	Key       AccountKey   `json:"key"`
	CreatedAt Time         `json:"created_at"`
}

// AccountStore is the seller's store on the marketplace.
type AccountStore struct {
	Name string `json:"name"`
	Plan string `json:"plan"`
}

// RatingSum sums up the ratings somebody got.
type RatingSum struct {
	Count      int          `json:"count"`
	Percentage Opt[float64] `json:"percentage" doc:"null without ratings"`
}

// AccountKey is the key in use.
type AccountKey struct {
	Prefix     string    `json:"prefix"`
	Name       string    `json:"name"`
	CreatedAt  Time      `json:"created_at"`
	ExpiresAt  Opt[Time] `json:"expires_at"`
	LastUsedAt Opt[Time] `json:"last_used_at" doc:"exact to a minute"`
}

// NoInput is the input of operations that take none.
type NoInput struct{}

// getAccount reads the caller's account and key.
func (s *Service) getAccount(ctx context.Context, c *Call, _ *NoInput) (*Account, error) {
	row, err := s.store.Reader().Account.Get(ctx, c.AccountID)
	if err != nil {
		return nil, fmt.Errorf("load account: %w", err)
	}
	key, err := s.store.Reader().APIKey.Get(ctx, c.KeyID)
	if err != nil {
		return nil, fmt.Errorf("load key: %w", err)
	}
	out := accountFrom(row)
	out.Mode = c.Owner.Mode()
	info := keyInfo(key, s.now())
	out.Key = AccountKey{info.Prefix, info.Name, info.CreatedAt, info.ExpiresAt, info.LastUsedAt}
	return &out, nil
}

func accountFrom(row *ent.Account) Account {
	return Account{
		ID: ID(row.ID), Nickname: row.Nickname, Email: row.Email, Type: row.Type, Country: row.Country, Language: row.Language,
		Currency: Currency(row.Currency), TimeZone: row.TimeZone, Store: AccountStore{row.StoreName, row.StorePlan},
		Rating: RatingSum{row.RatingCount, Maybe(row.RatingPercentage)}, Status: row.Status, CreatedAt: Time(row.CreatedAt),
	}
}

// Limits are the caller's budgets. A limit of 0 is off, and what is left of it is null.
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

// RequestLimit is a budget of requests.
type RequestLimit struct {
	Limit         int       `json:"limit"`
	Remaining     Opt[int]  `json:"remaining"`
	ResetAt       Opt[Time] `json:"reset_at"`
	WindowSeconds int       `json:"window_seconds"`
}

// CountLimit is a budget of things.
type CountLimit struct {
	Limit     int      `json:"limit"`
	Used      int      `json:"used"`
	Remaining Opt[int] `json:"remaining"`
}

// DailyLimit is a budget of things of a UTC day.
type DailyLimit struct {
	Limit     int      `json:"limit"`
	Used      int      `json:"used"`
	Remaining Opt[int] `json:"remaining"`
	ResetAt   Time     `json:"reset_at"`
}

// UsedLimit is a fixed limit and what is used of it.
type UsedLimit struct {
	Limit int `json:"limit"`
	Used  int `json:"used"`
}

// PageSizes are the default and the largest limit of a list.
type PageSizes struct {
	Default int `json:"default"`
	Max     int `json:"max"`
}

// MaxImages is how many pictures an item may have, MaxWebhooks how many subscriptions an account.
const (
	MaxImages   = 99
	MaxWebhooks = 20
)

// getLimits tells the caller's budgets.
func (s *Service) getLimits(ctx context.Context, c *Call, _ *NoInput) (*Limits, error) {
	store, err := s.currentStoreLimits(ctx, c)
	if err != nil {
		return nil, err
	}
	owner, err := s.store.Reader().Owner.Get(ctx, int64(c.Owner))
	if err != nil {
		return nil, fmt.Errorf("load owner: %w", err)
	}
	out := &Limits{
		Requests:       RequestLimit{WindowSeconds: 60},
		OpenItems:      CountLimit{Limit: store.OpenLimit, Used: store.OpenUsed},
		NewItemsPerDay: DailyLimit{Limit: store.DailyLimit, Used: store.DailyUsed, ResetAt: store.DailyReset},
		BatchItems:     MaxBatch, ImagesPerItem: MaxImages, PageSize: PageSizes{DefaultPageSize, MaxPageSize},
		Webhooks: UsedLimit{MaxWebhooks, owner.WebhookCount}, IdempotencyRetentionDays: 30,
	}
	if rate := c.Meta.Rate; rate != nil && rate.Limit > 0 {
		out.Requests.Limit, out.Requests.Remaining = rate.Limit, Some(rate.Remaining)
		out.Requests.ResetAt = Some(s.now().Add(rate.ResetAfter))
	}
	if store.OpenLimit > 0 {
		out.OpenItems.Remaining = Some(max(0, store.OpenLimit-store.OpenUsed))
	}
	if store.DailyLimit > 0 {
		out.NewItemsPerDay.Remaining = Some(max(0, store.DailyLimit-store.DailyUsed))
	}
	return out, nil
}

// NewAccount is what CreateAccount needs; everything but nickname and email has a default.
type NewAccount struct {
	Nickname  string // 3 to 40 letters, digits, dots, dashes and underscores, unique
	Email     string
	Type      string   // private
	Country   string   // FR
	Language  string   // en
	Currency  Currency // that of the country, else EUR
	TimeZone  string   // Europe/Brussels
	StoreName string   // the nickname
	StorePlan string   // basic
}

var (
	nicknameForm = regexp.MustCompile(`^[\pL\pN._-]{3,40}$`)
	countryForm  = regexp.MustCompile(`^[A-Z]{2}$`)
)

func (in *NewAccount) check(reference *referenceData) error {
	setDefault := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	setDefault(&in.Type, "private")
	setDefault(&in.Country, "FR")
	setDefault(&in.Language, "en")
	setDefault((*string)(&in.Currency), reference.shippingTemplates.currency(in.Country))
	setDefault(&in.TimeZone, "Europe/Brussels")
	setDefault(&in.StoreName, in.Nickname)
	setDefault(&in.StorePlan, "basic")
	address, err := mail.ParseAddress(in.Email)
	switch {
	case !nicknameForm.MatchString(in.Nickname):
		return errors.New("a nickname has 3 to 40 letters, digits, dots, dashes and underscores")
	case err != nil || address.Address != in.Email || len(in.Email) > 254:
		return errors.New("the email must be a plain address such as anna@example.com")
	case in.Type != "private" && in.Type != "professional":
		return errors.New("the type must be private or professional")
	case !countryForm.MatchString(in.Country):
		return errors.New("the country must be an ISO 3166-1 code such as FR")
	case !slices.Contains(Languages, in.Language):
		return fmt.Errorf("the language must be one of %v", Languages)
	case !slices.Contains(Currencies, in.Currency):
		return fmt.Errorf("the currency must be one of %v", Currencies)
	case utf8.RuneCountInString(in.StoreName) > 120 || utf8.RuneCountInString(in.StorePlan) > 40:
		return errors.New("a store's name has at most 120 characters, its plan 40")
	}
	if _, err := time.LoadLocation(in.TimeZone); err != nil || in.TimeZone == "Local" {
		return fmt.Errorf("there is no time zone %q", in.TimeZone)
	}
	return nil
}

// ErrNicknameTaken means that another account has the nickname.
var ErrNicknameTaken = errors.New("the nickname is taken")

// CreateAccount makes a seller, with the shipping models a new seller of that country gets in both modes.
func (s *Service) CreateAccount(ctx context.Context, in NewAccount) (*Account, error) {
	if err := in.check(s.reference); err != nil {
		return nil, err
	}
	number, err := s.ids.numbers(ctx, accountNumbers, 1)
	if err != nil {
		return nil, err
	}
	templates := s.reference.shippingTemplates.forAccount(in.Country, in.Language)
	models, err := s.ids.numbers(ctx, shippingModelNumbers, 2*len(templates))
	if err != nil {
		return nil, err
	}
	var out Account
	err = s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		now := int64(s.now())
		row, err := tx.Account.Create().SetID(number).SetNickname(in.Nickname).SetEmail(in.Email).SetType(in.Type).SetCountry(in.Country).
			SetLanguage(in.Language).SetCurrency(string(in.Currency)).SetTimeZone(in.TimeZone).SetStoreName(in.StoreName).SetStorePlan(in.StorePlan).
			SetStatus(AccountStatusActive).SetCreatedAt(now).SetUpdatedAt(now).Save(ctx)
		if ent.IsConstraintError(err) {
			return ErrNicknameTaken
		}
		if err != nil {
			return fmt.Errorf("create account: %w", err)
		}
		for mode, test := range []bool{false, true} {
			owner := OwnerOf(number, test)
			if err := tx.Owner.Create().SetID(int64(owner)).SetAccountID(number).SetLastChangeAt(now).Exec(ctx); err != nil {
				return fmt.Errorf("create owner: %w", err)
			}
			if err := createShippingModels(ctx, tx, owner, templates, models+int64(mode*len(templates)), now); err != nil {
				return err
			}
		}
		out = accountFrom(row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// FindAccount finds an account by its nickname; ErrNoAccount when there is none.
func (s *Service) FindAccount(ctx context.Context, nickname string) (*Account, error) {
	row, err := s.store.Reader().Account.Query().Where(account.Nickname(nickname)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, ErrNoAccount
	}
	if err != nil {
		return nil, fmt.Errorf("load account: %w", err)
	}
	out := accountFrom(row)
	return &out, nil
}
