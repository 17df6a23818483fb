package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sellerd/internal/proof/servertest"
	"sellerd/v1/apikey"
)

// Keys that no service has. A test that needs answers takes those of a world.
var (
	testKey = apikey.Assemble("abcdefghijkl", "test", strings.Repeat("s", 32)).Text
	liveKey = apikey.Assemble("abcdefghijkl", "live", strings.Repeat("s", 32)).Text
)

// agent is an agent with the tools, as a host connects it. Its calls keep to the schemas that the tools show.
type agent struct {
	session *sdk.ClientSession
	tools   map[string]*sdk.Tool
	schemas map[string]*jsonschema.Schema
	log     *servertest.Log // of the server
}

// newServer makes a server for tests, whose sleeps are calls of idle.
func newServer(t *testing.T, config Config, idle func()) (*Server, *servertest.Log) {
	t.Helper()
	log := &servertest.Log{}
	config.Logger, config.Version = slog.New(slog.NewTextHandler(log, nil)), "test"
	if config.Now == nil {
		config.Now = time.Now
	}
	config.Sleep = func(ctx context.Context, _ time.Duration) error {
		idle()
		return ctx.Err()
	}
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return s, log
}

// connect lets an agent use a server over pipes, until the test ends.
func connect(t *testing.T, s *Server, log *servertest.Log) *agent {
	t.Helper()
	toServer, fromAgent := io.Pipe()
	toAgent, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- s.Run(context.WithoutCancel(t.Context()), toServer, fromServer)
		_ = fromServer.Close()
	}()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.IOTransport{Reader: toAgent, Writer: fromAgent}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = fromAgent.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		_ = session.Close()
	})
	a := &agent{session: session, tools: map[string]*sdk.Tool{}, schemas: map[string]*jsonschema.Schema{}, log: log}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		a.tools[tool.Name] = tool
		a.schemas[tool.Name] = compiled(t, tool.InputSchema)
	}
	return a
}

