package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"sellerd/v1"
)

// withService opens the database as a short ordinary writer, beside a server or without one, and runs a command.
func (d database) withService(ctx context.Context, run func(*v1.Service) error) error {
	logger := newLogger(os.Stderr, slog.LevelWarn)
	db, config, err := d.open(ctx, asCommand, logger)
	if err != nil {
		return err
	}
	service, err := v1.New(config)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	return errors.Join(run(service), db.Close())
}

type accountCreateCmd struct {
	database
	Nickname string `required:"" placeholder:"NAME" help:"3 to 40 letters, digits, dots, dashes and underscores; unique."`
	Email    string `required:"" placeholder:"ADDRESS" help:"The seller's address."`
	Type     string `default:"private" enum:"private,professional" placeholder:"TYPE" help:"private or professional (default: ${default})."`
	Country  string `default:"FR" placeholder:"CODE" help:"ISO 3166-1 code; decides the first shipping models (default: ${default})."`
	Language string `default:"en" placeholder:"CODE" complete:"en,fr,de,it,es,nl" help:"en, fr, de, it, es or nl (default: ${default})."`
	Currency string `placeholder:"CODE" complete:"EUR,USD,GBP,CAD,CHF,AUD" help:"EUR, USD, GBP, CAD, CHF or AUD. Default: the country's."`
	TimeZone string `default:"Europe/Brussels" placeholder:"NAME" help:"IANA name (default: ${default})."`
}

// Run makes the account.
func (c *accountCreateCmd) Run(ctx context.Context) error {
	return c.withService(ctx, func(s *v1.Service) error {
		account, err := s.CreateAccount(ctx, v1.NewAccount{
			Nickname: c.Nickname, Email: c.Email, Type: c.Type, Country: c.Country, Language: c.Language,
			Currency: v1.Currency(c.Currency), TimeZone: c.TimeZone,
		})
		if err != nil {
			return advise(readable(err))
		}
		return printJSON(map[string]string{
			"id": account.ID.String(), "nickname": account.Nickname, "email": account.Email, "country": account.Country,
			"currency": string(account.Currency), "created_at": account.CreatedAt.String(),
		})
	})
}

// readable rewrites the service's errors about an input in terms of a command's flags.
func readable(err error) error {
	var problems v1.Errors
	if !errors.As(err, &problems) {
		return err
	}
	lines := make([]string, len(problems))
	for i, problem := range problems {
		lines[i] = fmt.Sprintf("--%s %s", strings.ReplaceAll(problem.Field, "_", "-"), problem.Message)
	}
	return wrongUsage(strings.Join(lines, "\n"))
}

// advise adds to an error of the service what to do, where that is not plain. An error about the value of a flag names the flag.
func advise(err error) error {
	for refusal, flag := range map[error]string{v1.ErrKeyName: "--name", v1.ErrExpiry: "--expires", v1.ErrOverlap: "--overlap"} {
		if errors.Is(err, refusal) {
			return wrong("%s: %s", flag, refusal)
		}
	}
	for refusal, advice := range map[error]string{
		v1.ErrNicknameTaken: "choose another with --nickname",
		v1.ErrNoAccount:     "`sellerd accounts list` shows the ids",
		v1.ErrNoKey:         "`sellerd keys list` shows the ids of an account's keys; the whole key will do as well",
		v1.ErrNoBuyer:       "every sale shows the id of its buyer",
		v1.ErrNotErased:     "run the command again when no backup or other program reads the database; the page Forget a buyer says how to run VACUUM",
	} {
		if errors.Is(err, refusal) {
			return fmt.Errorf("%w: %s", err, advice)
		}
	}
	return err
}

type forgetBuyerCmd struct {
	database
	Buyer string `required:"" placeholder:"ID" help:"The buyer's id."`
}

// Run erases the buyer's personal data and prints what was changed.
func (c *forgetBuyerCmd) Run(ctx context.Context) error {
	var id v1.ID
	if err := id.UnmarshalText([]byte(c.Buyer)); err != nil {
		return wrong("--buyer must be an id, a number such as 70001, not %q", c.Buyer)
	}
	return c.withService(ctx, func(s *v1.Service) error {
		forgotten, err := s.ForgetBuyer(ctx, id)
		if err != nil && !errors.Is(err, v1.ErrNotErased) {
			return advise(err)
		}
		if c.path() == "" {
			fmt.Fprintln(os.Stderr, postgresKeeps)
		}
		return errors.Join(printJSON(json.RawMessage(v1.EncodeJSON(nil, forgotten))), advise(err))
	})
}

// postgresKeeps is what the command cannot erase.
const postgresKeeps = "sellerd: the buyer's data are in no row any more. PostgreSQL still has them in old versions of rows, until VACUUM " +
	"FULL writes the tables anew, and in its write-ahead log, its archive, and its backups, until these are deleted"

type keysCmd struct {
	Create keyCreateCmd `cmd:"" help:"Make a key and print it; it is never shown again."`
	List   keyListCmd   `cmd:"" help:"List an account's keys, without their secrets."`
	Revoke keyRevokeCmd `cmd:"" help:"End a key at once."`
	Rotate keyRotateCmd `cmd:"" help:"Make a key's successor, print it, and let the old one expire."`
}

