package bridge

import (
	"context"
	"strconv"

	"sellerd/legacy"
	"sellerd/v1"
)

// This file keeps the promise about equal creates: one that comes again within a day lists nothing twice. Later it lists anew, and
// so it does if publication rejected all of the first. /v1 keeps the answer to an Idempotency-Key for a month.

// mostRepeats bounds how many earlier creates are looked at: /v1 keeps answers for 35 days, and of those that succeed one a day is new.
const mostRepeats = 40

// submit sends a request. One with a derived key that meets the answer to an equal create of long ago, or to one that was rejected later, is sent again, with a
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
		made, failed, err := a.outcome(ctx, c, r, got)
		if err != nil {
			return nil, err
		}
		if made == 0 || made.Add(life) > v1.TimeOf(a.clock.Now()) && !failed {
			return got, nil
		}
		r.once = c.Idempotency.Key + "-" + strconv.FormatInt(int64(made), 36)
	}
	return a.sendSecure(ctx, c, r)
}

// outcome says of the create whose stored answer came when it was carried out, 0 if that is not known, and whether publication rejected
// everything.
func (a *api) outcome(ctx context.Context, c *legacy.Call, r *request, got *answer) (made v1.Time, failed bool, err error) {
	switch r.operation {
	case v1.SubmitItem.Operation:
		var then, now v1.Submission
		if err := got.into(&then); err != nil {
			return 0, false, err
		}
		_, err := a.read(ctx, c, v1.GetSubmission.Operation, then.ID.V.String(), &now)
		return then.CreatedAt.V, now.Status == v1.SubmissionRejected, err
	case v1.SubmitBatch.Operation:
		var batch v1.BatchAnswer
		if err := got.into(&batch); err != nil {
			return 0, false, err
		}
		var summary v1.BatchSummary // which an older service does not have
		known, err := a.read(ctx, c, v1.GetBatch.Operation, batch.ID.String(), &summary)
		return summary.CreatedAt, known && summary.UnpublishedCount == batch.AcceptedCount, err
	}
	return 0, false, nil
}

// read reads an object, and says whether that succeeded.
func (a *api) read(ctx context.Context, c *legacy.Call, o *v1.Operation, id string, out any) (bool, error) {
	got, err := a.ask(ctx, c, &request{operation: o, path: map[string]string{"id": id}})
	if err != nil || got.errors != nil {
		return false, err
	}
	return true, got.into(out)
}
