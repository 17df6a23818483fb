package opentelemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"sellerd/internal/base/pause"
)

// exporter sends spans to a collector: OTLP 1.x over HTTP, in the JSON encoding (https://opentelemetry.io/docs/specs/otlp/).
type exporter struct {
	settings
	client *http.Client
}

func newExporter(s settings) *exporter {
	return &exporter{s, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// firstWait is how long the second attempt to send a batch waits. Each further one waits twice as long.
const firstWait = time.Second

// ExportSpans implements sdk.SpanExporter. A collector that is busy or away is asked again within the timeout.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	body, err := json.Marshal(requestOf(spans))
	if err != nil {
		return err
	}
	for wait := firstWait; ; wait *= 2 {
		again, asked, err := e.post(ctx, body)
		if err == nil || !again {
			return err
		}
		if pause.For(ctx, max(wait, asked)) != nil {
			return fmt.Errorf("%d spans: %w", len(spans), err)
		}
	}
}

// Shutdown implements sdk.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

// post sends a batch once. It says whether the collector may take it later, and after which time it wants to be asked.
func (e *exporter) post(ctx context.Context, body []byte) (again bool, after time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	request.Header = e.header
	response, err := e.client.Do(request)
	if err != nil {
		return true, 0, err
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // so that the connection can be used again
	if response.StatusCode/100 == 2 {
		return false, 0, nil
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // a date is no number, and the usual wait will do
	return again, time.Duration(seconds) * time.Second, fmt.Errorf("the collector answered %s", response.Status)
}

// object is an object of the JSON encoding, in which ids are hexadecimal, and numbers of 64 bits are texts.
type object map[string]any

// requestOf is a batch as it is sent, which is not empty. All its spans are of one provider and one tracer.
func requestOf(spans []sdk.ReadOnlySpan) object {
	sent := make([]object, len(spans))
	for i, s := range spans {
		sent[i] = spanOf(s)
	}
	scope := spans[0].InstrumentationScope()
	return object{"resourceSpans": []object{{
		"resource":   object{"attributes": attributesOf(spans[0].Resource().Attributes())},
		"scopeSpans": []object{{"scope": object{"name": scope.Name, "version": scope.Version}, "spans": sent}},
	}}}
}

// These bits of a span's flags say that it is known whether the parent is of another program, and that it is.
const (
	knowsParent    = 0x100
	parentIsRemote = 0x200
)

// failedStatus is the code of a span that failed.
const failedStatus = 2

func spanOf(s sdk.ReadOnlySpan) object {
	own, parent, flags, status := s.SpanContext(), s.Parent(), uint32(s.SpanContext().TraceFlags())|knowsParent, object{}
	if parent.IsRemote() {
		flags |= parentIsRemote
	}
	if s.Status().Code == codes.Error {
		status["code"] = failedStatus
	}
	out := object{
		"traceId": own.TraceID().String(), "spanId": own.SpanID().String(), "flags": flags,
		"name": s.Name(), "kind": int(s.SpanKind()), // trace.SpanKind has the numbers of the protocol
		"startTimeUnixNano": nanos(s.StartTime()), "endTimeUnixNano": nanos(s.EndTime()),
		"attributes": attributesOf(s.Attributes()), "status": status,
	}
	if parent.SpanID().IsValid() {
		out["parentSpanId"] = parent.SpanID().String()
	}
	return out
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// attributesOf are attributes in the encoding. What is neither a number nor a truth is a text, as lists of resources are.
func attributesOf(attributes []attribute.KeyValue) []object {
	out := make([]object, len(attributes))
	for i, a := range attributes {
		value := object{"stringValue": a.Value.String()}
		switch a.Value.Type() {
		case attribute.INT64:
			value = object{"intValue": strconv.FormatInt(a.Value.AsInt64(), 10)}
		case attribute.FLOAT64:
			value = object{"doubleValue": a.Value.AsFloat64()}
		case attribute.BOOL:
			value = object{"boolValue": a.Value.AsBool()}
		}
		out[i] = object{"key": string(a.Key), "value": value}
	}
	return out
}
