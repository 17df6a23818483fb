package languages

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// TestWhatReadersWriteIsNoMarkup has words of a reader on pages, with the signs that texts have for links. No link is made of them, nor is one
// of the page's own led elsewhere.
func TestWhatReadersWriteIsNoMarkup(t *testing.T) {
	const signs = "[Log in](https://evil.example/)"
	french, _ := Named("fr")
	for english, want := range map[string]string{
		`<p>No page has any of the words <q>` + signs + `</q>.</p>`:           `<p>Aucune page ne contient l&#39;un des mots <q>` + signs + `</q>.</p>`,
		`<p>The <a href="/docs/keys" class="x">English text</a> decides.</p>`: `<p>Le <a class="x" href="/fr/docs/keys">texte anglais</a> fait foi.</p>`,
	} {
		page, err := french.Page([]byte("<!doctype html><html lang=\"en\"><body>"+english+"</body></html>"), "http://sellerd.test")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page.HTML), want) {
			t.Errorf("of %s it makes %s, want %s", english, page.HTML, want)
		}
	}
	w := newWriter(&translation{language: french}, nil)
	w.given = append(w.given, &html.Node{Type: html.ElementNode, DataAtom: atom.A, Data: "a", Attr: []html.Attribute{{Key: "href", Val: "/docs/keys"}}})
	var got strings.Builder
	for _, node := range w.nodes(signs + " [keys](/docs/keys)") {
		got.WriteString(node.Data)
		for child := range node.Descendants() {
			got.WriteString(" " + child.Data)
		}
		for _, a := range node.Attr {
			got.WriteString(" " + a.Key + "=" + a.Val)
		}
		got.WriteString(";")
	}
	if want := "span [ Log in ](https://evil.example/); ;a keys href=/docs/keys;"; got.String() != want {
		t.Errorf("it makes %s, want %s", got.String(), want)
	}
}
