package languages

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sellerd/internal/base/phrases"
)

// Page is a page in another language than English.
type Page struct {
	HTML    []byte
	Missing []string // texts without translation, as phrases have them, which stay English and are marked so
}

// ofSite ends the titles of pages: the name of the site.
const (
	ofSite = " – " + site
	site   = "The seller API"
)

// fallbackNotice is the id of the element that says that some texts are in English.
const fallbackNotice = "in-english"

// Page is a finished English page of the site at baseURL in the language.
func (l Language) Page(english []byte, baseURL string) (*Page, error) {
	root, err := html.ParseWithOptions(bytes.NewReader(english), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, fmt.Errorf("read a page: %w", err)
	}
	t := &translation{language: l, baseURL: baseURL}
	t.texts(root)
	t.addresses(root)
	if notice := byID(root, fallbackNotice); notice != nil && len(t.page.Missing) == 0 {
		notice.Parent.RemoveChild(notice)
	}
	var out bytes.Buffer
	if err := html.Render(&out, root); err != nil {
		return nil, fmt.Errorf("write a page: %w", err)
	}
	t.page.HTML = out.Bytes()
	return &t.page, nil
}

// translation is a page while it is translated.
type translation struct {
	language Language
	baseURL  string
	page     Page
}

// say looks a text up, and notes one that is missing.
func (t *translation) say(english string) (string, bool) {
	if bare, titled := strings.CutSuffix(english, ofSite); titled {
		text, ok := t.say(bare)
		name, named := t.say(site)
		return text + " – " + name, ok && named
	}
	if !isProse(english) {
		return english, true
	}
	text, ok := t.language.Say(english)
	if plain := strings.ReplaceAll(english, "`", ""); !ok && plain != english { // perhaps a text of an answer, in which a page sets names as code
		if text, ok = t.language.Say(plain); ok {
			text, english = codeAs(english, text), plain
		}
	}
	if !ok {
		t.page.Missing = append(t.page.Missing, english)
	}
	return text, ok
}

// codeAs sets names in a translation as code if they are code in the English text, and the translation has none yet.
func codeAs(english, text string) string {
	if strings.Contains(text, "`") {
		return text
	}
	for i, name := range strings.Split(english, "`") {
		if i%2 == 1 {
			text = strings.Replace(text, name, "`"+name+"`", 1)
		}
	}
	return text
}

// describe looks up what search engines show of a page. It may be made of two texts, as of the meaning of an error and its remedy.
func (t *translation) describe(english string) string {
	for at := range english {
		first, found := strings.CutSuffix(english[:at], " ")
		if !found {
			continue
		}
		one, ok := t.language.Say(first)
		if two, also := t.language.Say(english[at:]); ok && also {
			return one + " " + two
		}
	}
	text, _ := t.say(english)
	return text
}

// texts translates what an element shows: its attributes, and its texts, each with the inline elements around it.
func (t *translation) texts(node *html.Node) {
	if isKept(node) {
		return
	}
	t.attributes(node)
	var run []*html.Node // neighbours that are one text
	for child := range node.ChildNodes() {
		if isInline(child) {
			run = append(run, child)
			continue
		}
		t.run(node, run, child)
		run = nil
		t.texts(child)
	}
	t.run(node, run, nil)
}

// run translates neighbours that are one text, which stand before a node of the parent. If there are only words within the elements, each
// of them is a text of its own.
func (t *translation) run(parent *html.Node, run []*html.Node, before *html.Node) {
	spoken := false
	for _, node := range run {
		spoken = spoken || node.Type == html.TextNode && strings.ContainsFunc(node.Data, unicode.IsLetter)
	}
	if !spoken {
		for _, node := range run {
			t.texts(node)
		}
		return
	}
	for _, node := range run {
		t.attributes(node)
	}
	key, first, last := t.key(run)
	text, ok := t.say(key)
	switch {
	case ok && text == key:
		return
	case !ok:
		t.mark(parent, run)
		return
	}
	w := newWriter(t, run)
	for _, node := range run {
		parent.RemoveChild(node)
	}
	for _, node := range slices.Concat([]*html.Node{newText(first)}, w.nodes(text), []*html.Node{newText(last)}) {
		parent.InsertBefore(node, before)
	}
}

