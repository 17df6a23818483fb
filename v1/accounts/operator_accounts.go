package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/internal/base/pattern"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/numbering"
	"sellerd/v1/overview"
	"sellerd/v1/refusal"
	"sellerd/v1/shipping"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// This file makes accounts, for the operator API and for the commands beside the server.

// AccountInput is a new account; everything but nickname and email has a default.
type AccountInput struct {
	Nickname wire.Opt[string]        `json:"nickname" validate:"required,min=3,max=40" doc:"letters, digits, dots, dashes and underscores; unique"`
	Email    wire.Opt[string]        `json:"email" validate:"required,email,max=254"`
	Type     wire.Opt[string]        `json:"type" validate:"omitnil,oneof=private professional" doc:"default private"`
	Country  wire.Opt[string]        `json:"country" validate:"omitnil,iso3166_1_alpha2" doc:"decides the first shipping models; default FR"`
	Language wire.Opt[string]        `json:"language" validate:"omitnil,oneof=en fr de it es nl" doc:"default en"`
	Currency wire.Opt[wire.Currency] `json:"currency" validate:"omitnil" doc:"default: the country's, else EUR"`
	TimeZone wire.Opt[string]        `json:"time_zone" validate:"omitnil" doc:"IANA name; default Europe/Brussels"`
	Store    wire.Opt[StoreSettings] `json:"store" validate:"omitnil"`
}

// StoreSettings are the settings of a seller's store.
type StoreSettings struct {
	Name wire.Opt[string] `json:"name" validate:"omitnil,min=1,max=120,oneline" doc:"default: the nickname"`
	Plan wire.Opt[string] `json:"plan" validate:"omitnil,min=1,max=40,oneline" doc:"default basic"`
}

var nicknameForm = pattern.Late(`^[\pL\pN._-]*$`)

func (in *AccountInput) check(problems *refusal.Problems) {
	wire.CheckRules(in, "", problems)
	checkSeller(in.Nickname, in.Currency, in.TimeZone, problems)
}

// checkSeller adds the errors of an account that its tags do not find.
func checkSeller(nickname wire.Opt[string], currency wire.Opt[wire.Currency], zone wire.Opt[string], problems *refusal.Problems) {
	if !nicknameForm().MatchString(nickname.V) {
		problems.Add(refusal.InvalidValue, "nickname", "must consist of letters, digits, dots, dashes and underscores")
	}
	if currency.Set && !slices.Contains(wire.Currencies, currency.V) {
		problems.Add(refusal.UnsupportedCurrency, "currency", "must be one of %v", wire.Currencies)
	}
	if _, err := time.LoadLocation(zone.V); zone.Set && (err != nil || zone.V == "" || zone.V == "Local") {
		problems.Add(refusal.InvalidValue, "time_zone", "must be the IANA name of a time zone, such as Europe/Brussels")
	}
}

// NewAccount is AccountInput for callers in Go; empty fields get their defaults.
type NewAccount struct {
	Nickname, Email                   string
	Type, Country, Language, TimeZone string
	Currency                          wire.Currency
	StoreName, StorePlan              string
}

func (n NewAccount) input() AccountInput {
	return AccountInput{
		Nickname: core.NotEmpty(n.Nickname), Email: core.NotEmpty(n.Email), Type: core.NotEmpty(n.Type), Country: core.NotEmpty(n.Country),
		Language: core.NotEmpty(n.Language), Currency: wire.Opt[wire.Currency]{
			V:   n.Currency,
			Set: n.Currency != "",
		}, TimeZone: core.NotEmpty(n.TimeZone),
		Store: wire.Some(StoreSettings{core.NotEmpty(n.StoreName), core.NotEmpty(n.StorePlan)}),
	}
}

// ErrNicknameTaken means that another account has the nickname, perhaps with other capitals.
var ErrNicknameTaken = errors.New("the nickname is taken")

// nicknameFree fails with ErrNicknameTaken if an account other than id has a nickname that differs in capitals from A to Z at most: NamedAccount could
// not tell the two apart.
func nicknameFree(ctx context.Context, tx *ent.Client, nickname string, id int64) error {
	same, err := overview.Accounts(ctx, tx, AccountNames{Nickname: nickname}, 0, 2)
	if slices.ContainsFunc(same, func(a *ent.Account) bool { return a.ID != id }) {
		return ErrNicknameTaken
	}
	return wrap.Err(err, "look for the nickname")
}

