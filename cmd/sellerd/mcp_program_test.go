package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sellerd/internal/proof/servertest"
)

// agentDriver calls a tool of a running `sellerd mcp`, as an agent's host does.
type agentDriver func(t *testing.T, tool string, arguments any) (text string, failed bool)

// mcpCommand is the program for a service, with a key.
func mcpCommand(t *testing.T, url, key string, flags ...string) *exec.Cmd {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"mcp"}, flags...)...)
	t.Cleanup(func() {
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
		}
	})
	cmd.Env = append(os.Environ(), "SELLERD_BASE_URL="+url, "SELLERD_KEY="+key)
	return cmd
}

// scripted talks to the program by lines of JSON, without a library. At the end of the test it closes the program's input.
type scripted struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	last   int
}

func startScript(t *testing.T, cmd *exec.Cmd) *scripted {
	t.Helper()
	s := &scripted{cmd: cmd}
	cmd.Stderr = &s.stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReader(out)
	s.ask(t, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"script","version":"1"}}`)
	s.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *scripted) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// ask sends a request and returns the result.
func (s *scripted) ask(t *testing.T, method, params string) json.RawMessage {
	t.Helper()
	s.last++
	s.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.last, method, params))
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, &s.stderr)
	}
	var answer struct {
		ID     int             `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.ID != s.last || answer.Error != nil {
		t.Fatalf("%s is answered %s (%v)", method, line, err)
	}
	return answer.Result
}

// call is an agentDriver.
func (s *scripted) call(t *testing.T, tool string, arguments any) (string, bool) {
	t.Helper()
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Content []struct{ Type, Text string }
		IsError bool `json:"isError"`
	}
	if err := json.Unmarshal(s.ask(t, "tools/call", string(params)), &result); err != nil || len(result.Content) != 1 || result.Content[0].Type != "text" {
		t.Fatalf("%s is answered %+v (%v)", tool, result, err)
	}
	return result.Content[0].Text, result.IsError
}

// end closes the program's input, and returns what it wrote to standard error.
func (s *scripted) end(t *testing.T) string {
	t.Helper()
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(s.out); err != nil || len(rest) > 0 {
		t.Errorf("after the end of its input it writes %q (%v)", rest, err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the end of its input must end the program with status 0: %v\n%s", err, &s.stderr)
	}
	return s.stderr.String()
}

// withSDK is the same with the client of the SDK.
func withSDK(t *testing.T, cmd *exec.Cmd) agentDriver {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("it does not end well: %v", err)
		}
	})
	return func(t *testing.T, tool string, arguments any) (string, bool) {
		t.Helper()
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		return result.Content[0].(*sdk.TextContent).Text, result.IsError
	}
}

// mcpShop is a service whose items are published as soon as they are submitted, for an old program and for an agent.
type mcpShop struct {
	*servertest.World
	url  string
	call agentDriver
}

func newMCPShop(t *testing.T, w *servertest.World) *mcpShop {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.Server.Public.ServeHTTP(out, r)
		if r.Method == http.MethodPost {
			w.Publish(t)
		}
	}))
	t.Cleanup(server.Close)
	return &mcpShop{World: w, url: server.URL}
}

// old sends a call of the old interface, as the program that is moved did.
func (s *mcpShop) old(t *testing.T, method, path, form string) {
	t.Helper()
	r, err := http.NewRequest(method, s.url+"/rest"+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", s.Key)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %s (%v)", method, path, response.StatusCode, text, err)
	}
}

