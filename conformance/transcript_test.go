package conformance

import (
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inShort is a request in a line: method, address, headers, body.
func inShort(t *testing.T, c *command) string {
	t.Helper()
	r, err := c.request()
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	var headers []string
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		headers = append(headers, name+": "+r.Header.Get(name))
	}
	return r.Method + " " + r.URL.String() + " " + strings.Join(headers, ", ") + "; " + string(body)
}

const sample = `Given: an-item

# An item on sale
curl "$BASE/v1/items/$item" \
  -H "X-Api-Key: $KEY"
Keep: etag = header.ETag

HTTP 200
Content-Type: application/json
ETag: $ETAG

{
  "status_code": 200
}

# A change
Given: a-webhook
While: the account is suspended
curl -X PATCH "$BASE/v1/items/$item" --json '{
  "title": "# no heading"
}'
Until: data.status=open

HTTP 403

# Not recorded yet
curl ...
`

func TestATranscriptIsPrintedAsItIsRead(t *testing.T) {
	transcript, err := Parse("released/1.0.0/GetItem.txt", sample)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample, transcript.Text()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := Section{
		Title: "A change", Given: []string{"a-webhook"}, While: []string{"the account is suspended"}, Until: "data.status=open",
		Request: "curl -X PATCH \"$BASE/v1/items/$item\" --json '{\n  \"title\": \"# no heading\"\n}'", Answer: &Answer{Status: 403},
	}
	if diff := cmp.Diff(want, transcript.Sections[1]); diff != "" {
		t.Errorf("section (-want +got):\n%s", diff)
	}
	if transcript.Operation() != "GetItem" || transcript.Legacy() {
		t.Errorf("it is about %s of /rest: %v", transcript.Operation(), transcript.Legacy())
	}
}

func TestWhatIsNoTranscript(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                        {"", "has no section"},
		"a section without a request":    {"# One\nHTTP 200\n", `the section "One" has no request`},
		"two requests in a section":      {"# One\ncurl a\ncurl b\n", `:3: a second request in the section "One"`},
		"an unknown word":                {"# One\nWith: luck\n", `:2: cannot read "With: luck"`},
		"a request before a section":     {"curl a\n", `:1: "curl a" stands before the first section`},
		"a status that is none":          {"# One\ncurl a\nHTTP ok\n", `:3: "ok" is no status`},
		"a header that is none":          {"# One\ncurl a\nHTTP 200\nhello\n", `:4: "hello" is no header`},
		"a value to keep without a path": {"# One\ncurl a\nKeep: x\n", `:3: Keep: name = path, not "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("next/X.txt", c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v instead of %q", err, c.want)
			}
		})
	}
}
