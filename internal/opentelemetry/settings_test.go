package opentelemetry

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheEnvironmentSaysWhereSpansGo(t *testing.T) {
	json := http.Header{"Content-Type": {"application/json"}}
	for name, test := range map[string]struct {
		environment map[string]string
		want        *settings
		problem     string
	}{
		"nothing":         {nil, nil, ""},
		"disabled":        {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "TRUE"}, nil, ""},
		"no exporter":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}, nil, ""},
		"an endpoint":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/x/"}, &settings{"http://c:4318/x/v1/traces", json, 10 * time.Second}, ""},
		"that of traces":  {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://d/y"}, &settings{"https://d/y", json, 10 * time.Second}, ""},
		"a timeout":       {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_TIMEOUT": "250"}, &settings{"http://c/v1/traces", json, 250 * time.Millisecond}, ""},
		"no URL":          {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318"}, nil, "OTEL_EXPORTER_OTLP_ENDPOINT must be like http://localhost:4318"},
		"another way":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, nil, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported: use http/json, which collectors take at port 4318"},
		"another program": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "zipkin"}, nil, `OTEL_TRACES_EXPORTER must be otlp or none, not "zipkin"`},
		"no number":       {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_TIMEOUT": "10s"}, nil, `OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds, not "10s"`},
		"no pairs":        {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "hush"}, nil, "OTEL_EXPORTER_OTLP_HEADERS must be like name=value,other=value, with %20 for a space"},
	} {
		got, err := readSettings(func(name string) string { return test.environment[name] })
		problem := ""
		if err != nil {
			problem = err.Error()
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(settings{})); diff != "" || problem != test.problem {
			t.Errorf("%s: error %q, want %q (-want +got):\n%s", name, problem, test.problem, diff)
		}
	}
}