// mark says of a text that it is in English: on its element, or on one around it if the element has more.
func (t *translation) mark(parent *html.Node, run []*html.Node) {
	english := html.Attribute{Key: "lang", Val: English.Code}
	alone := true
	for child := range parent.ChildNodes() {
		alone = alone && isInline(child)
	}
	if alone && parent.DataAtom != atom.Title {
		parent.Attr = append(parent.Attr, english)
		return
	}
	if parent.DataAtom == atom.Title || parent.Namespace != "" {
		return // they have only text
	}
	around := &html.Node{Type: html.ElementNode, DataAtom: atom.Span, Data: "span", Attr: []html.Attribute{english}}
	parent.InsertBefore(around, run[0])
	for _, node := range run {
		parent.RemoveChild(node)
		around.AppendChild(node)
	}
}

// spoken are the attributes that are texts.
var spoken = []string{"title", "alt", "aria-label", "placeholder", "data-label"}

// attributes translates the attributes of an element.
func (t *translation) attributes(node *html.Node) {
	for _, name := range spoken {
		if value := attribute(node, name); value != nil {
			value.Val, _ = t.say(value.Val)
		}
	}
	switch name := attribute(node, "name"); {
	case node.DataAtom == atom.Meta && name != nil && name.Val == "description":
		if content := attribute(node, "content"); content != nil {
			content.Val = t.describe(content.Val)
		}
	case node.DataAtom == atom.Html:
		attribute(node, "lang").Val = t.language.Code
	}
}

// longDay is how English pages write a day.
const longDay = "2 January 2006"

// addresses leads links to pages in the language, where there are some, and marks those to pages in English. Scripts are loaded in the
// language too, and days are written in it.
func (t *translation) addresses(node *html.Node) {
	switch node.DataAtom {
	case atom.A:
		if href := attribute(node, "href"); href != nil && attribute(node, "hreflang") == nil {
			to, english := t.address(href.Val)
			if href.Val = to; english {
				node.Attr = append(node.Attr, html.Attribute{Key: "hreflang", Val: English.Code})
			}
		}
	case atom.Form:
		if action := attribute(node, "action"); action != nil {
			action.Val, _ = t.address(action.Val)
		}
	case atom.Script:
		if src := attribute(node, "src"); src != nil {
			src.Val += ScriptQuery + t.language.Code
		}
	case atom.Time:
		if day, err := time.Parse(longDay, textOf(node)); err == nil {
			node.FirstChild.Data = phrases.Day(t.language.Code, day)
		}
	}
	for child := range node.ChildNodes() {
		t.addresses(child)
	}
}

// address is where a link leads on a page in the language, and whether that is a page in English.
func (t *translation) address(to string) (address string, english bool) {
	u, err := url.Parse(strings.TrimPrefix(to, t.baseURL))
	switch {
	case err != nil || u.Host != "" || !strings.HasPrefix(u.Path, "/") || path.Ext(u.Path) != "":
		return to, false
	case Has(u.Path):
		u.Path = t.language.Path(u.Path)
		return u.String(), false
	}
	return to, !strings.HasPrefix(u.Path, "/v1")
}

// byID finds the element with an id.
func byID(node *html.Node, id string) *html.Node {
	for child := range node.Descendants() {
		if own := attribute(child, "id"); own != nil && own.Val == id {
			return child
		}
	}
	return nil
}

func attribute(node *html.Node, name string) *html.Attribute {
	for i := range node.Attr {
		if node.Attr[i].Key == name && node.Attr[i].Namespace == "" {
			return &node.Attr[i]
		}
	}
	return nil
}