// ErrClosed means that an account is closed, so that it can neither get keys nor be resumed.
var ErrClosed = errors.New("the account is closed")

// OpenAccount fails with ErrClosed if an account, which must be locked, is closed.
func OpenAccount(ctx context.Context, tx *ent.Client, id int64) error {
	closed, err := tx.Account.Query().Where(account.ID(id), account.ClosedAtNotNil()).Exist(ctx)
	if err != nil {
		return fmt.Errorf("load account %d: %w", id, err)
	}
	if closed {
		return ErrClosed
	}
	return nil
}

// CreateAccount makes a seller, with the first shipping models of the country in both modes. Errors of the input are
// returned as Errors.
func (s *Accounts) CreateAccount(ctx context.Context, n NewAccount) (*Account, error) {
	in, problems := n.input(), refusal.Problems{}
	in.check(&problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	row, err := s.createAccount(ctx, &core.Call{}, &in, func(context.Context, *ent.Client, *ent.Account) error { return nil })
	if err != nil {
		return nil, err
	}
	return new(accountFrom(row)), nil
}

// createAccount makes the account of a checked input, with everything that belongs to it, in one transaction.
func (s *Accounts) createAccount(ctx context.Context, c *core.Call, in *AccountInput, with func(context.Context, *ent.Client,
	*ent.Account) error,
) (*ent.Account, error) {
	number, err := s.IDs.Numbers(ctx, numbering.Accounts, 1)
	if err != nil {
		return nil, err
	}
	country, language := in.Country.Or("FR"), in.Language.Or("en")
	currency := in.Currency.Or(wire.Currency(s.Reference.ShippingTemplates.Currency(country)))
	templates := s.Reference.ShippingTemplates.ForAccount(country, language)
	models, err := s.IDs.Numbers(ctx, numbering.ShippingModels, 2*len(templates))
	if err != nil {
		return nil, err
	}
	var row *ent.Account
	err = s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (audited core.Audited, err error) {
		if err := s.AnnounceKey(ctx, tx, c); err != nil {
			return audited, err
		}
		if err := nicknameFree(ctx, tx, in.Nickname.V, number); err != nil {
			return audited, err
		}
		now := int64(s.Now())
		row, err = tx.Account.Create().SetID(number).SetNickname(in.Nickname.V).SetEmail(in.Email.V).SetType(in.Type.Or("private")).
			SetCountry(country).SetLanguage(language).SetCurrency(string(currency)).
			SetTimeZone(in.TimeZone.Or("Europe/Brussels")).SetStoreName(in.Store.V.Name.Or(in.Nickname.V)).SetStorePlan(in.Store.V.Plan.Or("basic")).
			SetStatus(core.AccountStatusActive).SetCreatedAt(now).SetUpdatedAt(now).Save(ctx)
		if ent.IsConstraintError(err) {
			return audited, ErrNicknameTaken
		}
		if err != nil {
			return audited, fmt.Errorf("create account: %w", err)
		}
		for mode, test := range []bool{false, true} {
			owner := core.OwnerOf(number, test)
			if err := tx.Owner.Create().SetID(int64(owner)).SetAccountID(number).SetLastChangeAt(now).Exec(ctx); err != nil {
				return audited, fmt.Errorf("create owner: %w", err)
			}
			if err := shipping.CreateFirst(ctx, tx, int64(owner), templates, models+int64(mode*len(templates)), now); err != nil {
				return audited, err
			}
		}
		audited = core.Audited{Account: number, Target: wire.ID(number).String(), After: operatorAccountFrom(row)}
		return audited, with(ctx, tx, row)
	})
	return row, err
}

// FindAccount finds an account by its nickname; ErrNoAccount when there is none.
func (s *Accounts) FindAccount(ctx context.Context, nickname string) (*Account, error) {
	row, err := s.Store.Reader().Account.Query().Where(account.Nickname(nickname)).Only(ctx)
	if err != nil {
		return nil, core.Missing(err, core.ErrNoAccount, "load account")
	}
	return new(accountFrom(row)), nil
}

