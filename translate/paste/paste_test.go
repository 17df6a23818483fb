package paste

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/shell"

	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/v1"
)

const base = "http://sellerd.test"

// pastes are the ways to paste a sample.
func pastes(p *translate.Plan, sample *translate.Sample) map[string]Input {
	address := p.Address(sample)
	full := "https://rest.delcampe.net" + strings.TrimPrefix(address, "/rest")
	all := map[string]Input{
		"a curl command": {
			Request: "curl -sS -X " + p.Method + " " + command.Quote("http://localhost:8080"+address+"?token=$TOKEN") + " -d " + command.Quote(sample.Form),
		},
		"a method and URL": {Request: p.Method + " " + full, Body: sample.Form},
	}
	if p.Method == "GET" {
		all["a URL with a query"] = Input{Request: full + "?" + sample.Form}
		all["curl -G"] = Input{Request: "curl -G " + command.Quote(full) + " --data-raw " + command.Quote(sample.Form)}
	}
	if p.Method == "POST" {
		all["curl with a form of several options"] = Input{
			Request: "curl " + command.Quote(full) + " -d " + strings.Join(strings.Split(command.Quote(sample.Form), "&"), "' \\\n  -d '"),
		}
		if sample.Form != "" {
			all["a URL and a body"] = Input{Request: full, Body: sample.Form}
		}
	}
	return all
}

// translated is what a translation says, as samples write it, read from the printed commands.
func translated(t *testing.T, table *translate.Table, paste Input) (call string, lines, notes []string) {
	t.Helper()
	paste.BaseURL = base
	out, err := Translate(table, paste)
	var refused v1.Errors
	if errors.As(err, &refused) {
		lines = refusals(refused)
		for i := range lines {
			lines[i] = unread.ReplaceAllString(lines[i], "$1")
		}
		return "", lines, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range out.Steps {
		lines = append(lines, executed(t, step.Curl)...)
	}
	for _, note := range out.Notes {
		if note.Text == translate.WholeListNote { // of the call, whatever the sample
			continue
		}
		if text := note.Field + " " + string(note.Kind); !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
		if !strings.HasSuffix(note.Text, ".") {
			t.Errorf("the note %q is no sentence", note.Text)
		}
	}
	return out.Call, lines, notes
}

// unread is a refusal of a number in the address that is none. /rest does not say which, because there is no such thing.
var unread = regexp.MustCompile(`^(404 \w+) \w+$`)

// actForm is an Idempotency-Key that says what is done to what, and ends with the reader's own part.
var actForm = regexp.MustCompile(`^Idempotency-Key: [a-z]+(-[A-Za-z0-9._{}]+)*-\{act\}$`)

// executed is the request that a shell and curl would make of a command, as samples write it.
func executed(t *testing.T, command string) (lines []string) {
	t.Helper()
	words, err := shell.Fields(command, func(name string) string { return "{" + strings.ToLower(name) + "}" })
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	method, address, body := "", "", ""
	var headers []string
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "-X":
			i++
			method = words[i]
		case "-H":
			i++
			headers = append(headers, words[i])
		case "-d":
			i++
			body = words[i]
		default:
			address = words[i]
		}
	}
	if method == "" {
		method = "GET"
		if body != "" {
			method = "POST"
		}
	}
	if headers[0] != "X-Api-Key: {key}" {
		t.Errorf("the key is missing: %s", command)
	}
	lines = append(lines, method+" "+strings.TrimPrefix(address, base))
	keys := 0
	for _, header := range headers[1:] {
		switch {
		case strings.HasPrefix(header, "Idempotency-Key: "):
			if keys++; !actForm.MatchString(header) {
				t.Errorf("this is no key of an act: %s", header)
			}
		case header != "Content-Type: application/json":
			lines = append(lines, header)
		}
	}
	if want := map[bool]int{true: 1}[method == "POST"]; keys != want {
		t.Errorf("there are %d keys instead of %d: %s", keys, want, command)
	}
	if body != "" {
		compact := jsontext.Value(body)
		if err := compact.Compact(); err != nil {
			t.Errorf("%s is no JSON: %v", body, err)
		}
		lines = append(lines, string(compact))
	}
	return lines
}