func compiled(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("tool.json", parsed); err != nil {
		t.Fatal(err)
	}
	out, err := compiler.Compile("tool.json")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// newAgent is an agent of a world's seller. The world publishes whenever a tool waits.
func newAgent(t *testing.T, w *servertest.World, around func(http.Handler) http.Handler) *agent {
	t.Helper()
	service := httptest.NewServer(around(w.Server.Public))
	t.Cleanup(service.Close)
	s, log := newServer(t, Config{BaseURL: service.URL, Key: w.Key, Now: w.Clock.Now}, func() { w.Publish(t) })
	return connect(t, s, log)
}

func plainly(h http.Handler) http.Handler { return h }

// call calls a tool, and expects the arguments to be as its schema says, and the answer to be short enough.
func (a *agent) call(t *testing.T, tool string, arguments map[string]any) (text string, failed bool) {
	t.Helper()
	sent, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	if a.schemas[tool] == nil {
		t.Fatalf("there is no tool %s", tool)
	}
	if err := a.schemas[tool].Validate(instance(t, sent)); err != nil {
		t.Errorf("the schema of %s does not allow %s: %v", tool, sent, err)
	}
	return a.callAnyhow(t, tool, jsontext.Value(sent))
}

// callAnyhow calls a tool with any arguments.
func (a *agent) callAnyhow(t *testing.T, tool string, arguments any) (text string, failed bool) {
	t.Helper()
	result, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	content, isText := result.Content[0].(*sdk.TextContent)
	if len(result.Content) != 1 || !isText {
		t.Fatalf("%s answers %v", tool, result.Content)
	}
	if len(content.Text) > maxText {
		t.Errorf("%s answers %d bytes", tool, len(content.Text))
	}
	return content.Text, result.IsError
}

// reply is the answer of a tool that calls the service.
type reply struct {
	Operation string         `json:"operation"`
	Status    int            `json:"status"`
	ETag      string         `json:"etag"`
	Key       string         `json:"idempotency_key"`
	Replayed  bool           `json:"replayed"`
	MayBeDone bool           `json:"may_be_done"`
	Note      string         `json:"note"`
	Data      jsontext.Value `json:"data"`
	Errors    []struct {
		Code    string `json:"code"`
		Field   string `json:"field"`
		Index   *int   `json:"index"`
		Message string `json:"message"`
		Mend    string `json:"mend"`
		DocsURL string `json:"docs_url"`
	} `json:"errors"`
	Accepted int `json:"accepted"`
	Valid    int `json:"valid"`
}

// codes are the errors with their fields.
func (r reply) codes() []string {
	var codes []string
	for _, e := range r.Errors {
		codes = append(codes, strings.TrimSpace(e.Code+" "+e.Field))
	}
	return codes
}

// data reads the data of an answer.
func data[T any](t *testing.T, r reply) T { t.Helper(); return decoded[T](t, string(r.Data)) }

func read(t *testing.T, text string) reply { t.Helper(); return decoded[reply](t, text) }

// does calls a tool, and expects it to succeed.
func (a *agent) does(t *testing.T, tool string, arguments map[string]any) reply {
	t.Helper()
	text, failed := a.call(t, tool, arguments)
	if failed {
		t.Fatalf("%s with %v: %s", tool, arguments, text)
	}
	return read(t, text)
}

// fails calls a tool, and expects it to fail.
func (a *agent) fails(t *testing.T, tool string, arguments map[string]any) reply {
	t.Helper()
	text, failed := a.call(t, tool, arguments)
	if !failed {
		t.Fatalf("%s with %v does not fail: %s", tool, arguments, text)
	}
	return read(t, text)
}

// tells calls a tool that answers a text.
func (a *agent) tells(t *testing.T, tool string, arguments map[string]any) string {
	t.Helper()
	text, failed := a.call(t, tool, arguments)
	if failed {
		t.Fatalf("%s with %v: %s", tool, arguments, text)
	}
	return text
}

// offline is an agent without a service.
func offline(t *testing.T) *agent {
	t.Helper()
	s, log := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	return connect(t, s, log)
}

// id is a submission's item.
type submitted struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	ItemID string `json:"item_id"`
}

// lists puts an item on sale.
func (a *agent) lists(t *testing.T, item map[string]any) string {
	t.Helper()
	out := data[submitted](t, a.does(t, "create_items", map[string]any{"items": []any{item}}))
	if out.Status != "published" {
		t.Fatalf("the item is %s", out.Status)
	}
	return out.ItemID
}

func TestAKeyDecidesWhatItMayDo(t *testing.T) {
	config := Config{BaseURL: "https://api.example.com", Logger: slog.New(slog.DiscardHandler), Now: time.Now}
	for name, key := range map[string]string{"no key": "", "an old key": strings.Repeat("a1", 32), "a key with a mistake": testKey + "x", "half a key": testKey[:20]} {
		config.Key = key
		if _, err := New(config); err == nil || !strings.Contains(err.Error(), "not one of /v1") || key != "" && strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", name, err)
		}
	}
	config.Key = liveKey
	if _, err := New(config); !errors.Is(err, ErrLiveKey) {
		t.Errorf("a live key: %v", err)
	}
	config.Live = true
	s, log := newServer(t, config, func() {})
	a := connect(t, s, log)
	if a.tools["sandbox"] != nil || len(a.tools) != 11 {
		t.Errorf("with a live key there are %d tools, with the sandbox: %v", len(a.tools), a.tools["sandbox"] != nil)
	}
	config.Key = testKey
	s, log = newServer(t, config, func() {})
	if a := connect(t, s, log); a.tools["sandbox"] == nil {
		t.Error("with a test key and --live there is no sandbox")
	}
}

// decoded reads JSON.
func decoded[T any](t *testing.T, text string) (out T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// instance is JSON for a schema.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
