package publishing

import (
	"context"

	"sellerd/ent"
	"sellerd/internal/base/tracing"
	"sellerd/v1/cause"
)

// This file makes the work on each submission a span of the trace of its request: from its lease until it is stored what became of it. What
// the item's events cause belongs to that span.

// PublishSpan is the name of the spans.
const PublishSpan = "publish"

// begin begins the outcome of a submission.
func (p *Publisher) begin(o *outcome, row *ent.Submission) {
	o.row, o.cause = row, row.Cause
	if p.core.Config.Tracer == nil {
		return
	}
	by := cause.Parse(row.Cause)
	_, o.span = p.core.Config.Tracer.Start(context.Background(), tracing.Start{Name: PublishSpan, Parent: by.Trace})
	o.span.Number("sellerd.submission", row.ID)
	if by.RequestID != "" {
		o.span.Text("sellerd.request_id", by.RequestID)
	}
	if row.Cause != nil {
		by.Trace = o.span.Parent()
		o.cause = new(by.Text())
	}
}

// note notes what becomes of a submission, as far as the transaction has come.
func (o *outcome) note(what string) {
	if o.span != nil {
		o.span.Text("sellerd.outcome", what)
	}
}

// ended ends the work on submissions. What could not be stored is done again after its lease, as another span.
func ended(outcomes []*outcome) {
	for _, o := range outcomes {
		if o.span != nil {
			o.span.End("")
		}
	}
}
