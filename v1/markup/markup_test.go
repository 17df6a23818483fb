package markup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSimpleTextsNeedNoLibrary(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"Sold as seen.":                     "Sold as seen.",
		" \n\t":                             " \n\t",
		"Österreich „1850“":                 "Österreich „1850“",
		"état d'usage":                      "état d&#39;usage",
		`a "b" c`:                           "a &#34;b&#34; c",
		"2 > 1":                             "2 &gt; 1",
		"Tom & Jerry":                       "Tom &amp; Jerry",
		"Tom &amp; Jerry":                   "Tom &amp; Jerry",
		"&eacute;&copy":                     "é©",
		"&lt;b&gt;":                         "&lt;b&gt;",
		"<p>One.</p><p>Two.<br/>Three.</p>": "<p>One.</p><p>Two.<br/>Three.</p>",
		"One.<br>Two.<br />Three.<br/>":     "One.<br>Two.<br/>Three.<br/>",
		"</p>out <b>of <i>order</b></i>":    "</p>out <b>of <i>order</b></i>",
		"<ul><li>d'un</li><li>a &amp; b</li></ul>":      "<ul><li>d&#39;un</li><li>a &amp; b</li></ul>",
		"<blockquote>far</blockquote><h1>x</h1>":        "<blockquote>far</blockquote><h1>x</h1>",
		"<table><tr><td>1 &euro;</td></tr></table>'<p>": "<table><tr><td>1 €</td></tr></table>&#39;<p>",
	} {
		got, simple := sanitizeSimple(text)
		if !simple || got != want {
			t.Errorf("%q became %q, simple: %t; want %q", text, got, simple, want)
		}
		if library := policy.Sanitize(text); library != want {
			t.Errorf("%q: the library makes it %q, want %q", text, library, want)
		}
	}
}

func TestTextsThatAreNotSimpleGoToTheLibrary(t *testing.T) {
	for text, want := range map[string]string{
		"<P>capitals</P>":             "<p>capitals</p>",
		"<p class=x>attributes</p>":   "<p>attributes</p>",
		"<script>run()</script>text":  "text",
		"<p>a</p><style>p{}</style>b": "<p>a</p>b",
		"1 < 2":                       "1 &lt; 2",
		"<":                           "&lt;",
		"<p":                          "",
		"</>a":                        "a",
		"<!-- p -->a":                 "a",
		"<b <i>a":                     "<b>a",
		"line\r\nline":                "line\nline",
		"<a>no address</a>":           "no address",
		"<title><b>not read</title>":  "",
		`<a href="https://example.com/">linked</a>`: `<a href="https://example.com/" rel="nofollow noreferrer">linked</a>`,
		"<p>" + strings.Repeat("<i>", 3) + "<p //>": "<p><i><i><i><p/>",
	} {
		if _, simple := sanitizeSimple(text); simple {
			t.Errorf("%q passes for a simple text", text)
		}
		if diff := cmp.Diff(want, Sanitize(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// FuzzSanitize holds what is done without the library against what the library does.
func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{
		"", " ", "plain", "d'une \"chose\"", "a<b", "a<b>", "<p>a</p>", "<p>a<br />b</p>", "</p></p >", "<br/ >", "<br  />", "<p\n>", "<//p>", "</p/>", "<p/ />", "< p>",
		"&amp", "&amp;amp;", "&notin;&notit;", "&#0;&#x80;&#13;", "&lt;script&gt;", "&<p>amp;", "<p>&#</p>60;", "\r", "&#xd;\n", "\x00", "\xff<b>\xfe", "<b>\u2028</b>",
		"<plaintext><b>", "<title><p>", "<textarea></p>", "<noscript><p>", "<xmp><b>", "<iframe><b>", "<select><p>", "<svg><p>", "<a><p></a>", "<span><p></span>", "<p><![CDATA[x]]>",
		"<!doctype p><p>", "<?p?>", "<!p>", "<P><bR>", "<blockquote>", "</blockquote>", "</blockquote >", "<pre>\n\na</pre>", "<h1><h7>", "<table><tr><td>1</table>", "<b/>", "<li/>", "<big><center>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := policy.Sanitize(text)
		if got, simple := sanitizeSimple(text); simple && got != want {
			t.Fatalf("%q became %q, the library makes it %q", text, got, want)
		}
		if got := Sanitize(text); got != want {
			t.Fatalf("%q became %q, the library makes it %q", text, got, want)
		}
		// What the library has written is text and tags of the allow-list. If it is simple, nothing changes any more.
		if again, simple := sanitizeSimple(want); simple && again != policy.Sanitize(want) {
			t.Fatalf("%q became %q, the library makes it %q", want, again, policy.Sanitize(want))
		}
	})
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
