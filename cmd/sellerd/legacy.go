package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"

	"sellerd/v1"
)

type legacyCmd struct {
	Report legacyReportCmd `cmd:"" help:"List the keys that use the old interface, or did."`
}

type legacyReportCmd struct {
	database
	State string `placeholder:"STATE" complete:"active,silent,done" help:"Only active, silent or done keys. Default: all."`
	CSV   bool   `name:"csv" help:"Print CSV, a line for each key."`
}

// Run prints the keys in the order of accounts, modes and keys.
func (c *legacyReportCmd) Run(ctx context.Context) error {
	switch c.State {
	case "", "active", "silent", "done":
	default:
		return wrong("--state must be active, silent or done, not %q", c.State)
	}
	return c.withService(ctx, func(s *v1.Service) error {
		if c.CSV {
			return c.printCSV(ctx, s)
		}
		return c.printJSON(ctx, s)
	})
}

// printJSON prints a list.
func (c *legacyReportCmd) printJSON(ctx context.Context, s *v1.Service) error {
	return printEach(func(entry func([]byte) error) error {
		return s.EachLegacyLeft(ctx, c.State, func(l *v1.LegacyLeft) error { return entry(v1.EncodeJSON(nil, l)) })
	})
}

// legacyColumns are the columns of the CSV.
var legacyColumns = []string{
	"account_id", "nickname", "email", "key_id", "key_prefix", "key_name", "mode", "state", "first_used_at", "last_used_at", "count", "rest_share", "rest_share_since", "calls", "lossy_fields",
}

func (c *legacyReportCmd) printCSV(ctx context.Context, s *v1.Service) error {
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
			l.Account.ID.String(), plainCell(l.Account.Nickname), plainCell(l.Account.Email), l.Key.ID, l.Key.Prefix, plainCell(l.Key.Name.V), l.Key.Mode,
			l.State, l.FirstUsedAt.String(), l.LastUsedAt.String(), strconv.FormatInt(l.Count, 10), share, l.ShareSince.V, strings.Join(calls, " "), strings.Join(lossy, " "),
		})
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// plainCell keeps spreadsheets from reading a seller's text as a formula.
func plainCell(text string) string {
	if strings.IndexAny(text, "=+-@\t\r") == 0 {
		return "'" + text
	}
	return text
}
