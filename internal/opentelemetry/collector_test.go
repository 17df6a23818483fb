package opentelemetry_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// collector is a receiver of the standard protocol. It rejects what the protocol's own schema does not know.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	spans    []received
	resource map[string]string
	header   http.Header
	problem  error
}

// received is a span as the tests compare it.
type received struct {
	Trace, ID, Parent, Name string
	Kind                    tracev1.Span_SpanKind
	Failed                  bool
	Values                  map[string]string
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// ServeHTTP implements http.Handler.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = c.take(r, body)
	}
	if err != nil {
		c.problem = err
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.header = r.Header
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("{}"))
}

// take reads a request of traces, whose only member has the number of that of TracesData.
func (c *collector) take(r *http.Request, body []byte) error {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
		return fmt.Errorf("%s %s with %s", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
	}
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil {
		return err
	}
	asBase64(tree)
	body, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	var data tracev1.TracesData
	if err := protojson.Unmarshal(body, &data); err != nil {
		return err
	}
	for _, of := range data.ResourceSpans {
		c.resource = map[string]string{}
		for _, a := range of.Resource.Attributes {
			c.resource[a.Key] = a.Value.GetStringValue()
		}
		for _, in := range of.ScopeSpans {
			for _, s := range in.Spans {
				c.spans = append(c.spans, receivedFrom(s))
			}
		}
	}
	return nil
}

// asBase64 rewrites ids, which are hexadecimal in this protocol and base64 in every other one.
func asBase64(tree any) {
	switch node := tree.(type) {
	case []any:
		for _, child := range node {
			asBase64(child)
		}
	case map[string]any:
		for name, child := range node {
			if text, is := child.(string); is && slices.Contains([]string{"traceId", "spanId", "parentSpanId"}, name) {
				id, _ := hex.DecodeString(text) // what is wrong is too short then
				node[name] = base64.StdEncoding.EncodeToString(id)
			}
			asBase64(child)
		}
	}
}

func receivedFrom(s *tracev1.Span) received {
	out := received{
		Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId), Parent: hex.EncodeToString(s.ParentSpanId), Name: s.Name, Kind: s.Kind,
		Failed: s.Status.GetCode() == tracev1.Status_STATUS_CODE_ERROR, Values: map[string]string{},
	}
	for _, a := range s.Attributes {
		out.Values[a.Key] = a.Value.GetStringValue()
		if a.Value.GetIntValue() != 0 {
			out.Values[a.Key] = fmt.Sprint(a.Value.GetIntValue())
		}
	}
	return out
}

// taken are the spans that have come, of one trace or of all.
func (c *collector) taken(t *testing.T, trace string) (found []received) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.problem != nil {
		t.Fatal(c.problem)
	}
	for _, s := range c.spans {
		if trace == "" || s.Trace == trace {
			found = append(found, s)
		}
	}
	return found
}
