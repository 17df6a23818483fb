package serve

import (
	"context"
	"log/slog"
	"os"
	"time"

	"sellerd/internal/base/tracing"
	"sellerd/internal/command"
	"sellerd/internal/opentelemetry"
)

// lastSpans is how long the end waits for the collector to take the last spans.
const lastSpans = 2 * time.Second

// newTracer makes the tracer that the environment asks for, or none. end sends the last spans.
func newTracer(ctx context.Context, p *command.Program, logger *slog.Logger) (_ tracing.Tracer, end func(), err error) {
	tracer, err := opentelemetry.New(ctx, opentelemetry.Config{Getenv: os.Getenv, Version: p.Version, Logger: logger})
	if err != nil {
		return nil, nil, command.Wrong("%v", err)
	}
	if tracer == nil { // an interface that holds it would not be nil
		return nil, func() {}, nil
	}
	return tracer, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSpans)
		defer cancel()
		if err := tracer.Close(ctx); err != nil {
			logger.Warn("the last spans are lost", "error", err)
		}
	}, nil
}
