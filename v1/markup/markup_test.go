package markup

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
)

func TestSanitize(t *testing.T) {
	for name, texts := range map[string][]struct{ text, want string }{
		"text stays": {
			{"", ""},
			{"Sold as seen.", "Sold as seen."},
			{" \n\t", " \n\t"},
			{"Österreich „1850“", "Österreich „1850“"},
			{"état d'usage", "état d'usage"},
			{`a "b" c`, `a "b" c`},
			{"line\r\nline", "line\nline"},
		},
		"what would be read as markup is escaped": {
			{"2 > 1", "2 &gt; 1"},
			{"1 < 2", "1 &lt; 2"},
			{"<", "&lt;"},
			{"Tom & Jerry", "Tom &amp; Jerry"},
			{"&lt;b&gt;", "&lt;b&gt;"},
			{"&amp;lt;", "&amp;lt;"},
		},
		"entities become their characters": {
			{"Tom &amp; Jerry &#39;&quot;", `Tom &amp; Jerry '"`},
			{"&eacute;&copy &notit;", "é© ¬it;"},
			{"&#13;", "&#13;"},
		},
		"balanced elements stay": {
			{"<p>One.</p><p>Two.<br/>Three.</p>", "<p>One.</p><p>Two.<br/>Three.</p>"},
			{"One.<br>Two.<br />Three.<br/>", "One.<br>Two.<br/>Three.<br/>"},
			{"<ul><li>d'un<ul><li>b</li></ul></li><li>a &amp; b</li></ul>", "<ul><li>d'un<ul><li>b</li></ul></li><li>a &amp; b</li></ul>"},
			{"<table><tr><td>1 &euro;</td></tr></table>'", "<table><tr><td>1 €</td></tr></table>'"},
			{`<a href="https://example.com/">linked</a>`, `<a href="https://example.com/" rel="nofollow noreferrer">linked</a>`},
			{`<img src="https://example.com/a.png" alt="l'été">`, `<img src="https://example.com/a.png" alt="l'été">`},
		},
		"ends without a start go": {
			{"<div></div></div></table>x</p></br></td></li>", "<div></div>x"},
			{"<br></br><hr></hr>", "<br><hr>"},
			{"<ul><li>a<ul></li><li>b</ul></ul>", "<ul><li>a<ul><li>b</li></ul></li></ul>"},
			{"<div><table><tr><td>a</div></p></td></tr></table>b</div>", "<div><table><tr><td>a</td></tr></table>b</div>"},
		},
		"missing ends come": {
			{"<table><tr><td>open", "<table><tr><td>open</td></tr></table>"},
			{"<b><i>a</b>b</i>", "<b><i>a</i></b>b"},
			{"</p>out <b>of <i>order</b></i>", "out <b>of <i>order</i></b>"},
			{"<p>a<p>b<div>c", "<p>a</p><p>b</p><div>c</div>"},
			{"<p><b>a<ul><li>b<li>c</ul>d", "<p><b>a</b></p><ul><li>b</li><li>c</li></ul>d"},
			{"<dl><dt>a<dd>b<dt>c<p>d</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c<p>d</p></dt></dl>"},
			{
				"<table><thead><tr><th>a<th>b<tbody><tr><td>c<td>d<tr><td>e</table>",
				"<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>d</td></tr><tr><td>e</td></tr></tbody></table>",
			},
			{"<table><caption>a<tr><td>b<table><tr><td>c</table>d</table>", "<table><caption>a</caption><tr><td>b<table><tr><td>c</td></tr></table>d</td></tr></table>"},
			{"<table><table><tr><td>a", "<table></table><table><tr><td>a</td></tr></table>"},
			{`<a href="/a">a<a href="/b">b`, `<a href="/a" rel="nofollow noreferrer">a</a><a href="/b" rel="nofollow noreferrer">b</a>`},
			{"<h1>a</h2>b<h3>c<h4>d", "<h1>a</h1>b<h3>c</h3><h4>d</h4>"},
			{"<p/>a<b />b", "<p>a<b>b</b></p>"},
			{"<blockquote>far</blockquote><h1>x</h1><center>", "<blockquote>far</blockquote><h1>x</h1><center></center>"},
		},
		"parts of a table need a table": {
			{"a</td><td>b<tr>c<caption>d", "abcd"},
			{"<table><td>a<b><col>", "<table><td>a<b></b></td><col></table>"},
		},
		"a < that begins no tag is text": {
			{"Auflage <ca. 500 Stück, selten. Versand 2 EUR", "Auflage &lt;ca. 500 Stück, selten. Versand 2 EUR"},
			{"Größe 9<x<14 cm, Rest", "Größe 9&lt;x&lt;14 cm, Rest"},
			{"Mail: <anna@example.com> schreiben", "Mail: &lt;anna@example.com&gt; schreiben"},
			{"<Kein Porto>", "&lt;Kein Porto&gt;"},
			{"<https://example.com/a?b=c> <mailto:a@example.com>", "&lt;https://example.com/a?b=c&gt; &lt;mailto:a@example.com&gt;"},
			{"a <b oder c> d <title unknown> e", "a &lt;b oder c&gt; d &lt;title unknown&gt; e"},
			{"a<b, c>d </anna> </Kein Porto> </ 2", "a&lt;b, c&gt;d &lt;/anna&gt; &lt;/Kein Porto&gt; &lt;/ 2"},
			{"<p>5 <i <b>x</b></p>", "<p>5 &lt;i <b>x</b></p>"},
			{`<a href="x>link</a> more`, `&lt;a href="x&gt;link more`},
			{"I <3 it <<b>x</b>>", "I &lt;3 it &lt;<b>x</b>&gt;"},
			{"<!wichtig> <!-- open <? 5 > 3", "&lt;!wichtig&gt; &lt;!-- open &lt;? 5 &gt; 3"},
			{"<p", "&lt;p"},
			{"<Xmp><<b>", "&lt;Xmp&gt;&lt;<b></b>"},
			{"x <b", "x &lt;b"},
			{"<b <i>a", "&lt;b <i>a</i>"},
			{"<NEU>&lt;script&gt;<script>run()</script>", "&lt;NEU&gt;&lt;script&gt;"},
		},
		"tags of word processors go": {
			{`a<o:p></o:p><v:shape id="x" style='y>z'>b</v:shape><st1:City w:st="on">c</st1:City>`, "abc"},
			{`<?xml:namespace prefix = o ns = "urn:x" /><![if !vml]>a<![endif]><!--[if gte mso 9]><xml><w:x/></xml><![endif]-->b`, "ab"},
			{`<svg viewBox="0 0 1 1"><path d="M0"/><animate onbegin="run()"></animate></svg><path>`, "&lt;path&gt;"},
			{"<TABLE BORDER><tr><td nowrap>a</TABLE></ p>", `<table><tr><td nowrap="">a</td></tr></table>`},
		},
		"what is not on the list goes": {
			{"<P>capitals</P>", "<p>capitals</p>"},
			{"<p class=x>attributes</p>", "<p>attributes</p>"},
			{"<script>run()</script>text", "text"},
			{"<p>a</p><style>p{}</style>b", "<p>a</p>b"},
			{"</>a<!-- p -->b<?c?>", "ab"},
			{"<a>no address</a>", "no address"},
			{"<title><b>not read</title>", ""},
			{`<a href="javascript:run()">a</a>`, "a"},
		},
		"names for the page's scripts and links go": {
			{`<h2 id="login" title="a">a</h2><a name="b">b</a><font id=c>d</font>`, `<h2 title="a">a</h2>bd`},
			{`<map name="m"><area href="/a" shape="rect"></map><img src="/a.png" usemap="#m" name="n">`, `<img src="/a.png">`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range texts {
				if got := Sanitize(c.text); got != c.want {
					t.Errorf("%q became %q, want %q", c.text, got, c.want)
				}
			}
		})
	}
}

