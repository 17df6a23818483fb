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
		pause := time.NewTimer(max(wait, asked))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
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

// The JSON encoding follows: ids are hexadecimal, and numbers of 64 bits are texts.

type exportRequest struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource struct {
		Attributes []keyValue `json:"attributes"`
	} `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"scope"`
	Spans []jsonSpan `json:"spans"`
}

type jsonSpan struct {
	TraceID      string     `json:"traceId"`
	SpanID       string     `json:"spanId"`
	ParentSpanID string     `json:"parentSpanId,omitempty"`
	Flags        uint32     `json:"flags"`
	Name         string     `json:"name"`
	Kind         int        `json:"kind"`
	Start        string     `json:"startTimeUnixNano"`
	End          string     `json:"endTimeUnixNano"`
	Attributes   []keyValue `json:"attributes,omitempty"`
	Status       struct {
		Code int `json:"code,omitempty"`
	} `json:"status"`
}

type keyValue struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

// requestOf is a batch as it is sent. All its spans are of one provider and one tracer.
func requestOf(spans []sdk.ReadOnlySpan) exportRequest {
	var of resourceSpans
	var in scopeSpans
	for _, s := range spans {
		of.Resource.Attributes = attributesOf(s.Resource().Attributes())
		in.Scope.Name, in.Scope.Version = s.InstrumentationScope().Name, s.InstrumentationScope().Version
		in.Spans = append(in.Spans, spanOf(s))
	}
	of.ScopeSpans = []scopeSpans{in}
	return exportRequest{[]resourceSpans{of}}
}

// These bits of a span's flags say that it is known whether the parent is of another program, and that it is.
const (
	knowsParent    = 0x100
	parentIsRemote = 0x200
)

// failedStatus is the code of a span that failed.
const failedStatus = 2

func spanOf(s sdk.ReadOnlySpan) jsonSpan {
	own, parent := s.SpanContext(), s.Parent()
	out := jsonSpan{
		TraceID: own.TraceID().String(), SpanID: own.SpanID().String(), Flags: uint32(own.TraceFlags()) | knowsParent,
		Name: s.Name(), Kind: int(s.SpanKind()), // trace.SpanKind has the numbers of the protocol
		Start: nanos(s.StartTime()), End: nanos(s.EndTime()), Attributes: attributesOf(s.Attributes()),
	}
	if parent.SpanID().IsValid() {
		out.ParentSpanID = parent.SpanID().String()
	}
	if parent.IsRemote() {
		out.Flags |= parentIsRemote
	}
	if s.Status().Code == codes.Error {
		out.Status.Code = failedStatus
	}
	return out
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// attributesOf are attributes in the encoding. What is neither a number nor a truth is a text, as lists of resources are.
func attributesOf(attributes []attribute.KeyValue) []keyValue {
	out := make([]keyValue, len(attributes))
	for i, a := range attributes {
		value := map[string]any{"stringValue": a.Value.String()}
		switch a.Value.Type() {
		case attribute.INT64:
			value = map[string]any{"intValue": strconv.FormatInt(a.Value.AsInt64(), 10)}
		case attribute.FLOAT64:
			value = map[string]any{"doubleValue": a.Value.AsFloat64()}
		case attribute.BOOL:
			value = map[string]any{"boolValue": a.Value.AsBool()}
		}
		out[i] = keyValue{string(a.Key), value}
	}
	return out
}
