package operatorpages_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// This file opens pages and reads their HTML.

// open opens a page as a browser does, with the token as a password.
func open(t *testing.T, w *servertest.World, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.SetBasicAuth("anybody", servertest.OperatorToken)
	answer := httptest.NewRecorder()
	w.Server.Operator.ServeHTTP(answer, r)
	return answer
}

// shown is a page that is found.
func shown(t *testing.T, w *servertest.World, path string) *html.Node {
	t.Helper()
	answer := open(t, w, path)
	if answer.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
	}
	return parse(t, answer)
}

func parse(t *testing.T, answer *httptest.ResponseRecorder) *html.Node {
	t.Helper()
	root, err := html.Parse(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// elements are those of a kind, in the order of the page.
func elements(root *html.Node, kind atom.Atom) (found []*html.Node) {
	for node := range root.Descendants() {
		if node.Type == html.ElementNode && node.DataAtom == kind {
			found = append(found, node)
		}
	}
	return found
}

// text is what a reader sees of an element, with single spaces.
func text(root *html.Node) string {
	var b strings.Builder
	for node := range root.Descendants() {
		if node.Type == html.TextNode {
			b.WriteString(node.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// rows are the cells of the n-th table of a page, without its head.
func rows(t *testing.T, root *html.Node, n int) (out [][]string) {
	t.Helper()
	bodies := elements(root, atom.Tbody)
	if n >= len(bodies) {
		t.Fatalf("the page has %d tables: %s", len(bodies), text(root))
	}
	for _, row := range elements(bodies[n], atom.Tr) {
		var cells []string
		for cell := range row.ChildNodes() {
			if cell.Type == html.ElementNode {
				cells = append(cells, text(cell))
			}
		}
		out = append(out, cells)
	}
	return out
}

// link is the path of the link with a text, empty without one.
func link(root *html.Node, words string) string {
	for _, a := range elements(root, atom.A) {
		if text(a) == words {
			return attribute(a, "href")
		}
	}
	return ""
}

func attribute(node *html.Node, name string) string {
	i := slices.IndexFunc(node.Attr, func(a html.Attribute) bool { return a.Key == name })
	if i < 0 {
		return ""
	}
	return node.Attr[i].Val
}

func accountPath(w *servertest.World) string {
	return "/operator/pages/accounts/" + v1.ID(w.Account).String()
}
