package operator

import (
	"context"
	"encoding/json"

	"sellerd/internal/command"
	"sellerd/internal/command/database"
	"sellerd/v1"
)

// Accounts are the commands about accounts.
type Accounts struct {
	Create      accountCreate  `cmd:"" help:"Make an account and print it as JSON."`
	List        accountList    `cmd:"" help:"List accounts, or find one by its nickname or e-mail address."`
	Show        accountShow    `cmd:"" help:"Show an account with its limits, keys, webhooks and numbers of bills."`
	Suspend     accountSuspend `cmd:"" help:"Reject all requests of an account from now on."`
	Resume      accountResume  `cmd:"" help:"End a suspension."`
	Export      accountExport  `cmd:"" help:"Write everything that is stored of an account to a folder or an archive."`
	Close       accountClose   `cmd:"" help:"End an account at once, and erase it years later."`
	Reopen      accountReopen  `cmd:"" help:"Open a closed account again, before it is erased."`
	ForgetBuyer forgetBuyer    `cmd:"" help:"Erase a buyer's personal data."`
}

type accountCreate struct {
	database.Flags
	Nickname string `required:"" placeholder:"NAME" help:"3 to 40 letters, digits, dots, dashes and underscores; unique."`
	Email    string `required:"" placeholder:"ADDRESS" help:"The seller's address."`
	Type     string `default:"private" enum:"private,professional" placeholder:"TYPE" help:"private or professional (default: ${default})."`
	Country  string `default:"FR" placeholder:"CODE" help:"ISO 3166-1 code; decides the first shipping models (default: ${default})."`
	Language string `default:"en" placeholder:"CODE" complete:"en,fr,de,it,es,nl" help:"en, fr, de, it, es or nl (default: ${default})."`
	Currency string `placeholder:"CODE" complete:"EUR,USD,GBP,CAD,CHF,AUD" help:"EUR, USD, GBP, CAD, CHF or AUD. Default: the country's."`
	TimeZone string `default:"Europe/Brussels" placeholder:"NAME" help:"IANA name (default: ${default})."`
}

// Run makes the account.
func (c *accountCreate) Run(ctx context.Context) error {
	return c.WithService(ctx, func(s *v1.Service) error {
		account, err := s.CreateAccount(ctx, v1.NewAccount{
			Nickname: c.Nickname, Email: c.Email, Type: c.Type, Country: c.Country, Language: c.Language,
			Currency: v1.Currency(c.Currency), TimeZone: c.TimeZone,
		})
		if err != nil {
			return advise(readable(err))
		}
		return command.PrintJSON(map[string]string{
			"id": account.ID.String(), "nickname": account.Nickname, "email": account.Email, "country": account.Country,
			"currency": string(account.Currency), "created_at": account.CreatedAt.String(),
		})
	})
}

type accountList struct {
	database.Flags
	listed
	Nickname string `placeholder:"NAME" help:"Only the account with this nickname. The case of letters from A to Z does not matter."`
	Email    string `placeholder:"ADDRESS" help:"Only accounts with this address. The case of letters from A to Z does not matter."`
	Status   string `placeholder:"STATUS" complete:"active,suspended,closed" help:"Only active, suspended or closed accounts. Default: all."`
}

// Run prints the accounts in the order of their numbers.
func (c *accountList) Run(ctx context.Context) error {
	switch c.Status {
	case "", v1.AccountStatusActive, v1.AccountStatusSuspended, "closed":
	default:
		return command.Wrong("--status must be active, suspended or closed, not %q", c.Status)
	}
	return c.WithService(ctx, func(s *v1.Service) error {
		return c.print([]string{"id", "nickname", "email", "country", "status", "created_at", "closed_at"}, func(entry func(any) error) error {
			names := v1.AccountNames{Nickname: c.Nickname, Email: c.Email, Status: c.Status}
			return s.EachAccount(ctx, names, func(a *v1.OperatorAccount) error { return entry(a) })
		})
	})
}

// oneAccount is the argument of the commands about one account.
type oneAccount struct {
	database.Flags
	ID string `arg:"" placeholder:"ACCOUNT" help:"The account's id, nickname or e-mail address."`
}

// printed prints as JSON what the service answers about the account.
func (a oneAccount) printed(ctx context.Context, ask func(s *v1.Service, id int64) (answer any, err error)) error {
	return printedOf(ctx, a.Flags, a.ID, ask)
}

type accountShow struct{ oneAccount }

// Run prints the account.
func (c *accountShow) Run(ctx context.Context) error {
	return c.printed(ctx, func(s *v1.Service, id int64) (any, error) { return s.AccountOverview(ctx, id) })
}

type accountSuspend struct{ oneAccount }

// Run suspends the account.
func (c *accountSuspend) Run(ctx context.Context) error {
	return c.printed(ctx, func(s *v1.Service, id int64) (any, error) { return s.Suspend(ctx, id, true) })
}

type accountResume struct{ oneAccount }

// Run ends the suspension.
func (c *accountResume) Run(ctx context.Context) error {
	return c.printed(ctx, func(s *v1.Service, id int64) (any, error) { return s.Suspend(ctx, id, false) })
}

// printed prints as JSON what the service answers, which is a pointer.
func printed(ctx context.Context, d database.Flags, ask func(*v1.Service) (answer any, err error)) error {
	return d.WithService(ctx, func(s *v1.Service) error {
		answer, err := ask(s)
		if err != nil {
			return advise(err)
		}
		return command.PrintJSON(json.RawMessage(v1.EncodeJSON(nil, answer)))
	})
}

// printedOf prints as JSON what the service answers about an account, which the command line names.
func printedOf(ctx context.Context, d database.Flags, name string, ask func(s *v1.Service, id int64) (answer any, err error)) error {
	return printed(ctx, d, func(s *v1.Service) (any, error) {
		id, err := s.NamedAccount(ctx, name)
		if err != nil {
			return nil, err
		}
		return ask(s, id)
	})
}
