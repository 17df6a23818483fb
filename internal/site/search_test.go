package site

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func testIndex() *Index {
	index := &Index{}
	index.Add(Entry{Path: "/docs/limits", Title: "Limits and 429", Also: []string{"throttling"}},
		`<h1>Limits</h1><p>About limits.</p><h2 id="a-minute">Requests a minute</h2><p>A request beyond the limit is 429 <code>rate_limited</code>.</p><pre>sleep</pre>`)
	index.Add(Entry{Path: "/docs", Title: "Reference"}, `<dl><dt id="tag/items/closeItem"><code>POST /v1/items/{id}/close</code></dt><dd>Takes an item off sale.</dd></dl>`)
	index.Add(Entry{Path: "/migration", Title: "Guide", Weight: 0.5}, `<section id="item-close"><h3><a href="#item-close">Take an item off sale</a></h3><p>Now: close it.</p></section><form><p>nothing</p></form>`)
	index.AddText(Entry{Path: "/errors/rate_limited", Title: "rate_limited"}, "Too many requests.")
	return index
}

func TestTheSearchFindsPagesWithTheirSections(t *testing.T) {
	for question, want := range map[string][]string{
		"rate_limited":             {"/errors/rate_limited", "/docs/limits", "/docs/limits#a-minute"},
		"RATE_LIM":                 {"/errors/rate_limited", "/docs/limits", "/docs/limits#a-minute"},
		"requests minute":          {"/docs/limits", "/docs/limits#a-minute"},
		"off sale":                 {"/migration", "/migration#item-close", "/docs", "/docs#tag/items/closeItem"},
		"POST /v1/items/{id}/clos": {"/docs", "/docs#tag/items/closeItem"},
		"throtling":                {"/docs/limits"}, // misspelt
		"sleep":                    {"/docs/limits", "/docs/limits#a-minute"},
		"nothing":                  nil,
		"imit":                     nil,
		" ?! ":                     nil,
	} {
		var got []string
		results, _ := testIndex().Find(question, 10)
		for _, result := range results {
			got = append(got, result.Path)
			for _, section := range result.Sections {
				got = append(got, section.Path)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", question, diff)
		}
	}
	if got, _ := testIndex().Find("limit", 1); len(got) != 1 {
		t.Errorf("of one result it returns %d", len(got))
	}
}

func TestSomeWordsAreBetterThanNothing(t *testing.T) {
	results, all := testIndex().Find("requests xyzzy minute", 10)
	if all || len(results) == 0 || results[0].Path != "/docs/limits" {
		t.Errorf("it finds %v, all words: %t", results, all)
	}
}

func TestThePluralIsTheSameWord(t *testing.T) {
	for word, want := range map[string]string{
		"webhooks": "webhook", "retries": "retry", "branches": "branch", "classes": "class", "boxes": "box", "states": "state", "limits": "limit", "images": "image",
		"address": "address", "status": "status", "this": "this", "is": "is", "go": "go", "ies": "ies", "has": "has", "sales": "sale",
	} {
		if got := Stem(word); got != want {
			t.Errorf("%s is %s, want %s", word, got, want)
		}
	}
}

func TestWordsThatDifferInOneLetter(t *testing.T) {
	for pair, want := range map[string]bool{
		"webook webhook": true, "wehbook webhook": true, "webhoik webhook": true, "webhookk webhook": true, "webhoo webhook": true,
		"webhook webhook": false, "wbhok webhook": false, "koohbew webhook": false, "ab ba": true, "abc acd": false,
	} {
		a, b, _ := strings.Cut(pair, " ")
		if oneOff(a, b) != want || oneOff(b, a) != want {
			t.Errorf("%s: want %t", pair, want)
		}
	}
}

func TestALongQuestionCostsNoMoreThanTenWords(t *testing.T) {
	var index Index
	index.Add(Entry{Path: "/a", Title: "A page"}, "<p>one two three four five six seven eight nine ten</p>")
	ten := "one two three four five six seven eight nine ten"
	for question, want := range map[string]bool{strings.Repeat("one ", 1000): true, ten + " xyzzy": true, "xyzzy " + ten: false} {
		results, all := index.Find(question, 5)
		if len(results) != 1 || all != want {
			t.Errorf("%.20s… finds %d pages, all words: %t, want %t", question, len(results), all, want)
		}
	}
}

// marked is an extract with its words that were found in brackets.
func marked(pieces []Piece) string {
	var b strings.Builder
	for _, piece := range pieces {
		if piece.Found {
			piece.Text = "[" + piece.Text + "]"
		}
		b.WriteString(piece.Text)
	}
	return b.String()
}

func TestAResultMarksTheWordsThatWereFound(t *testing.T) {
	text := "A needle. " + strings.Repeat("before ", 60) + "the (needle) is in the hay-stacks, " + strings.Repeat("after ", 60)
	index := &Index{}
	index.AddText(Entry{Path: "/a", Title: "A"}, text)
	index.AddText(Entry{Path: "/b", Title: "B"}, "all of it")
	for question, want := range map[string]string{
		"needle stack": "… " + strings.Repeat("before ", 7) + "the ([needle]) is in the [hay-stacks], " + strings.Repeat("after ", 19) + "…",
		"all":          "[all] of it",
	} {
		results, _ := index.Find(question, 1)
		if diff := cmp.Diff(want, marked(results[0].Extract)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", question, diff)
		}
	}
}
