package mcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Messages that begin a session.
const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"script","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// message is an answer of the server.
type message struct {
	ID    any `json:"id"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Result struct {
		Version string `json:"protocolVersion"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	} `json:"result"`
}

// script writes lines to a server, ends its input, and returns its answers.
func script(t *testing.T, s *Server, lines ...string) []message {
	t.Helper()
	var out bytes.Buffer
	if err := s.Run(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatalf("it ended with %v", err)
	}
	var answers []message
	for line := range strings.Lines(out.String()) {
		answers = append(answers, decoded[message](t, line))
	}
	return answers
}

func toolCall(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func TestALineThatIsNoMessageIsAnsweredAndTheNextOneIsRead(t *testing.T) {
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	deep := strings.Repeat("[", 100_000)
	answers := script(t, s,
		initialize, initialized,
		"not JSON", `{"jsonrpc":"2.0","id":1,`, `{"jsonrpc":"1.0","id":2,"method":"ping"}`, `[{"jsonrpc":"2.0","id":3,"method":"ping"}]`, `"text"`, "",
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`, deep,
		strings.Repeat("x", maxLine+1),
		`{"jsonrpc":"2.0","id":4,"method":"nothing/like/it"}`,
		toolCall(5, "nothing_like_it", `{}`),
		toolCall(6, "guide", `"text"`),
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":`+strings.Repeat("1", 5000)+`}}`,
		toolCall(8, "errors", `{"code":"item_not_open"}`),
	)
	got := map[string]int{}
	for _, a := range answers {
		code := 0
		if a.Error != nil {
			code = a.Error.Code
			if len(a.Error.Message) > maxComplaint+100 || a.Error.Message == "" {
				t.Errorf("an error has a text of %d bytes", len(a.Error.Message))
			}
		}
		if a.ID == nil {
			got[fmt.Sprintf("without an id: %d", code)]++
		} else {
			got[fmt.Sprintf("%v: %d", a.ID, code)]++
		}
	}
	want := map[string]int{
		"without an id: -32700": 3, // no JSON, half of one, too deep
		"without an id: -32600": 5, // another version, a batch, a text, an id that is true, a line that is too long
		"0: 0":                  1, "4: -32601": 1, "5: -32602": 1, "6: 0": 1, "7: -32602": 1, "8: 0": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	i := slices.IndexFunc(answers, func(a message) bool { return a.ID == 8.0 })
	if i < 0 || !strings.HasPrefix(answers[i].Result.Content[0].Text, "# item_not_open") {
		t.Errorf("the last call is answered %+v", answers)
	}
}

// TestAByteOrderMarkBeforeTheFirstMessage begins the input as a pipe of PowerShell may.
func TestAByteOrderMarkBeforeTheFirstMessage(t *testing.T) {
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	answers := script(t, s, "\ufeff"+initialize, initialized)
	if len(answers) != 1 || answers[0].ID != 0.0 || answers[0].Result.Version != "2025-11-25" {
		t.Errorf("the answers are %+v", answers)
	}
}

func TestTheEndOfTheInputWaitsForTheAnswers(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(100 * time.Millisecond) // longer than the end of the input takes to arrive
		_, _ = w.Write([]byte(`{"status_code":200,"data":{"id":"1"}}`))
	}))
	defer service.Close()
	s, _ := newServer(t, Config{BaseURL: service.URL, Key: testKey}, func() {})
	answers := script(t, s, initialize, initialized, toolCall(1, "read", `{"operation":"getAccount"}`), toolCall(2, "read", `{"operation":"getItem","id":"1"}`))
	if len(answers) != 3 || answers[1].Error != nil || answers[1].Result.IsError {
		t.Errorf("the answers are %+v", answers)
	}
}

func TestACallBeforeTheBeginningIsRefused(t *testing.T) {
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	answers := script(t, s, toolCall(1, "errors", `{}`), initialize)
	if len(answers) != 2 || answers[0].Error == nil || answers[1].Result.Version != "2025-11-25" {
		t.Errorf("the answers are %+v", answers)
	}
}

// TestItEndsWithTheContext ends the program while a call waits for the service, and its input stays open.
func TestItEndsWithTheContext(t *testing.T) {
	asked := make(chan struct{}, 1)
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer service.Close()
	s, _ := newServer(t, Config{BaseURL: service.URL, Key: testKey}, func() {})
	in, write := io.Pipe()
	defer write.Close()
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, in, io.Discard) }()
	for _, line := range []string{initialize, initialized, toolCall(1, "read", `{"operation":"getAccount"}`)} {
		if _, err := io.WriteString(write, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	<-asked
	end()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it did not end")
	}
}

func TestAToolThatPanicsFailsAlone(t *testing.T) {
	s, log := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	for _, tool := range s.tools {
		if tool.name == "errors" {
			tool.run = func(context.Context, *arguments) (string, error) { panic("secret " + testKey) }
		}
	}
	answers := script(t, s, initialize, initialized, toolCall(1, "errors", `{}`), toolCall(2, "guide", `{"section":"begin"}`))
	if len(answers) != 3 || strings.Contains(log.String(), testKey) || !strings.Contains(log.String(), "a tool panicked") {
		t.Fatalf("the answers are %+v, the log has\n%s", answers, log)
	}
	for _, a := range answers[1:] {
		if failed := a.ID == 1.0; a.Result.IsError != failed {
			t.Errorf("it answers %+v", a)
		}
	}
}

// TestOnlySoManyCallsRunTogether sends more calls than run at the same time. All are answered.
func TestOnlySoManyCallsRunTogether(t *testing.T) {
	running, most := make(chan struct{}, 100), make(chan int, 100)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		running <- struct{}{}
		most <- len(running)
		time.Sleep(10 * time.Millisecond)
		<-running
		_, _ = w.Write([]byte(`{"status_code":200,"data":{}}`))
	}))
	defer service.Close()
	s, _ := newServer(t, Config{BaseURL: service.URL, Key: testKey}, func() {})
	lines := []string{initialize, initialized}
	for i := range 5 * mostCalls {
		lines = append(lines, toolCall(i+1, "read", `{"operation":"getAccount"}`))
	}
	answers := script(t, s, lines...)
	close(most)
	for n := range most {
		if n > mostCalls {
			t.Errorf("%d calls ran together", n)
		}
	}
	if len(answers) != 5*mostCalls+1 {
		t.Errorf("there are %d answers", len(answers))
	}
}

// TestCallsThatRunTogetherDoNotDisturbEachOther reads the same pages many times at once, for the race detector.
func TestCallsThatRunTogetherDoNotDisturbEachOther(t *testing.T) {
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	lines := []string{initialize, initialized}
	for i := range 40 {
		lines = append(lines, []string{
			toolCall(i+1, "guide", `{"operation":"browseItems"}`), toolCall(i+1, "guide", `{"search":"price"}`), toolCall(i+1, "errors", `{}`),
			toolCall(i+1, "translate", `{"request":"GET /rest/item/fixedprice/opened"}`),
		}[i%4])
	}
	texts := map[string]bool{}
	for _, a := range script(t, s, lines...)[1:] {
		texts[a.Result.Content[0].Text] = true
	}
	if len(texts) != 4 {
		t.Errorf("there are %d different answers, want 4", len(texts))
	}
}
