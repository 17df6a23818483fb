package v1

import (
	"context"
	"time"
)

// knownLimitsTime bounds the look for limits that an answer can do without.
const knownLimitsTime = time.Second

// KnownLimits are the limits to tell in an answer that its call did not give, as after a panic: those that are known of
// the caller, nothing when no caller was admitted. What the store's limits were inside the call may have been undone with
// it, so they are read anew.
func (s *Service) KnownLimits(ctx context.Context) (known Meta) {
	trace := TraceFrom(ctx)
	if trace.call == nil || trace.call.Meta.Rate == nil {
		return known
	}
	known.Rate = trace.call.Meta.Rate
	if trace.operation == nil {
		return known
	}
	defer func() { _ = recover() }() // what made the call panic may do so again, and then the answer does without
	ctx, cancel := context.WithTimeout(ctx, knownLimitsTime)
	defer cancel()
	call := Call{Caller: trace.call.Caller}
	s.tellStoreLimits(ctx, trace.operation, &call)
	known.Store = call.Meta.Store
	return known
}
