package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"

	"sellerd/v1"
)

// This file has the commands that find, show and suspend accounts.

type accountsCmd struct {
	Create      accountCreateCmd `cmd:"" help:"Make an account and print it as JSON."`
	List        accountListCmd   `cmd:"" help:"List accounts, or find one by its nickname or e-mail address."`
	Show        accountShowCmd   `cmd:"" help:"Show an account with its limits, keys, webhooks and numbers of bills."`
	Suspend     suspendCmd       `cmd:"" help:"Reject all requests of an account from now on."`
	Resume      resumeCmd        `cmd:"" help:"End a suspension."`
	ForgetBuyer forgetBuyerCmd   `cmd:"" help:"Erase a buyer's personal data."`
}

type accountListCmd struct {
	database
	Nickname string `placeholder:"NAME" help:"Only the account with this nickname. The case of letters from A to Z does not matter."`
	Email    string `placeholder:"ADDRESS" help:"Only accounts with this address. The case of letters from A to Z does not matter."`
	Status   string `placeholder:"STATUS" complete:"active,suspended" help:"Only active or suspended accounts. Default: all."`
}

// Help is what sellerd accounts list --help says beyond the flags.
func (accountListCmd) Help() string {
	return `Prints a JSON list in the order of the accounts' ids. It works beside a running server.

Examples:

    sellerd accounts list --email anna@example.com
    sellerd accounts list --status suspended`
}

// Run prints the accounts in the order of their numbers.
func (c *accountListCmd) Run(ctx context.Context) error {
	switch c.Status {
	case "", v1.AccountStatusActive, v1.AccountStatusSuspended:
	default:
		return wrong("--status must be active or suspended, not %q", c.Status)
	}
	return c.withService(ctx, func(s *v1.Service) error {
		return printEach(func(entry func([]byte) error) error {
			return s.EachAccount(ctx, v1.AccountNames{Nickname: c.Nickname, Email: c.Email, Status: c.Status}, func(a *v1.OperatorAccount) error {
				return entry(v1.EncodeJSON(nil, a))
			})
		})
	})
}

type accountShowCmd struct {
	database
	ID string `arg:"" help:"The account's id."`
}

// Help is what sellerd accounts show --help says beyond the flags.
func (accountShowCmd) Help() string {
	return `Prints the account as JSON: its own limits and how much of them is used in each mode, its keys without secrets, how many bills
have which status, and for each webhook how many events wait and what its last failure was.

Example:

    sellerd accounts show 5001`
}

// Run prints the account.
func (c *accountShowCmd) Run(ctx context.Context) error {
	id, err := namedAccount("ID", c.ID)
	if err != nil {
		return err
	}
	return c.withService(ctx, func(s *v1.Service) error {
		account, err := s.AccountOverview(ctx, id)
		if err != nil {
			return advise(err)
		}
		return printJSON(json.RawMessage(v1.EncodeJSON(nil, account)))
	})
}

type suspendCmd struct {
	database
	ID string `arg:"" help:"The account's id."`
}

// Help is what sellerd accounts suspend --help says beyond the flags.
func (suspendCmd) Help() string {
	return `From the next request on, all requests of the account are answered 403. Its items stay on sale, and nothing is deleted.

Example:

    sellerd accounts suspend 5001`
}

// Run suspends the account.
func (c *suspendCmd) Run(ctx context.Context) error { return c.setSuspended(ctx, c.ID, true) }

type resumeCmd struct {
	database
	ID string `arg:"" help:"The account's id."`
}

// Help is what sellerd accounts resume --help says beyond the flags.
func (resumeCmd) Help() string {
	return `The account's keys work again from the next request on.

Example:

    sellerd accounts resume 5001`
}

// Run ends the suspension.
func (c *resumeCmd) Run(ctx context.Context) error { return c.setSuspended(ctx, c.ID, false) }

// setSuspended suspends an account or ends that, and prints the account.
func (d database) setSuspended(ctx context.Context, text string, suspended bool) error {
	id, err := namedAccount("ID", text)
	if err != nil {
		return err
	}
	return d.withService(ctx, func(s *v1.Service) error {
		account, err := s.Suspend(ctx, id, suspended)
		if err != nil {
			return advise(err)
		}
		return printJSON(json.RawMessage(v1.EncodeJSON(nil, account)))
	})
}

// printEach prints a JSON list, each entry as soon as it is read. After an error the list has no end.
func printEach(each func(entry func(text []byte) error) error) error {
	out := bufio.NewWriter(os.Stdout)
	before := "[\n  "
	err := each(func(text []byte) error {
		var entry bytes.Buffer
		if err := json.Indent(&entry, text, "  ", "  "); err != nil {
			return err
		}
		_, err := out.WriteString(before + entry.String())
		before = ",\n  "
		return err
	})
	switch {
	case err != nil:
	case before == "[\n  ":
		_, err = out.WriteString("[]\n")
	default:
		_, err = out.WriteString("\n]\n")
	}
	return cmp.Or(err, out.Flush())
}
