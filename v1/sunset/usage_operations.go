package sunset

import (
	"context"
	"strings"

	"sellerd/v1/apikey"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/permission"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file is what a seller still does on the legacy interface: package sunset counts it, and GetLegacyUsage shows it as a
// list of what is left to move.

const (
	// LegacySunset is the instant from which the legacy interface answers 410: 5 October 2027, midnight UTC.
	LegacySunset wire.Time = 1_822_694_400_000_000
	// LegacyUsageDays is how many days of usage are kept and shown, besides the current day.
	LegacyUsageDays = 30
)

// GetLegacyUsage shows sellers which calls are left to move.
var GetLegacyUsage = core.NewOp("GetLegacyUsage", "GET", "/v1/account/legacy-usage", 200, (*Rest).getLegacyUsage,
	core.Needs(permission.AccountRead), core.Since("1.2.0"),
	core.Doc("Tells which calls of the deprecated interface you still make, and what takes their place."))

// OperatorLegacyUsage shows operators which keys are left.
var OperatorLegacyUsage = core.NewOp("OperatorLegacyUsage", "GET", "/operator/legacy-usage", 200, (*Rest).operatorLegacyUsage,
	core.Doc("Lists the keys that use the deprecated interface, or did, with the calls that they make. A page may be shorter than its limit and still have a next one."))

// LegacyCall is one call of the legacy interface.
type LegacyCall struct {
	Owner core.Owner // 0 if it is not known
	KeyID string
	Call  string   // its id, such as item-create
	Lossy []string // its fields that were not translated unchanged
	Drill bool     // it was answered 410 in a drill
}

// CountLegacyCall counts a call of a known owner, in memory until FlushLegacyUsageOnce.
func (s *Rest) CountLegacyCall(u LegacyCall) { s.usage.Count(u) }

// CountLegacyKey counts a call that was answered without a look at its key, which FlushLegacyUsageOnce then looks up. A key
// that is not valid counts nothing.
func (s *Rest) CountLegacyKey(key string, u LegacyCall) {
	if shown, ok := shownKey(key); ok {
		shown.KeyID = strings.Clone(shown.KeyID) // the request's memory need not be kept for the id
		s.usage.CountShown(shown, u)
	}
}

// shownKey reads the text of a key of either interface, as far as it has the form of one.
func shownKey(key string) (shown Shown, ok bool) {
	if IsKey(key) {
		hash := HashKey(key)
		return Shown{KeyID: KeyID(hash[:]), Hash: hash}, true
	}
	parsed, ok := apikey.Parse(key)
	return Shown{KeyID: parsed.ID, Hash: parsed.Hash}, ok
}

// LegacyKeyID is the id of a key of either interface, or "" if the text does not have the form of one.
func LegacyKeyID(key string) string {
	shown, _ := shownKey(key)
	return shown.KeyID
}

// CountLegacySession is CountLegacyKey for a session that was opened by the key with the call's KeyID. The caller has checked
// that the service sealed the session.
func (s *Rest) CountLegacySession(u LegacyCall) {
	s.usage.CountShown(Shown{KeyID: u.KeyID}, u)
}

// countRequest counts a request to /v1. One about /rest itself is no sign that a program has moved.
func (s *Rest) countRequest(o *core.Operation, c *core.Call) {
	if c.Charged && !strings.HasPrefix(o.Pattern, "/v1/account/legacy-") {
		s.usage.CountRequest(int64(c.Owner))
	}
}

// FlushLegacyUsageOnce stores the new counts and returns the number of rows. Counts that cannot be stored are kept for the
// next time.
func (s *Rest) FlushLegacyUsageOnce(ctx context.Context) (int, error) { return s.usage.Flush(ctx) }

// PurgeLegacyUsageOnce deletes a chunk of the usage that is no longer shown, and returns the number of rows.
func (s *Rest) PurgeLegacyUsageOnce(ctx context.Context) (int, error) { return s.usage.Purge(ctx) }

// getLegacyUsage sums up the account's usage over the days.
func (s *Rest) getLegacyUsage(ctx context.Context, c *core.Call, _ *core.NoInput) (*LegacyUsage, error) {
	return s.usage.Report(ctx, int64(c.Owner))
}

// LegacyLeftInput selects keys.
type LegacyLeftInput struct {
	State wire.Opt[string] `query:"state" enum:"active silent done"`
	Limit wire.Opt[int]    `query:"limit" min:"1" max:"200" default:"50"`
	After wire.Opt[string] `query:"after" doc:"next_cursor of the page before"`
}

// operatorLegacyUsage lists the keys that use the legacy interface, or did, in the order of accounts, modes and keys. A page of a
// state that few keys have may be shorter than its limit, or empty, and still have a next one: so no page costs much.
func (s *Rest) operatorLegacyUsage(ctx context.Context, _ *core.Call, in *LegacyLeftInput) (*rows.Page[LegacyLeft], error) {
	scope := rows.Scope("OperatorLegacyUsage", 0, []byte(in.State.V))
	after, err := s.Cursors.After(in.After, scope)
	if err != nil {
		return nil, err
	}
	left, next, err := s.usage.Left(ctx, in.State.V, LeftMark{Owner: after.Key, Use: after.ID}, in.Limit.Or(items.DefaultPageSize))
	if err != nil {
		return nil, err
	}
	page := &rows.Page[LegacyLeft]{Results: left}
	if next.Set {
		page.NextCursor = wire.Some(s.Cursors.Encode(rows.Cursor{Scope: scope, Key: next.V.Owner, ID: next.V.Use}))
	}
	return page, nil
}

// EachLegacyLeft yields what operatorLegacyUsage lists, for commands, until the first error. The state is one of
// LegacyStates, or empty for any.
func (s *Rest) EachLegacyLeft(ctx context.Context, state string, yield func(*LegacyLeft) error) error {
	for after := wire.Some(LeftMark{}); after.Set; {
		left, next, err := s.usage.Left(ctx, state, after.V, items.MaxPageSize)
		if err != nil {
			return err
		}
		for i := range left {
			if err := yield(&left[i]); err != nil {
				return err
			}
		}
		after = next
	}
	return nil
}

// LegacyAccounts are how many accounts use the legacy interface, or did, by state.
func (s *Rest) LegacyAccounts(ctx context.Context) (map[string]int, error) {
	return s.usage.Accounts(ctx)
}
