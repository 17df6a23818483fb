package delivery

import (
	"context"

	"sellerd/internal/base/tracing"
	"sellerd/v1/wire"
)

// This file makes attempts spans of the trace of the request, or of the publication, that caused the event. Until an attempt is made, its
// row keeps the traceparent where it will have the headers.

// AttemptSpan is the name of the spans of attempts.
const AttemptSpan = "webhook delivery"

// Send makes one attempt and notes what came of it. It decides nothing.
func (e *Engine) Send(ctx context.Context, a *Attempt) {
	if e.config.Tracer == nil {
		e.send(ctx, a, "")
		return
	}
	ctx, span := e.config.Tracer.Start(ctx, tracing.Start{Name: AttemptSpan, Kind: tracing.Sent, Parent: a.trace})
	span.Text("sellerd.delivery_id", wire.DeliveryID(a.delivery).String())
	span.Text("sellerd.webhook_id", wire.WebhookID(a.webhook).String())
	span.Text("sellerd.event_id", wire.EventID(a.event).String())
	span.Number("sellerd.attempt", int64(a.Number))
	e.send(ctx, a, span.Parent())
	if a.status != 0 {
		span.Number("http.response.status_code", int64(a.status))
	}
	span.End(a.errorCode)
}