func TestElementsAreNotNestedWithoutEnd(t *testing.T) {
	const deep = 5000
	got := Sanitize(strings.Repeat("<b>", deep) + "x" + strings.Repeat("</i>", deep))
	want := strings.Repeat("<b>", maxDepth) + "x" + strings.Repeat("</b>", maxDepth)
	if got != want {
		t.Errorf("%d elements inside each other are %d characters, want %d", deep, len(got), len(want))
	}
}

func TestWhatIsReadFitsAgain(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		limit int
	}{
		"10,000 characters":                        {strings.Repeat("ж", 10_000), 0},
		"10,001 characters":                        {strings.Repeat("ж", 10_001), MaxText},
		"10,000 apostrophes":                       {strings.Repeat("'", 10_000), 0},
		"10,000 escaped characters":                {strings.Repeat("&", 10_000), 0},
		"10,000 entities":                          {strings.Repeat("&amp;", 10_000), 0},
		"10,001 entities":                          {strings.Repeat("&#39;", 10_001), MaxText},
		"10,000 characters of open elements":       {strings.Repeat("<p>", 3_333) + "x", 0},
		"10,000 characters of links":               {strings.Repeat("<a href=/>", 1_000), 0},
		"10,000 characters that an address quotes": {`<a href="/` + strings.Repeat("😀", 9_980) + `">x</a>`, 0},
		"text that only tags make long":            {strings.Repeat("<b>x</b>", 10_000), 0},
		"too much text between tags":               {strings.Repeat("<b>x</b>", 10_001), MaxText},
		"too many tags":                            {strings.Repeat("<br>", 30_001), MaxLength},
		"too many tags with the ends":              {strings.Repeat("<p>", 39_999), MaxLength},
		"too much of what goes":                    {"<!--" + strings.Repeat("x", MaxLength) + "-->", MaxLength},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Check(c.text); got != c.limit {
				t.Fatalf("the limit is %d, want %d", got, c.limit)
			}
			if got := Check(Sanitize(c.text)); c.limit == 0 && got != 0 {
				t.Errorf("what is read of it is beyond %d", got)
			}
		})
	}
}

