package operator

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"sellerd/internal/base/pattern"
	"sellerd/internal/command"
	"sellerd/internal/command/database"
	"sellerd/v1"
)

// Keys are the commands about API keys.
type Keys struct {
	Create keyCreate `cmd:"" help:"Make a key and print it; it is never shown again."`
	List   keyList   `cmd:"" help:"List an account's keys, without their secrets."`
	Revoke keyRevoke `cmd:"" help:"End a key at once."`
	Rotate keyRotate `cmd:"" help:"Make a key's successor, print it, and let the old one expire."`
}

type keyCreate struct {
	database.Flags
	Account string  `required:"" placeholder:"ACCOUNT" help:"The account's id, nickname or e-mail address."`
	Mode    string  `required:"" enum:"live,test" placeholder:"MODE" help:"live or test."`
	Name    string  `placeholder:"TEXT" help:"What the key is for, at most 64 characters."`
	Expires *string `placeholder:"TIME" help:"When it ends: an RFC 3339 instant, or a duration such as 90d. Default: never."`

	Permissions []string `placeholder:"NAME" complete:"permissions" help:"What it permits, such as items:read,sales:read. A permission to write includes the permission to read. Default: all."`
	ReadOnly    bool     `help:"Make a key that reads everything but the personal data of buyers, and changes nothing."`
}

// Run makes the key and prints it alone, so that a script can capture it.
func (c *keyCreate) Run(ctx context.Context, p *command.Program) error {
	expires, err := expiry(c.Expires, p.Now())
	if err != nil {
		return err
	}
	permissions, err := c.permissions()
	if err != nil {
		return err
	}
	command.IgnoreBrokenPipe() // printKey says what became of the key
	return c.WithService(ctx, func(s *v1.Service) error {
		account, err := s.NamedAccount(ctx, c.Account)
		if err != nil {
			return advise(err)
		}
		key, info, err := s.CreateKey(ctx, v1.NewKey{Account: account, Mode: c.Mode, Name: c.Name, ExpiresAt: expires, Permissions: permissions})
		if err != nil {
			return advise(err)
		}
		return printKey(key, info, "revoke")
	})
}

// permissions reads the flags that say what the key permits.
func (c *keyCreate) permissions() (v1.Opt[v1.Permissions], error) {
	switch {
	case c.ReadOnly && c.Permissions != nil:
		return v1.Opt[v1.Permissions]{}, command.Wrong("--read-only and --permissions exclude each other: --read-only is %s", strings.Join(v1.ReadPermissions.Names(), ","))
	case c.ReadOnly:
		return v1.Some(v1.ReadPermissions), nil
	case c.Permissions == nil:
		return v1.Opt[v1.Permissions]{}, nil
	}
	read, err := v1.ParsePermissions(c.Permissions)
	if err != nil {
		return v1.Opt[v1.Permissions]{}, command.Wrong("--permissions: %s", err)
	}
	return v1.Some(read), nil
}

type keyList struct {
	database.Flags
	listed
	Account string `required:"" placeholder:"ACCOUNT" help:"The account's id, nickname or e-mail address."`
}

// Run prints the keys, newest first.
func (c *keyList) Run(ctx context.Context) error {
	return c.WithService(ctx, func(s *v1.Service) error {
		account, err := s.NamedAccount(ctx, c.Account)
		if err != nil {
			return advise(err)
		}
		keys, err := s.ListKeys(ctx, account)
		if err != nil {
			return err
		}
		return c.print([]string{"id", "mode", "status", "name", "created_at", "expires_at", "last_used_at"}, entriesOf(keys))
	})
}

type keyRevoke struct {
	database.Flags
	ID string `arg:"" help:"The key's id, or the key itself."`
}

// Run revokes the key, which is rejected from the next request on.
func (c *keyRevoke) Run(ctx context.Context) error {
	return printed(ctx, c.Flags, func(s *v1.Service) (any, error) {
		info, err := s.RevokeKey(ctx, keyID(c.ID))
		return &info, err
	})
}

type keyRotate struct {
	database.Flags
	ID      string `arg:"" help:"The key's id, or the key itself."`
	Overlap string `default:"7d" placeholder:"DURATION" help:"How long the old key stays valid, in days or hours: 7d, 12h (default: ${default})."`
}

// Run prints the new key alone, and on standard error when it ends.
func (c *keyRotate) Run(ctx context.Context) error {
	overlap, err := duration(c.Overlap)
	if err != nil {
		return command.Wrong("--overlap must be a duration such as 7d or 12h, not %q", c.Overlap)
	}
	command.IgnoreBrokenPipe() // printKey says what became of the key
	return c.WithService(ctx, func(s *v1.Service) error {
		key, info, err := s.RotateKey(ctx, keyID(c.ID), overlap)
		if err != nil {
			return advise(err)
		}
		if err := printKey(key, info, "rotate"); err != nil {
			return err
		}
		if info.ExpiresAt.Set {
			fmt.Fprintln(os.Stderr, "sellerd: the new key ends at", info.ExpiresAt.V)
		}
		return nil
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

// keyID finds the id in a whole key, in case the user pastes one, perhaps with what stands around it in a header or a log.
func keyID(text string) string {
	if found := wholeKey().FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return strings.TrimSpace(text)
}

var wholeKey = pattern.Late(`dk_(?:live|test)_([0-9A-Za-z]+)`)

// expiry reads when a key ends: at an instant, or some time from now; never without the flag. An empty text
// may be a variable of a script that is not set, and is refused: its key would never end.
func expiry(given *string, now time.Time) (v1.Opt[v1.Time], error) {
	if given == nil {
		return v1.Opt[v1.Time]{}, nil
	}
	text := *given
	if d, err := duration(text); err == nil {
		return v1.Some(v1.TimeOf(now).Add(d)), nil
	}
	var at v1.Time
	if err := at.UnmarshalText([]byte(text)); err != nil {
		return v1.Opt[v1.Time]{}, command.Wrong("--expires must be an RFC 3339 instant such as 2027-01-31T12:00:00Z, or a duration such as 90d, not %q", text)
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
