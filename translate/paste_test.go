package translate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/shell"

	"sellerd/v1"
)

const pasteBase = "http://sellerd.test"

// pastes are the ways to paste a sample.
func pastes(p *Plan, sample *Sample) map[string]Paste {
	address := p.Address(sample)
	full := "https://rest.delcampe.net" + strings.TrimPrefix(address, "/rest")
	all := map[string]Paste{
		"a curl command":   {Request: "curl -sS -X " + p.Method + " " + singleQuoted("http://localhost:8080"+address+"?token=$TOKEN") + " -d " + singleQuoted(sample.Form)},
		"a method and URL": {Request: p.Method + " " + full, Body: sample.Form},
	}
	if p.Method == "GET" {
		all["a URL with a query"] = Paste{Request: full + "?" + sample.Form}
		all["curl -G"] = Paste{Request: "curl -G " + singleQuoted(full) + " --data-raw " + singleQuoted(sample.Form)}
	}
	if p.Method == "POST" {
		all["curl with a form of several options"] = Paste{Request: "curl " + singleQuoted(full) + " -d " + strings.Join(strings.Split(singleQuoted(sample.Form), "&"), "' \\\n  -d '")}
		if sample.Form != "" {
			all["a URL and a body"] = Paste{Request: full, Body: sample.Form}
		}
	}
	return all
}

// translated is what a translation says, as samples write it, read from the printed commands.
func translated(t *testing.T, table *Table, paste Paste) (call string, lines, notes []string) {
	t.Helper()
	paste.BaseURL = pasteBase
	out, err := table.Translate(paste)
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
		if note.Text == wholeListNote { // of the call, whatever the sample
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
	lines = append(lines, method+" "+strings.TrimPrefix(address, pasteBase))
	lines = append(lines, slices.DeleteFunc(headers[1:], func(h string) bool { return h == "Content-Type: application/json" })...)
	if body != "" {
		compact := jsontext.Value(body)
		if err := compact.Compact(); err != nil {
			t.Errorf("%s is no JSON: %v", body, err)
		}
		lines = append(lines, string(compact))
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

func TestAPasteOfACallThatAnswersAllIsToldOfPages(t *testing.T) {
	table := newTable(t)
	for paste, want := range map[string][]Note{
		"GET /rest/item/reference/A": {{"personal_reference", NoteNarrowed, wholeListNote}},
		"GET /rest/item/4711/buyer":  {{"id_item", NoteNarrowed, wholeListNote}},
		"GET /rest/item/4711":        {},
	} {
		out, err := table.Translate(Paste{Request: paste, BaseURL: pasteBase})
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
	for name, paste := range map[string]Paste{
		"encoded with its name":       {Request: "PUT /rest/item/4711", Body: "token%3Dwvq3xt7nzk2"},
		"encoded with its name twice": {Request: "PUT /rest/item/4711", Body: "token%253Dwvq3xt7nzk2"},
		"behind a colon":              {Request: "PUT /rest/item/4711", Body: "Api-Key: wvq3xt7nzk2"},
		"of an entry":                 {Request: "POST /rest/items", Body: "items[0][apikey=wvq3xt7nzk2]=1"},
	} {
		out, err := table.Translate(paste)
		if said := fmt.Sprint(out, err); strings.Contains(said, "wvq3xt7nzk2") {
			t.Errorf("%s: %s", name, said)
		}
	}
}
