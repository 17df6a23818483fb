package translate

import (
	"testing"

	"sellerd/v1"
)

// examplePage is a page of 50 items as sellers have them.
func examplePage() *v1.Page[v1.Item] {
	page := &v1.Page[v1.Item]{}
	for i := range 50 {
		item := exampleAuction()
		if i%2 == 1 {
			item = exampleLot()
		}
		item.ID += v1.ID(i)
		page.Results = append(page.Results, item)
	}
	return page
}

func encodePage(p *Plan, b []byte, page *v1.Page[v1.Item]) []byte {
	e := Envelope{Token: "token", At: page.Results[0].CreatedAt.Std(), Type: p.ID}
	return e.AppendTail(p.AppendBody(e.AppendHead(b, 200, nil), page))
}

func BenchmarkEncodePage(b *testing.B) {
	p, page := NewTable(b).Lookup("auction-opened"), examplePage()
	buffer := encodePage(p, nil, page)
	b.SetBytes(int64(len(buffer)))
	b.ReportAllocs()
	for b.Loop() {
		buffer = encodePage(p, buffer[:0], page)
	}
}

func BenchmarkDecodeCreate(b *testing.B) {
	p := NewTable(b).Lookup("item-create")
	b.ReportAllocs()
	for b.Loop() {
		decodeForm(b, p, SampleForms[0])
	}
}

func decodeForm(t testing.TB, p *Plan, form string) *Request {
	pairs, err := ParseForm(form)
	if err != nil {
		t.Fatal(err)
	}
	fields, err := NewFields(pairs)
	if err != nil {
		t.Fatal(err)
	}
	r, errs := p.Decode(nil, fields)
	if errs != nil {
		t.Fatal(errs)
	}
	return r
}

func TestAPageIsWrittenWithoutGarbage(t *testing.T) {
	p, page := NewTable(t).Lookup("auction-opened"), examplePage()
	buffer := encodePage(p, nil, page)
	if got := testing.AllocsPerRun(100, func() { buffer = encodePage(p, buffer[:0], page) }); got > 2 {
		t.Errorf("a page of %d items costs %.0f allocations", len(page.Results), got)
	}
}

func TestACreateIsReadWithLittleGarbage(t *testing.T) {
	p := NewTable(t).Lookup("item-create")
	if got := testing.AllocsPerRun(100, func() { decodeForm(t, p, SampleForms[0]) }); got > 260 {
		t.Errorf("a create costs %.0f allocations", got)
	}
}
