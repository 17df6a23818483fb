package bridge

import (
	"context"
	"strconv"

	"sellerd/legacy"
	"sellerd/v1"
)

// This file keeps the promise about equal creates: one that comes again within a day lists nothing twice, and later it
// lists anew. /v1 keeps the answer to an Idempotency-Key for a month.

// mostRepeats bounds how many earlier creates are looked at: /v1 keeps answers for 35 days, and one create a day is new.
const mostRepeats = 40

// submit sends a request. One with a derived key that meets the answer to an equal create of long ago is sent again, with a
// key that is derived of that one. Then the next equal create finds both, in turn.
func (a *api) submit(ctx context.Context, c *legacy.Call, r *request) (*answer, error) {
	if c.Idempotency == nil || r.operation.Method != "POST" {
		return a.sendSecure(ctx, c, r)
	}
	r.once = c.Idempotency.Key
	life := c.Idempotency.Life
	for range mostRepeats {
		got, err := a.sendSecure(ctx, c, r)
		if err != nil || !got.replayed() || life == 0 {
			return got, err
		}
		made, err := a.madeAt(ctx, c, r, got)
		if err != nil {
			return nil, err
		}
		if made == 0 || made.Add(life) > v1.TimeOf(a.clock.Now()) {
			return got, nil
		}
		r.once = c.Idempotency.Key + "-" + strconv.FormatInt(int64(made), 36)
	}
	return a.sendSecure(ctx, c, r)
}

// madeAt is when the create was carried out whose stored answer came, and 0 if that is not known.
func (a *api) madeAt(ctx context.Context, c *legacy.Call, r *request, got *answer) (v1.Time, error) {
	switch r.operation {
	case v1.SubmitItem.Operation:
		var submission v1.Submission
		err := got.into(&submission)
		return submission.CreatedAt.V, err
	case v1.SubmitBatch.Operation:
		var batch v1.BatchAnswer
		if err := got.into(&batch); err != nil {
			return 0, err
		}
		summary, err := a.ask(ctx, c, &request{operation: v1.GetBatch.Operation, path: map[string]string{"id": batch.ID.String()}})
		if err != nil || summary.errors != nil { // an older service has no summaries, and a key may not read them
			return 0, err
		}
		var made v1.BatchSummary
		err = summary.into(&made)
		return made.CreatedAt, err
	}
	return 0, nil
}