type keyCreateCmd struct {
	database
	Account string `required:"" placeholder:"ID" help:"The account's id."`
	Mode    string `required:"" enum:"live,test" placeholder:"MODE" help:"live or test."`
	Name    string `placeholder:"TEXT" help:"What the key is for, at most 64 characters."`
	Expires string `placeholder:"TIME" help:"When it ends: an RFC 3339 instant, or a duration such as 90d. Default: never."`

	Permissions []string `placeholder:"NAME" complete:"permissions" help:"What it permits, such as items:read,sales:read. A permission to write includes the permission to read. Default: all."`
	ReadOnly    bool     `help:"Make a key that reads everything and changes nothing."`
}

// Run makes the key and prints it alone, so that a script can capture it.
func (c *keyCreateCmd) Run(ctx context.Context) error {
	account, err := accountID(c.Account)
	if err != nil {
		return err
	}
	expires, err := expiry(c.Expires)
	if err != nil {
		return err
	}
	permissions, err := c.permissions()
	if err != nil {
		return err
	}
	return c.withService(ctx, func(s *v1.Service) error {
		key, info, err := s.CreateKey(ctx, v1.NewKey{Account: account, Mode: c.Mode, Name: c.Name, ExpiresAt: expires, Permissions: permissions})
		if err != nil {
			return advise(err)
		}
		return printKey(key, info, "revoke")
	})
}

// permissions reads the flags that say what the key permits.
func (c *keyCreateCmd) permissions() (v1.Opt[v1.Permissions], error) {
	switch {
	case c.ReadOnly && c.Permissions != nil:
		return v1.Opt[v1.Permissions]{}, wrong("--read-only and --permissions exclude each other: --read-only is %s", strings.Join(v1.ReadPermissions.Names(), ","))
	case c.ReadOnly:
		return v1.Some(v1.ReadPermissions), nil
	case c.Permissions == nil:
		return v1.Opt[v1.Permissions]{}, nil
	}
	read, err := v1.ParsePermissions(c.Permissions)
	if err != nil {
		return v1.Opt[v1.Permissions]{}, wrong("--permissions: %s", err)
	}
	return v1.Some(read), nil
}

type keyListCmd struct {
	database
	Account string `required:"" placeholder:"ID" help:"The account's id."`
}

// Run prints the keys as JSON, newest first.
func (c *keyListCmd) Run(ctx context.Context) error {
	account, err := accountID(c.Account)
	if err != nil {
		return err
	}
	return c.withService(ctx, func(s *v1.Service) error {
		keys, err := s.ListKeys(ctx, account)
		if err != nil {
			return advise(err)
		}
		return printJSON(json.RawMessage(v1.EncodeJSON(nil, &keys)))
	})
}

type keyRevokeCmd struct {
	database
	ID string `arg:"" help:"The key's id, or the key itself."`
}

// Run revokes the key, which is rejected from the next request on.
func (c *keyRevokeCmd) Run(ctx context.Context) error {
	return c.withService(ctx, func(s *v1.Service) error {
		info, err := s.RevokeKey(ctx, keyID(c.ID))
		if err != nil {
			return advise(err)
		}
		return printJSON(json.RawMessage(v1.EncodeJSON(nil, &info)))
	})
}

type keyRotateCmd struct {
	database
	ID      string `arg:"" help:"The key's id, or the key itself."`
	Overlap string `default:"7d" placeholder:"DURATION" help:"How long the old key stays valid, in days or hours: 7d, 12h (default: ${default})."`
}

// Run prints the new key alone.
func (c *keyRotateCmd) Run(ctx context.Context) error {
	overlap, err := duration(c.Overlap)
	if err != nil {
		return wrong("--overlap must be a duration such as 7d or 12h, not %q", c.Overlap)
	}
	return c.withService(ctx, func(s *v1.Service) error {
		key, info, err := s.RotateKey(ctx, keyID(c.ID), overlap)
		if err != nil {
			return advise(err)
		}
		return printKey(key, info, "rotate")
	})
}

// printKey prints a new key, which nothing can show again. If that fails, the error names the command that makes the lost key harmless,
// revoke or rotate.
func printKey(key string, info v1.KeyInfo, command string) error {
	if _, err := fmt.Println(key); err != nil {
		return fmt.Errorf("the key %[1]s was made and cannot be printed (%[2]w): %[3]s it with `sellerd keys %[3]s %[1]s`", info.ID, err, command)
	}
	return nil
}

func accountID(text string) (int64, error) { return namedAccount("--account", text) }

// namedAccount reads an account's id, which the command line calls by a name.
func namedAccount(name, text string) (int64, error) {
	var id v1.ID
	if err := id.UnmarshalText([]byte(text)); err != nil {
		return 0, wrong("%s must be an id, a number such as 5001, not %q", name, text)
	}
	return int64(id), nil
}

// keyID finds the id in a whole key, in case the user pastes one.
func keyID(text string) string {
	if parts := strings.Split(text, "_"); len(parts) >= 3 && parts[0] == "dk" {
		return parts[2]
	}
	return text
}

func expiry(text string) (v1.Opt[v1.Time], error) {
	if text == "" {
		return v1.Opt[v1.Time]{}, nil
	}
	if d, err := duration(text); err == nil {
		return v1.Some(v1.TimeOf(v1.SystemClock{}.Now()).Add(d)), nil
	}
	var at v1.Time
	if err := at.UnmarshalText([]byte(text)); err != nil {
		return v1.Opt[v1.Time]{}, wrong("--expires must be an RFC 3339 instant such as 2027-01-31T12:00:00Z, or a duration such as 90d, not %q", text)
	}
	return v1.Some(at), nil
}

// duration is Go's, with days.
func duration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36500 {
			return 0, fmt.Errorf("%q is not a number of days", text)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	return time.ParseDuration(text)
}

func printJSON(v any) error {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
