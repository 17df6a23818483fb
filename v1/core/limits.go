package core

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"sellerd/ent"
	"sellerd/v1/keycheck"
	"sellerd/v1/outbound"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// MaxItemLimit is the highest limit of items, open or of a day.
const MaxItemLimit = 1_000_000_000

// AccountLimits are an account's own limits. One that it does not have is the service's default. A limit of 0 is off.
type AccountLimits struct{ requests, open, daily sql.Null[int64] }

// LimitsOf are the own limits of an account.
func LimitsOf(row *ent.Account) AccountLimits {
	return AccountLimits{nullable(row.LimitRequestsPerMinute), nullable(row.LimitOpenItems), nullable(row.LimitNewItemsPerDay)}
}

// day is a UTC day.
const day = wire.Time(24 * time.Hour / time.Microsecond)

// storeState is the state of the store's limits after so many items are open and were made on the day of an instant.
func (l AccountLimits) storeState(s *Core, open, daily int, now wire.Time) *StoreLimitState {
	return &StoreLimitState{
		OpenLimit: orDefault(l.open, s.Config.OpenItems), OpenUsed: open,
		DailyLimit: orDefault(l.daily, s.Config.NewItemsPerDay), DailyUsed: daily, DailyReset: now - now%day + day,
	}
}

func (l AccountLimits) rate(s *Core) int { return orDefault(l.requests, s.Config.RateLimit) }

func orDefault(own sql.Null[int64], otherwise int) int {
	if own.Valid {
		return int(own.V)
	}
	return otherwise
}

// failedAuthPerMinute is how many failed authentications one address may make a minute, at once or spread.
const failedAuthPerMinute = 20

// charge charges one request to the caller's budget, and refuses it with rate_limited when there is none left.
func (s *Core) charge(ctx context.Context, c *Call) error {
	limit := c.Limits.rate(s)
	state, err := s.limiter.Take(keycheck.With(ctx, c.Claim), ownerLimiter(c.Owner), limit, 1)
	if err != nil {
		return fmt.Errorf("rate limit: %w", err)
	}
	c.Meta.Rate = &state.State
	if state.Limited {
		return refusal.Later(refusal.RateLimited, state.RetryAfter)
	}
	c.Charged = true
	return nil
}

// refund returns a request, because a replay costs nothing.
func (s *Core) refund(ctx context.Context, c *Call) {
	state, err := s.limiter.Take(ctx, ownerLimiter(c.Owner), c.Limits.rate(s), -1)
	if err == nil {
		c.Meta.Rate = &state.State
	}
}

func ownerLimiter(o Owner) string { return "owner/" + strconv.FormatInt(int64(o), 36) }

// ChargeAddress counts one failed authentication of an address (of this process), and returns rate_limited instead of the
// failure itself after too many. Valid keys behind the same address are not affected.
func (s *Core) ChargeAddress(ctx context.Context, address string) error {
	state, err := s.limiter.TakeInProcess(ctx, "address/"+address, failedAuthPerMinute, 1)
	if err != nil {
		return fmt.Errorf("address limit: %w", err)
	}
	if state.Limited {
		refused := refusal.Later(refusal.RateLimited, state.RetryAfter)
		refused[0].Message = "Too many wrong keys from this address. A valid key is still accepted."
		return refused
	}
	return nil
}

// knownLimitsTime bounds the query for limits, which an answer can also omit.
const knownLimitsTime = time.Second

// KnownLimits are the limits for an answer that does not come from its call, as after a panic: those of the caller, or none
// if no caller was admitted. The call's changes of the store's limits may have been rolled back, so these limits are read
// again.
func (s *Core) KnownLimits(ctx context.Context) (known Meta) {
	trace := TraceFrom(ctx)
	if trace.call == nil || trace.call.Meta.Rate == nil || trace.call.Claim.Open() {
		return known
	}
	known.Rate = trace.call.Meta.Rate
	if trace.operation == nil {
		return known
	}
	defer func() { _ = recover() }() // the cause of the panic may cause another one, and then the answer has no limits
	ctx, cancel := context.WithTimeout(ctx, knownLimitsTime)
	defer cancel()
	call := Call{Caller: trace.call.Caller}
	s.addStoreLimits(ctx, trace.operation, &call)
	known.Store = call.Meta.Store
	return known
}

// CheckAddress checks an address in a request, of a webhook or of a picture.
func (s *Core) CheckAddress(c *Call, address string) error {
	if c.HTTPAddresses {
		return outbound.CheckLegacyURL(address, s.Config.AllowPrivateTargets)
	}
	return outbound.CheckURL(address, s.Config.AllowPrivateTargets)
}
