// Package opentelemetry records the service's spans (package tracing) with the SDK of OpenTelemetry and sends them to a collector. It is set
// by the standard OTEL_ variables alone, of which the SDK reads those about sampling, batches and the resource.
//
//   - settings.go reads where spans go; tracer.go makes them.
//   - exporter.go sends them by OTLP over HTTP, encoded as JSON. The exporter of OpenTelemetry's own modules would bring gRPC, and with it
//     5.7 MB of program.
package opentelemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Config configures New. All fields are mandatory.
type Config struct {
	Getenv  func(string) string // os.Getenv
	Version string              // of the program
	Logger  *slog.Logger        // is told when spans are lost
}

// New makes the tracer that the environment asks for. It is nil if the environment asks for none: without an endpoint, with
// OTEL_SDK_DISABLED=true and with OTEL_TRACES_EXPORTER=none.
func New(ctx context.Context, c Config) (*Tracer, error) {
	to, err := readSettings(c.Getenv)
	if to == nil || err != nil {
		return nil, err
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "sellerd"), attribute.String("service.version", c.Version)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		var failed *url.Error
		if errors.As(err, &failed) { // the address may have a secret
			err = failed.Err
		}
		c.Logger.Warn("spans are lost", "error", err)
	}))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(newExporter(*to)), sdk.WithResource(about))
	return &Tracer{tracer: provider.Tracer("sellerd", trace.WithInstrumentationVersion(c.Version)), provider: provider}, nil
}