// FuzzSanitize checks what callers rely on: what is read can be sent again, and comes back the same; all elements are balanced; and
// the way without the library leads to the same text.
func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{
		"", " ", "plain", "d'une \"chose\"", "a<b", "a<b>", "<p>a</p>", "<p>a<br />b</p>", "</p></p >", "<br/ >", "<br  />", "<p\n>", "<//p>", "</p/>", "<p/ />", "< p>",
		"&amp", "&amp;amp;", "&notin;&notit;", "&#0;&#x80;&#13;", "&lt;script&gt;", "&<p>amp;", "<p>&#</p>60;", "\r", "&#xd;\n", "\x00", "\xff<b>\xfe", "<b>\u2028</b>",
		"<plaintext><b>", "<title><p>", "<textarea></p>", "<noscript><p>", "<xmp><b>", "<iframe><b>", "<select><p>", "<svg><p>", "<a><p></a>", "<span><p></span>", "<p><![CDATA[x]]>",
		"9<x<14", "<anna@example.com>", "<a@b>c<b", "<o:p>x", "<svg><g>x", "<b a='>", "<title x>", "<b a=\"<b a='\" x>", "<!--a", "<?a>", "</ b>", "<<b>>", "<&lt;b>",
		"<!doctype p><p>", "<?p?>", "<!p>", "<P><bR>", "<blockquote>", "</blockquote>", "</blockquote >", "<pre>\n\na</pre>", "<h1><h7>", "<table><tr><td>1</table>", "<b/>", "<li/>", "<big><center>",
		`<a href="http://a.example/ü?a=b&c=d#'">x</a>`, `<a href=x rel="me" target=_blank href=y>`, `<img src='a.png' alt="l'été"/>`, `<td title="a&#13;b" id=c>`, `<blockquote cite="//x%2Fy">`,
		`<table><tr><td><table><td>`, "<ruby>a<rp>(<rt>b<rp>)", "<font><a><bdo dir=ltr>a</font></a></bdo>", "<del cite='a'>b</ins>", "<table><colgroup><col><caption><tbody><div><tr></div>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := Sanitize(text)
		if again := Sanitize(safe); again != safe {
			t.Fatalf("%q became %q, and that %q", text, safe, again)
		}
		if foreign := foreignElement(t, safe); foreign != "" {
			t.Fatalf("%q became %q with <%s>", text, safe, foreign)
		}
		if problem := imbalance(safe); problem != "" {
			t.Fatalf("%q became %q: %s", text, safe, problem)
		}
		if was, is := utf8.RuneCountInString(text), utf8.RuneCountInString(safe); is > MaxLength/MaxText*was {
			t.Fatalf("%d characters became %d", was, is)
		}
		if long, whole := textLength(safe), utf8.RuneCountInString(text); long > whole {
			t.Fatalf("%d characters have %d of text", whole, long)
		}
		if simple, ok := balance(text, simpleTag); ok {
			if library, _ := balance(policy.Sanitize(escapeText(text)), libraryTag); simple != library {
				t.Fatalf("%q became %q, the library makes it %q", text, simple, library)
			}
		}
	})
}

