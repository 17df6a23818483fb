package translate_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
)

// FuzzDecode reads any form as any call. Whatever is sent is understood, noted or refused: without a field that is not
// empty, the request would mean something else or be answered otherwise.
func FuzzDecode(f *testing.F) {
	table := translate.NewTable(f)
	for i, p := range table.Plans {
		for _, sample := range p.Samples {
			f.Add(uint8(i), sample.Form)
		}
	}
	f.Add(uint8(0), "apikey=k&token=t&x[]=1&x[a][b]=2&[=3&]=4&=5")
	f.Add(uint8(3), "currency=00")
	f.Add(uint8(3), "title=a&title[]=b&title[1][2]=c&images[x]=&images[][]=d")
	f.Fuzz(func(t *testing.T, call uint8, form string) {
		p := table.Plans[int(call)%len(table.Plans)]
		pairs, err := translate.ParseForm(form)
		if err != nil {
			return // refused
		}
		fields, err := translate.NewFields(pairs)
		if err != nil {
			return // refused
		}
		path := map[string]string{}
		for _, part := range strings.Split(p.Pattern, "/") {
			if name := strings.Trim(part, "{}"); name != part {
				path[name] = "4711"
			}
		}
		all := said(t, p, path, fields)
		_, errs := p.Decode(path, fields)
		for i, field := range fields {
			if len(errs) > 0 && isBeside(p, field.Name) {
				continue // what it belongs to may be what is refused
			}
			if means(p, path, field) && slices.Equal(all, said(t, p, path, slices.Delete(slices.Clone(fields), i, i+1))) {
				t.Errorf("%s eats %q of %q and says %q", p.ID, field.Name, form, all)
			}
		}
	})
}

// isBeside says whether a field only says something of another, such as the currency of a price.
func isBeside(p *translate.Plan, name string) bool {
	return slices.ContainsFunc(p.In, func(row translate.Row) bool { return row.Legacy == name && row.Beside })
}

// means says whether a field says anything: it does not when it is empty, a credential, or what is so anyway.
func means(p *translate.Plan, path map[string]string, field translate.Field) bool {
	switch {
	case translate.IsCredential(field.Name), p.Target.Kind == translate.Absent:
		return false
	case p.Paged && slices.Contains([]string{"startingItem", "numberOfItems", "order"}, field.Name):
		start, count, descending, errs := p.Window(translate.Fields{field})
		return start != 0 || count != translate.DefaultWindow || descending || errs != nil
	case path[field.Name] != "":
		return field.Text != path[field.Name]
	case field.Parts == nil && translate.IsZero(field.Text) && mayBeZero(p, field.Name):
		return false
	default:
		return filled(field)
	}
}

// mayBeZero says whether a zero can say that a field was not sent.
func mayBeZero(p *translate.Plan, name string) bool {
	return slices.ContainsFunc(p.In, func(row translate.Row) bool { return row.Legacy == name && row.Zero != "" })
}

// filled says whether there is a text anywhere in a field.
func filled(field translate.Field) bool {
	return field.Text != "" || slices.ContainsFunc(field.Parts, filled)
}

// said is everything that decoding fields reports. Bodies must be JSON, and lines must be lines.
func said(t *testing.T, p *translate.Plan, path map[string]string, fields translate.Fields) (all []string) {
	r, errs := p.Decode(path, fields)
	for _, e := range errs {
		all = append(all, string(e.Code)+" "+e.Field+" "+e.Message)
	}
	for _, note := range slices.Concat(r.Notes, r.Cautions) {
		all = append(all, note.Field+" "+string(note.Kind)+" "+note.Text)
	}
	for _, body := range append(r.Entries, r.Body) {
		if body != nil && !json.Valid(body) {
			t.Errorf("%s makes no JSON: %s", p.ID, body)
		}
	}
	lines := linesOf(p, r)
	for _, line := range lines {
		if strings.ContainsAny(line, "\r\n") {
			t.Errorf("%s makes more than a line: %q", p.ID, line)
		}
	}
	return append(all, lines...)
}

// FuzzParseForm reads any text as a form, and finds in it what the standard library finds.
func FuzzParseForm(f *testing.F) {
	for _, form := range append(translate.SampleForms, "a=1&a=2&b", "&&=&", "%zz=1", "a[b][c]=%F0%9F%98%80", "a;b=1", "items[0][images][]=x") {
		f.Add(form)
	}
	f.Fuzz(func(t *testing.T, form string) {
		pairs, err := translate.ParseForm(form)
		if err != nil {
			return
		}
		got := url.Values{}
		for _, pair := range pairs {
			got.Add(pair.Name, pair.Text)
		}
		if want, err := url.ParseQuery(form); err == nil {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", form, diff)
			}
		}
		fields, err := translate.NewFields(pairs)
		if err != nil {
			return
		}
		for _, pair := range pairs {
			name, _, brackets := strings.Cut(pair.Name, "[")
			if field, ok := fields.Lookup(name); !brackets && (!ok || field.Text != pair.Text && !field.Repeats && field.Parts == nil && field.Text == "") {
				t.Errorf("%q loses %q", form, pair.Name)
			}
		}
	})
}

// FuzzAppendText writes any text, which XML readers then read as it was, but for what XML cannot hold.
func FuzzAppendText(f *testing.F) {
	for _, text := range []string{"", "a < b && c > d", "]]>", "\"'", "\t\r\n", "\x00\x1f\x7f", "\ufffe\uffff", "\xed\xa0\x80", "😀", "<b>Mint</b>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		written := string(translate.AppendText([]byte("before <"), text))
		written, ok := strings.CutPrefix(written, "before <")
		if !ok {
			t.Fatalf("what was before became %q", written)
		}
		if got, want := readText(t, written), translate.Holdable(text); got != want {
			t.Errorf("%q is read as %q, not %q", text, got, want)
		}
		if text != translate.Holdable(text) || !utf8.ValidString(text) {
			return
		}
		var b strings.Builder
		if err := xml.EscapeText(&b, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, want := readText(t, written), readText(t, b.String()); got != want {
			t.Errorf("%q is read as %q, and from the standard library as %q", text, got, want)
		}
	})
}

// readText reads the text of an element, as a strict reader does.
func readText(t interface{ Fatalf(string, ...any) }, escaped string) string {
	var b strings.Builder
	for d := xml.NewDecoder(strings.NewReader("<x>" + escaped + "</x>")); ; {
		token, err := d.Token()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatalf("%q: %v", escaped, err)
		}
		switch token := token.(type) {
		case xml.CharData:
			b.Write(token)
		case xml.StartElement, xml.EndElement:
		default:
			t.Fatalf("%q holds a %T", escaped, token)
		}
	}
}