// ask calls a tool, expects it to succeed, and reads its answer.
func (s *mcpShop) ask(t *testing.T, out any, tool string, arguments any) {
	t.Helper()
	text, failed := s.call(t, tool, arguments)
	if failed {
		t.Fatalf("%s with %v: %s", tool, arguments, text)
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// moves does what an agent does with an old call: it translates it, reads the guide about it, and does what the translation names. New
// items are only checked first.
func (s *mcpShop) moves(t *testing.T, method, path, form string) {
	t.Helper()
	var means struct {
		Call  string
		Steps []struct {
			Tool      string
			Arguments map[string]any
		}
	}
	s.ask(t, &means, "translate", map[string]any{"request": "curl -X " + method + " 'https://rest.delcampe.net" + path + "' -d token=abc -d '" + form + "'"})
	if section, failed := s.call(t, "guide", map[string]any{"section": means.Call}); failed || !strings.HasPrefix(section, "### ") {
		t.Fatalf("the guide about %s: %s", means.Call, section)
	}
	if len(means.Steps) != 1 {
		t.Fatalf("%s %s takes %d steps", method, path, len(means.Steps))
	}
	step := means.Steps[0]
	if step.Tool == "create_items" {
		items := s.Count(t, "items", "1 = 1")
		check := maps.Clone(step.Arguments)
		check["validate_only"] = true
		var valid struct{ Valid int }
		s.ask(t, &valid, step.Tool, check)
		if n := s.Count(t, "items", "1 = 1"); valid.Valid != 1 || n != items {
			t.Errorf("the check finds %d valid items, and creates %d", valid.Valid, n-items)
		}
	}
	s.ask(t, new(struct{}), step.Tool, step.Arguments)
}

// item finds an item by its reference and reads it, without what differs between two equal items.
func (s *mcpShop) item(t *testing.T, reference string) (id string, item map[string]any) {
	t.Helper()
	var list struct {
		Data struct{ Results []struct{ ID string } }
	}
	s.ask(t, &list, "browse", map[string]any{"operation": "browseItems", "exact_reference": reference})
	if len(list.Data.Results) != 1 {
		t.Fatalf("there are %d items %s", len(list.Data.Results), reference)
	}
	id = list.Data.Results[0].ID
	var got struct{ Data map[string]any }
	s.ask(t, &got, "read", map[string]any{"operation": "getItem", "id": id})
	for _, name := range []string{"id", "submission_id", "url", "item_url", "personal_reference", "created_at", "updated_at", "starts_at", "ends_at", "ended_at", "closed_at", "published_at"} {
		delete(got.Data, name)
	}
	return id, got.Data
}

// TestAnAgentMovesThreeOldCalls lists, changes and closes an item, once by the old interface and once as an agent that moves these calls
// to /v1. After each call the two items are equal.
func TestAnAgentMovesThreeOldCalls(t *testing.T) {
	drivers := map[string]func(*testing.T, *mcpShop){
		"by a script": func(t *testing.T, s *mcpShop) {
			program := startScript(t, mcpCommand(t, s.url, s.Key))
			s.call = program.call
			t.Cleanup(func() {
				if said := program.end(t); strings.Contains(said, s.Key) || strings.Contains(said, "Penny Red") || !strings.Contains(said, `"tool":"change","operation":"closeItem","result":"ok"`) {
					t.Errorf("standard error has\n%s", said)
				}
			})
		},
		"by the SDK's client": func(t *testing.T, s *mcpShop) { s.call = withSDK(t, mcpCommand(t, s.url, s.Key)) },
	}
	for _, name := range slices.Sorted(maps.Keys(drivers)) {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				s := newMCPShop(t, w)
				drivers[name](t, s)
				const fields = "&title=Penny Red&id_category=1010101&fixed_price=12.50&currency=GBP&qty=3&description=<b>Plate</b> 148"
				equal := func(after string) (old, moved string) {
					t.Helper()
					old, want := s.item(t, "OLD-1")
					moved, got := s.item(t, "NEW-1")
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("after %s (-by the old call +by the agent):\n%s", after, diff)
					}
					return old, moved
				}
				s.old(t, "POST", "/item", "personal_reference=OLD-1"+fields)
				s.moves(t, "POST", "/item", "personal_reference=NEW-1"+fields)
				old, moved := equal("the first call")

				s.old(t, "PUT", "/item/"+old, "fixed_price=11.00&title=Penny Red, plate 148")
				s.moves(t, "PUT", "/item/"+moved, "fixed_price=11.00&title=Penny Red, plate 148")
				equal("the second call")

				s.old(t, "DELETE", "/item/"+old, "reason=NotAvailableItem")
				s.moves(t, "DELETE", "/item/"+moved, "reason=NotAvailableItem")
				equal("the third call")

				_, closed := s.item(t, "NEW-1")
				price, _ := closed["price"].(map[string]any)
				got := fmt.Sprint(closed["status"], " ", closed["title"], " ", price["amount"], " ", price["currency"])
				if diff := cmp.Diff("closed Penny Red, plate 148 11.00 GBP", got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestAnAgentGetsATestKeyUnlessLiveIsGiven(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	s := newMCPShop(t, w)
	for name, test := range map[string]struct {
		key    string
		flags  []string
		status int
		want   string
	}{
		"a live key": {w.LiveKey, nil, 2, "this is a live key: with --live, the agent can sell and ship real items"},
		"an old key": {strings.Repeat("0", 64), nil, 2, "the API key is not one of /v1"},
		"no wait":    {w.Key, []string{"--patience=0s"}, 2, "--patience must be more than 0"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := mcpCommand(t, s.url, test.key, test.flags...).CombinedOutput()
			var ended *exec.ExitError
			if !errors.As(err, &ended) || ended.ExitCode() != test.status || !strings.Contains(string(out), test.want) || strings.Contains(string(out), test.key) {
				t.Errorf("it ends with %v and says %s", err, out)
			}
		})
	}
	live := startScript(t, mcpCommand(t, s.url, w.LiveKey, "--live"))
	text, failed := live.call(t, "read", map[string]any{"operation": "getAccount"})
	if failed || !strings.Contains(text, `"mode":"live"`) {
		t.Errorf("with --live: %s", text)
	}
	live.end(t)
}

func TestSIGTERMEndsTheAgentsProgram(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	s := newMCPShop(t, w)
	program := startScript(t, mcpCommand(t, s.url, w.Key))
	if err := program.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(program.out); err != nil {
		t.Error(err)
	}
	if err := program.cmd.Wait(); err != nil {
		t.Errorf("SIGTERM must end the program with status 0: %v\n%s", err, &program.stderr)
	}
}
