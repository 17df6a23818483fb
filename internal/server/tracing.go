package server

import (
	"context"
	"net/http"
	"strconv"

	"sellerd/internal/base/httplog"
	"sellerd/internal/base/tracing"
	"sellerd/v1"
)

// startSpan starts the span of a request, which may be a part of a trace of the caller, and puts it into a context. It is nil if nothing is
// traced. What supervisors and Prometheus ask every few seconds is not traced.
func (s *Server) startSpan(ctx *context.Context, r *http.Request) (span tracing.Span) {
	if s.config.Tracer == nil || isProbe(r.URL.Path) || r.URL.Path == "/metrics" {
		return nil
	}
	*ctx, span = s.config.Tracer.Start(*ctx, tracing.Start{Kind: tracing.Answered, Parent: r.Header.Get(tracing.Header)})
	return span
}

// endSpan ends the span of a request. Like the request's line in the log it has nothing of the request but the names of this program and the
// ids.
func endSpan(span tracing.Span, r *http.Request, stack string, trace *v1.Trace, status int) {
	if span == nil {
		return
	}
	method, route := httplog.Method(r.Method), trace.Route()
	if route == "" {
		route = unknownPath
	}
	span.Name(method + " " + route)
	span.Text("http.request.method", method)
	span.Text("http.route", route)
	span.Text("sellerd.operation", operationOf(trace))
	span.Text("sellerd.stack", stack)
	span.Text("sellerd.request_id", trace.RequestID)
	span.Number("http.response.status_code", int64(status))
	problem := ""
	if status >= http.StatusInternalServerError {
		problem = strconv.Itoa(status)
	}
	span.End(problem)
}
