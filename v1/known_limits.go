package v1

import (
	"context"
	"time"
)

// knownLimitsTime bounds the query for limits, which an answer can also omit.
const knownLimitsTime = time.Second

// KnownLimits are the limits for an answer that does not come from its call, as after a panic: those of the caller, or none
// if no caller was admitted. The call's changes of the store's limits may have been rolled back, so these limits are read
// again.
func (s *Service) KnownLimits(ctx context.Context) (known Meta) {
	trace := TraceFrom(ctx)
	if trace.call == nil || trace.call.Meta.Rate == nil {
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
	s.tellStoreLimits(ctx, trace.operation, &call)
	known.Store = call.Meta.Store
	return known
}
