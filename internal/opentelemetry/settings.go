package opentelemetry

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// settings are where spans go.
type settings struct {
	url     string
	header  http.Header
	timeout time.Duration // for one batch, with all attempts
}

// usualTimeout is how long a batch may take unless the environment says otherwise.
const usualTimeout = 10 * time.Second

// readSettings reads the standard variables. It returns nil if nothing is to be traced. Errors show no value, since headers and addresses
// may have secrets.
func readSettings(getenv func(string) string) (*settings, error) {
	const endpoint, ofTraces = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	name, address := ofTraces, getenv(ofTraces)
	if address == "" {
		if name, address = endpoint, getenv(endpoint); address == "" {
			return nil, nil
		}
		address = strings.TrimSuffix(address, "/") + "/v1/traces"
	}
	if u, err := url.Parse(address); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s must be like http://localhost:4318", name)
	}
	if exporter := getenv("OTEL_TRACES_EXPORTER"); exporter != "" && exporter != "otlp" {
		return nil, fmt.Errorf("OTEL_TRACES_EXPORTER must be otlp or none, not %q", exporter)
	}
	if protocol := cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), getenv("OTEL_EXPORTER_OTLP_PROTOCOL")); protocol == "grpc" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported: use http/json, which collectors take at port 4318")
	}
	s := &settings{url: address, timeout: usualTimeout, header: http.Header{"Content-Type": {"application/json"}}}
	if err := s.readHeaders(cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS"), getenv("OTEL_EXPORTER_OTLP_HEADERS"))); err != nil {
		return nil, err
	}
	if text := cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"), getenv("OTEL_EXPORTER_OTLP_TIMEOUT")); text != "" {
		millis, err := strconv.Atoi(text)
		if err != nil || millis <= 0 {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds, not %q", text)
		}
		s.timeout = time.Duration(millis) * time.Millisecond
	}
	return s, nil
}

// readHeaders reads a list like "authorization=Bearer%20abc,x-tenant=7".
func (s *settings) readHeaders(list string) error {
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !found || name == "" || err != nil {
			return fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS must be like name=value,other=value, with %%20 for a space")
		}
		s.header.Set(name, value)
	}
	return nil
}
