package opentelemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"sellerd/internal/base/tracing"
)

// Tracer implements tracing.Tracer.
type Tracer struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
}

// Close sends the spans that wait, as long as the context lasts.
func (t *Tracer) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

var kinds = map[tracing.Kind]trace.SpanKind{
	tracing.Inside: trace.SpanKindInternal, tracing.Answered: trace.SpanKindServer, tracing.Sent: trace.SpanKindClient,
}

// Start implements tracing.Tracer. Of a stranger's header only the trace is taken: no tracestate, and no baggage.
func (t *Tracer) Start(ctx context.Context, s tracing.Start) (context.Context, tracing.Span) {
	if s.Parent != "" {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{tracing.Header: s.Parent})
	}
	ctx, started := t.tracer.Start(ctx, s.Name, trace.WithSpanKind(kinds[s.Kind]))
	return ctx, span{started}
}

// Parent implements tracing.Tracer.
func (t *Tracer) Parent(ctx context.Context) string {
	return parentOf(trace.SpanContextFromContext(ctx))
}

func parentOf(c trace.SpanContext) string {
	if !c.IsValid() {
		return ""
	}
	return "00-" + c.TraceID().String() + "-" + c.SpanID().String() + "-" + c.TraceFlags().String()
}

// span implements tracing.Span.
type span struct{ trace.Span }

func (s span) Name(name string)                { s.SetName(name) }
func (s span) Text(name, value string)         { s.SetAttributes(attribute.String(name, value)) }
func (s span) Number(name string, value int64) { s.SetAttributes(attribute.Int64(name, value)) }
func (s span) Parent() string                  { return parentOf(s.SpanContext()) }

// End implements tracing.Span.
func (s span) End(problem string) {
	if problem != "" {
		s.SetStatus(codes.Error, "")
		s.SetAttributes(attribute.String("error.type", problem))
	}
	s.Span.End()
}
