package mcp

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lineOf matches the id of an answer as it is written.
var lineOf = regexp.MustCompile(`^\{"jsonrpc":"2\.0","id":(.*?),"(result|error)":`)

func TestAnAnswerHasTheIDAsItWasSent(t *testing.T) {
	ids := []string{
		"1.5", "-0.25", "1e2", "1.0", "-0", "-7", "9007199254740993", "-9223372036854775808", "123456789012345678901234567890", "1e300",
		`"x"`, `""`, `"1.5"`, `"1"`, `"<a> & é 🖤"`, `"\u0078"`, `"a\"b\\c\n"`, `"null"`,
	}
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	input := []string{initialize, initialized}
	for _, id := range ids {
		input = append(input, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"errors","arguments":{"code":"nowhere"}}}`)
	}
	input = append(input, `{"method":"no/such","id":2.75,"jsonrpc":"2.0"}`)
	var out bytes.Buffer
	if err := s.Run(t.Context(), strings.NewReader(strings.Join(input, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(out.String()) {
		found := lineOf.FindStringSubmatch(line)
		if found == nil {
			t.Fatalf("the answer is %s", line)
		}
		got[found[1]] = found[2]
	}
	want := map[string]string{"0": "result", "2.75": "error"}
	for _, id := range ids {
		want[id] = "result"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestACallIsCancelledByTheIDAsItWasSent calls a service that answers only when its caller has gone.
func TestACallIsCancelledByTheIDAsItWasSent(t *testing.T) {
	for _, id := range []string{"1.5", "9007199254740993", `"x"`} {
		service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		defer service.Close()
		s, _ := newServer(t, Config{BaseURL: service.URL, Key: testKey}, func() {})
		began := time.Now()
		script(t, s, initialize, initialized, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"read","arguments":{"operation":"getAccount"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`)
		if took := time.Since(began); took > DefaultPatience/2 {
			t.Errorf("the call %s went on for %s", id, took)
		}
	}
}

func TestARequestWithoutAnIDToAnswerIsRefused(t *testing.T) {
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	for _, id := range []string{"null", "true", "[1]", `{"a":1}`, "1e400"} {
		answers := script(t, s, initialize, initialized, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
		if len(answers) != 2 || !slices.ContainsFunc(answers, func(m message) bool { return m.ID == nil && m.Error != nil && m.Error.Code == -32600 }) {
			t.Errorf("%s: the answers are %+v", id, answers)
		}
	}
}

func TestAToolIsCalledByItsOldName(t *testing.T) {
	s, log := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	answers := script(t, s, initialize, initialized, toolCall(1, "list_items", `{"items":[]}`), toolCall(2, "create_items", `{"items":[]}`), toolCall(3, "make_items", `{}`))
	if len(answers) != 4 {
		t.Fatalf("there are %d answers", len(answers))
	}
	texts := map[any]string{}
	for _, a := range answers[1:] {
		if a.Error != nil {
			texts[a.ID] = a.Error.Message
		} else {
			texts[a.ID] = a.Result.Content[0].Text
		}
	}
	if texts[1.0] != texts[2.0] || !strings.Contains(texts[1.0], "It must be a list of 1 to 100 items") || !strings.Contains(texts[3.0], "make_items") {
		t.Errorf("it answers %v", texts)
	}
	if got := log.String(); strings.Count(got, "create_items") != 2 || strings.Contains(got, "list_items") {
		t.Errorf("the log is %s", got)
	}
	if _, listed := offline(t).tools["list_items"]; listed {
		t.Error("the old name is listed")
	}
}