func newTable(t testing.TB) *translate.Table {
	t.Helper()
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// refusals are errors as samples write them.
func refusals(errs v1.Errors) (lines []string) {
	for _, e := range errs {
		line := strconv.Itoa(v1.Errors{e}.Status()) + " " + string(e.Code)
		if e.Field != "" {
			line += " " + e.Field
		}
		lines = append(lines, line)
	}
	return lines
}

func TestEverySampleIsUnderstoodHoweverItIsPasted(t *testing.T) {
	table := newTable(t)
	for _, p := range table.Plans {
		for _, sample := range p.Samples {
			for way, paste := range pastes(p, &sample) {
				call, lines, notes := translated(t, table, paste)
				want := append(slices.Clone(sample.V1), sample.Note...)
				if diff := cmp.Diff(want, append(lines, notes...)); diff != "" {
					t.Errorf("%s, %s, as %s (-want +got):\n%s", p.ID, sample.Name, way, diff)
				}
				if call != p.ID && call != "" {
					t.Errorf("%s, %s, as %s is taken for %s", p.ID, sample.Name, way, call)
				}
			}
		}
	}
}

// TestTheKeysOfPrintedCommandsSayWhatIsDone looks at the Idempotency-Key of each act that the tables know.
func TestTheKeysOfPrintedCommandsSayWhatIsDone(t *testing.T) {
	table := newTable(t)
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "items[%d][title]=Card&items[%d][id_category]=1010101&items[%d][fixed_price]=3&items[%d][personal_reference]=PC&", i, i, i, i)
		}
		return b.String()
	}
	for name, test := range map[string]struct {
		request, body string
		want          []string
	}{
		"a new item":                    {"POST /rest/item", "fixed_price=3&personal_reference=FR/1849 20c", []string{"list-FR-1849-20c-{act}"}},
		"one with a reference of signs": {"POST /rest/item", "fixed_price=3&personal_reference=%E2%98%BA", []string{"list-{act}"}},
		"one whose reference a shell knows": {
			`curl https://rest.delcampe.net/item -d fixed_price=3 -d "personal_reference=PC $N"`, "", []string{"list-PC-{act}"},
		},
		"two items":                   {"POST /rest/items", many(2), []string{"list-PC-and-1-more-{act}"}},
		"as many as take two batches": {"POST /rest/items", many(101), []string{"list-PC-and-99-more-batch-1-{act}", "list-PC-batch-2-{act}"}},
		"the end of a sale":           {"DELETE /rest/item/0047", "", []string{"close-47-{act}"}},
		"another run":                 {"POST /rest/item/47/restart", "", []string{"restart-47-{act}"}},
		"another run, in a shell":     {`curl -X POST "https://rest.delcampe.net/item/$ITEM/restart"`, "", []string{"restart-$ITEM-{act}"}},
		"a rating":                    {"POST /rest/item/47/feedback", "feedback=100", []string{"", "rate-{sale_id}-{act}"}},
		"a setting": {
			"POST /rest/notification/settings", "notificationType=Curl_Default&destination=https://a.example", []string{"subscribe-Curl_Default-{act}"},
		},
		"a sample of it":               {"POST /rest/notification/test", "notificationType=Curl_Default", []string{"", "test-{webhook_id}-{act}"}},
		"what is no POST in /v1 is no": {"PUT /rest/item/47", "fixed_price=3", []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Translate(table, Input{Request: test.request, Body: test.body, BaseURL: base})
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for _, step := range out.Steps {
				key := ""
				for _, header := range step.Headers {
					if header.Name == "Idempotency-Key" {
						key = header.Value
					}
				}
				keys = append(keys, key)
			}
			if diff := cmp.Diff(test.want, keys); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			const sets = "ACT=$(date +%s%N)"
			if strings.Contains(out.Curl.V, "\n"+sets+"\n") != strings.Contains(out.Curl.V, `"$ACT"`) {
				t.Errorf("the variable of the keys is set without being used, or the other way round:\n%s", out.Curl.V)
			}
			hasKey := slices.ContainsFunc(out.V1.V.Headers, func(h V1Header) bool { return h.Name == "Idempotency-Key" })
			if last := out.Steps[len(out.Steps)-1]; test.want[len(test.want)-1] != "" && !hasKey {
				t.Errorf("v1 lacks the key of %s", last.Curl)
			}
		})
	}
}

func TestAPasteOfACallThatAnswersAllIsToldOfPages(t *testing.T) {
	table := newTable(t)
	for paste, want := range map[string][]translate.Note{
		"GET /rest/item/reference/A": {{Field: "personal_reference", Kind: translate.NoteNarrowed, Text: translate.WholeListNote}},
		"GET /rest/item/4711/buyer":  {{Field: "id_item", Kind: translate.NoteNarrowed, Text: translate.WholeListNote}},
		"GET /rest/item/4711":        {},
	} {
		out, err := Translate(table, Input{Request: paste, BaseURL: base})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.Notes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", paste, diff)
		}
	}
}

func TestACredentialInTheNameOfAFieldIsNotTold(t *testing.T) {
	table := newTable(t)
	for name, paste := range map[string]Input{
		"encoded with its name":       {Request: "PUT /rest/item/4711", Body: "token%3Dwvq3xt7nzk2"},
		"encoded with its name twice": {Request: "PUT /rest/item/4711", Body: "token%253Dwvq3xt7nzk2"},
		"behind a colon":              {Request: "PUT /rest/item/4711", Body: "Api-Key: wvq3xt7nzk2"},
		"of an entry":                 {Request: "POST /rest/items", Body: "items[0][apikey=wvq3xt7nzk2]=1"},
	} {
		out, err := Translate(table, paste)
		if said := fmt.Sprint(out, err); strings.Contains(said, "wvq3xt7nzk2") {
			t.Errorf("%s: %s", name, said)
		}
	}
}
