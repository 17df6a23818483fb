package operator

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/command/database"
	"sellerd/translate/letter"
	"sellerd/v1"
)

// Legacy is the command about the old interface.
type Legacy struct {
	Report  legacyReport  `cmd:"" help:"List the keys that use the old interface, or did."`
	Letters legacyLetters `cmd:"" help:"Write a letter to each seller who still uses the old interface; sends nothing."`
}

type legacyReport struct {
	database.Flags
	State string `placeholder:"STATE" complete:"active,silent,done" help:"Only active, silent or done keys. Default: all."`
	CSV   bool   `name:"csv" help:"Print CSV, a line for each key."`
}

// Run prints the keys in the order of accounts, modes and keys.
func (c *legacyReport) Run(ctx context.Context) error {
	switch c.State {
	case "", "active", "silent", "done":
	default:
		return command.Wrong("--state must be active, silent or done, not %q", c.State)
	}
	return c.WithService(ctx, func(s *v1.Service) error {
		if c.CSV {
			return c.printCSV(ctx, s)
		}
		return printList(func(entry func(any) error) error {
			return s.EachLegacyLeft(ctx, c.State, func(l *v1.LegacyLeft) error { return entry(l) })
		})
	})
}

// legacyColumns are the columns of the CSV.
var legacyColumns = []string{
	"account_id", "nickname", "email", "key_id", "key_prefix", "key_name", "mode", "state", "first_used_at", "last_used_at", "count", "rest_share", "rest_share_since", "calls", "lossy_fields",
}

func (c *legacyReport) printCSV(ctx context.Context, s *v1.Service) error {
	out := csv.NewWriter(os.Stdout)
	_ = out.Write(legacyColumns) // Error says it
	err := s.EachLegacyLeft(ctx, c.State, func(l *v1.LegacyLeft) error {
		var calls, lossy []string
		for _, call := range l.Calls {
			calls = append(calls, fmt.Sprintf("%s:%d", call.Call, call.Count))
			for _, field := range call.LossyFields {
				lossy = append(lossy, call.Call+":"+field)
			}
		}
		share := ""
		if l.RestShare.Set {
			share = strconv.FormatFloat(l.RestShare.V, 'f', -1, 64)
		}
		return out.Write([]string{
			l.Account.ID.String(), letter.PlainCell(l.Account.Nickname), letter.PlainCell(l.Account.Email), l.Key.ID, l.Key.Prefix, letter.PlainCell(l.Key.Name.V), l.Key.Mode,
			l.State, l.FirstUsedAt.String(), l.LastUsedAt.String(), strconv.FormatInt(l.Count, 10), share, l.ShareSince.V, strings.Join(calls, " "), strings.Join(lossy, " "),
		})
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}