// stays are the elements of the allow-list, and those that a parser adds.
var stays = setOf(`
	html head body a abbr acronym article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl
	dt em figcaption figure font h1 h2 h3 h4 h5 h6 hgroup hr i img ins li mark meter ol p pre progress q rp rt ruby s samp section small
	span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr`)

// foreignElement is an element that a browser finds in a text though it is not on the allow-list, or "".
func foreignElement(t *testing.T, text string) string {
	page, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for node := range page.Descendants() {
		if node.Type == html.CommentNode || node.Type == html.ElementNode && !stays[node.Data] {
			return node.Data
		}
	}
	return ""
}

// TestATextIsReadInTime sends texts in which many tags begin and none ends.
func TestATextIsReadInTime(t *testing.T) {
	const long = 400_000
	for _, part := range []string{"<!--", "<b ", "<?a", `a="<b a='" `, "<b a='", "</ ", "<![", "<!doctype<", "<b a=\"<b a='\" "} {
		text := "<b " + strings.Repeat(part, long/len(part)) + `">`
		started := time.Now()
		Sanitize(text)
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%q takes %s", part, took)
		}
	}
}

// imbalance says which element of a text is not closed where it should be, and which tag has an attribute id or name.
func imbalance(text string) string {
	var open []string
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				return "open at the end: " + strings.Join(open, " ")
			}
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			for _, attr := range token.Attr {
				if attr.Key == "id" || attr.Key == "name" {
					return "an attribute " + attr.Key
				}
			}
			if !ruleOf(token.Data).void {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			name := z.Token().Data
			if len(open) == 0 || open[len(open)-1] != name {
				return "</" + name + "> closes nothing"
			}
			open = open[:len(open)-1]
		}
	}
}

func BenchmarkSanitize(b *testing.B) {
	for name, text := range map[string]string{
		"plain":      "Sold as seen on the picture. Several purchases are sent in one parcel.",
		"paragraphs": "<p>Sold as seen on the picture.</p><p>Several purchases are sent in one parcel.</p>",
		"apostrophe": "<p>Lot d'une collection.</p><p>Plusieurs achats, l'envoi d'un seul colis.</p>",
		"attributes": `<h3 style="color:red">Zustand</h3><p class="MsoNormal"><b>Breitrandig</b></p>`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Sanitize(text)
			}
		})
		b.Run(name+"/library", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				policy.Sanitize(text)
			}
		})
	}
}