// OperatorAccount is an account as the operator sees it: without a key, and with its own limits.
type OperatorAccount struct {
	ID        wire.ID         `json:"id"`
	Nickname  string          `json:"nickname"`
	Email     string          `json:"email"`
	Type      string          `json:"type" enum:"private professional"`
	Country   string          `json:"country" doc:"ISO 3166-1 alpha-2"`
	Language  string          `json:"language" enum:"en fr de it es nl"`
	Currency  wire.Currency   `json:"currency"`
	TimeZone  string          `json:"time_zone" doc:"IANA name"`
	Store     AccountStore    `json:"store"`
	Rating    trade.RatingSum `json:"rating"`
	Status    string          `json:"status" enum:"active suspended"`
	Limits    LimitSettings   `json:"limits"`
	CreatedAt wire.Time       `json:"created_at"`

	ClosedAt wire.Opt[wire.Time] `json:"closed_at" since:"1.7.0" doc:"null for an open account; a closed one is suspended, too"`
	EraseAt  wire.Opt[wire.Time] `json:"erase_at" since:"1.7.0" doc:"when everything of a closed account is erased"`
}

// LimitSettings are an account's own limits, in each mode.
type LimitSettings struct {
	RequestsPerMinute wire.Opt[int] `json:"requests_per_minute" validate:"omitnil,min=0,max=1000000" doc:"null: the service's default; 0: no limit"`
	OpenItems         wire.Opt[int] `json:"open_items" validate:"omitnil,min=0,max=1000000000" doc:"null: the service's default; 0: no limit"`
	NewItemsPerDay    wire.Opt[int] `json:"new_items_per_day" validate:"omitnil,min=0,max=1000000000" doc:"null: the service's default; 0: no limit"`
}

func operatorAccountFrom(row *ent.Account) *OperatorAccount {
	return &OperatorAccount{
		ID: wire.ID(row.ID), Nickname: row.Nickname, Email: row.Email, Type: row.Type, Country: row.Country, Language: row.Language,
		Currency: wire.Currency(row.Currency), TimeZone: row.TimeZone, Store: AccountStore{row.StoreName, row.StorePlan},
		Rating: trade.RatingSum{Count: row.RatingCount, Percentage: wire.Maybe(row.RatingPercentage)}, Status: row.Status,
		Limits:    LimitSettings{wire.Maybe(row.LimitRequestsPerMinute), wire.Maybe(row.LimitOpenItems), wire.Maybe(row.LimitNewItemsPerDay)},
		CreatedAt: wire.Time(row.CreatedAt), ClosedAt: wire.MaybeTime(row.ClosedAt), EraseAt: wire.MaybeTime(row.EraseAt),
	}
}

// CreateAccountInput is a new account.
type CreateAccountInput struct {
	Account AccountInput `body:"json"`
}

// operatorCreateAccount makes an account without keys.
func (s *Accounts) operatorCreateAccount(ctx context.Context, c *core.Call, in *CreateAccountInput) (*OperatorAccount, error) {
	in.Account.check(&c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	row, err := s.createAccount(ctx, c, &in.Account, func(ctx context.Context, tx *ent.Client, row *ent.Account) error {
		c.Meta.Location = "/operator/accounts/" + wire.ID(row.ID).String()
		return s.Remember(ctx, tx, wire.Time(row.CreatedAt), c, operatorAccountFrom(row))
	})
	if err != nil {
		return nil, AsRefused(err)
	}
	core.TraceFrom(ctx).Account = row.ID
	return operatorAccountFrom(row), nil
}

// errNicknameTaken is the operator API's error for a nickname that another account has.
var errNicknameTaken = refusal.Newf(refusal.InvalidValue, "nickname", "is taken by another account")

// errClosed is the operator API's error for a closed account.
var errClosed = refusal.Newf(refusal.InvalidValue, "", "The account is closed. The command `sellerd accounts reopen` opens it again.")

// errNoSuchAccount is the operator API's error for an account that does not exist: there is no code of its own.
var errNoSuchAccount = refusal.Newf(refusal.RouteNotFound, "", "There is no such account.")

// AsRefused is an error of a command as the operator API answers it.
func AsRefused(err error) error {
	switch {
	case errors.Is(err, core.ErrNoAccount):
		return errNoSuchAccount
	case errors.Is(err, core.ErrNoKey):
		return errNoSuchKey
	case errors.Is(err, ErrNicknameTaken):
		return errNicknameTaken
	case errors.Is(err, ErrClosed):
		return errClosed
	}
	return err
}
