package operator

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"sellerd/internal/command"
	"sellerd/internal/command/database"
	"sellerd/v1"
)

// Buyers are the commands about what is stored of buyers.
type Buyers struct {
	Find   buyerFind   `cmd:"" help:"Find buyers by name, address or phone number, and every place that has the text."`
	Export buyerExport `cmd:"" help:"Print everything that is stored about a buyer as one JSON document."`
}

type buyerFind struct {
	database.Flags
	listed
	Text string `arg:"" help:"A part of an e-mail address, a nickname, a name, an address or a phone number."`
}

// Run prints what was found.
func (c *buyerFind) Run(ctx context.Context) error {
	return c.WithService(ctx, func(s *v1.Service) error {
		found, err := s.FindBuyers(ctx, c.Text)
		if err != nil {
			return err
		}
		if c.Format == formatJSON {
			return command.PrintJSON(json.RawMessage(v1.EncodeJSON(nil, found)))
		}
		return c.print([]string{"id", "nickname", "email", "first_name", "last_name", "country", "accounts"}, entriesOf(found.Buyers))
	})
}

type buyerExport struct {
	database.Flags
	ID      string `arg:"" help:"The buyer's id."`
	Account string `placeholder:"ACCOUNT" help:"Only what this account has: its id, nickname or e-mail address. Default: all accounts."`
}

// Run prints the document while it is read.
func (c *buyerExport) Run(ctx context.Context) error {
	id, err := buyerID("ID", c.ID)
	if err != nil {
		return err
	}
	return c.WithService(ctx, func(s *v1.Service) error {
		account := int64(0)
		if c.Account != "" {
			if account, err = s.NamedAccount(ctx, c.Account); err != nil {
				return advise(err)
			}
		}
		out := bufio.NewWriter(os.Stdout)
		if err := s.ExportBuyer(ctx, id, account, out); err != nil {
			return advise(err)
		}
		return out.Flush()
	})
}

// buyerID reads a buyer's id, which the command line calls by a name.
func buyerID(name, text string) (id v1.ID, err error) {
	if err := id.UnmarshalText([]byte(text)); err != nil {
		return 0, command.Wrong("%s must be an id, a number such as 70001, not %q: `sellerd buyers find` shows it", name, text)
	}
	return id, nil
}

type forgetBuyer struct {
	database.Flags
	Buyer string `required:"" placeholder:"ID" help:"The buyer's id."`
}

// Run erases the buyer's personal data and prints what was changed.
func (c *forgetBuyer) Run(ctx context.Context) error {
	id, err := buyerID("--buyer", c.Buyer)
	if err != nil {
		return err
	}
	return c.WithService(ctx, func(s *v1.Service) error {
		forgotten, err := s.ForgetBuyer(ctx, id)
		if err != nil && !errors.Is(err, v1.ErrNotErased) {
			return advise(err)
		}
		if c.Path() == "" {
			fmt.Fprintln(os.Stderr, postgresKeeps)
		}
		return errors.Join(command.PrintJSON(json.RawMessage(v1.EncodeJSON(nil, forgotten))), advise(err))
	})
}

// postgresKeeps is what the command cannot erase.
const postgresKeeps = "sellerd: the buyer's data are in no row any more. PostgreSQL still has them in old versions of rows, until VACUUM " +
	"FULL writes the tables anew, and in its write-ahead log, its archive, and its backups, until these are deleted"
