package v1

import (
	"context"

	"sellerd/v1/apikey"
	"sellerd/v1/permission"
	"sellerd/v1/sunset"
)

// This file is what a seller still does on the legacy interface: package sunset counts it, and GetLegacyUsage shows it as a
// list of what is left to move.

const (
	// LegacySunset is the instant from which the legacy interface answers 410: 5 October 2027, midnight UTC.
	LegacySunset = sunset.Ends
	// LegacyUsageDays is how many days of usage are kept and shown, besides the current day.
	LegacyUsageDays = sunset.UsageDays
)

type (
	// LegacyUsage is an account's use of the legacy interface in the key's mode.
	LegacyUsage = sunset.LegacyUsage
	// LegacyUsageRow is an account's use of one call with one key.
	LegacyUsageRow = sunset.LegacyUsageRow
	// LegacySuccessor is the operation that replaces a call.
	LegacySuccessor = sunset.LegacySuccessor
)

// GetLegacyUsage shows sellers which calls are left to move.
var GetLegacyUsage = op("GetLegacyUsage", "GET", "/v1/account/legacy-usage", 200, (*Service).getLegacyUsage, needs(permission.AccountRead), since("1.2.0"),
	doc("Tells which calls of the deprecated interface you still make, and what takes their place."))

// LegacyCall is one call of the legacy interface.
type LegacyCall struct {
	Owner Owner
	KeyID string
	Call  string   // its id, such as item-create
	Lossy []string // its fields that were not translated unchanged
}

// newUsage counts the calls out of what the service has.
func (s *Service) newUsage() *sunset.Usage {
	return sunset.NewUsage(sunset.UsageConfig{
		Store: s.store, Clock: s.config.Clock, TrustClock: s.trustClock, Logger: s.config.Logger,
		BaseURL: s.config.BaseURL, Successors: s.config.LegacyCalls,
	})
}

// CountLegacyCall counts a call, in memory until FlushLegacyUsageOnce.
func (s *Service) CountLegacyCall(u LegacyCall) {
	s.usage.Count(int64(u.Owner), u.Call, u.KeyID, u.Lossy)
}

// OnceAdmitted calls a function as soon as it is certain that the caller is admitted: now, or when the claim of the call is
// confirmed. It is not called if the work on the call is done again, or if the caller is refused.
func (c *Call) OnceAdmitted(do func()) {
	if c.claim.Open() {
		c.onceAdmitted = append(c.onceAdmitted, do)
		return
	}
	do()
}

// FlushLegacyUsageOnce stores the new counts and returns the number of rows. Counts that cannot be stored are kept for the
// next time.
func (s *Service) FlushLegacyUsageOnce(ctx context.Context) (int, error) { return s.usage.Flush(ctx) }

// PurgeLegacyUsageOnce deletes a chunk of the usage that is no longer shown, and returns the number of rows.
func (s *Service) PurgeLegacyUsageOnce(ctx context.Context) (int, error) { return s.usage.Purge(ctx) }

// getLegacyUsage sums up the account's usage over the days.
func (s *Service) getLegacyUsage(ctx context.Context, c *Call, _ *NoInput) (*LegacyUsage, error) {
	return s.usage.Report(ctx, int64(c.Owner), func(keyID string) string { return apikey.Prefix(keyID, modeName(c.Test)) })
}
