package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"sellerd/docs"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := docs.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// samples makes a subscription that leads nowhere and returns a function that sends it a sample and returns the body.
func samples(t *testing.T) func(event string) string {
	w := servertest.New(t, servertest.SQLite(t))
	hook := servertest.Into[struct {
		ID string `json:"id"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": "https://shop.example/hooks"}}))
	return func(event string) string {
		t.Helper()
		return servertest.Into[struct {
			RequestBody string `json:"request_body"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/webhooks/" + hook.ID + "/test", Body: map[string]any{"event": event}})).RequestBody
	}
}

// TestEventsAreDocumented compares the table of events in seller/webhook-events.md with the catalogue, and with the data of a sample of
// each.
func TestEventsAreDocumented(t *testing.T) {
	sample := samples(t)
	var want []string
	for _, event := range v1.EventTypes {
		data := members(t, member(t, sample(event.Name), "data"))
		want = append(want, fmt.Sprintf("`%s` | %s | `%s`", event.Name, event.When, strings.Join(data, "`, `")))
	}
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z]+\\.[a-z_]+` \\| .* \\| .*) \\|$").FindAllStringSubmatch(read(t, "seller/webhook-events.md"), -1) {
		got = append(got, row[1])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheExampleHasTheShapeOfAnEvent(t *testing.T) {
	found := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(read(t, "seller/webhook-events.md"))
	if found == nil {
		t.Fatal("there is no example")
	}
	event, example := samples(t)("item.updated"), found[1]
	if diff := cmp.Diff(members(t, event), members(t, example)); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"resource", "data"} {
		if diff := cmp.Diff(members(t, member(t, event, name)), members(t, member(t, example, name))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// object is the members of a JSON object, in order.
func object(t *testing.T, text string) (names []string, values map[string]string) {
	t.Helper()
	values = map[string]string{}
	decoder := jsontext.NewDecoder(strings.NewReader(text))
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != '{' {
		t.Fatalf("%s is not an object: %v", text, err)
	}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		key := name.String()
		value, err := decoder.ReadValue()
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		names, values[key] = append(names, key), string(value)
	}
	return names, values
}

func members(t *testing.T, text string) []string {
	t.Helper()
	names, _ := object(t, text)
	return names
}

func member(t *testing.T, text, name string) string {
	t.Helper()
	_, values := object(t, text)
	return values[name]
}
