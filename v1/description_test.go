package v1_test

import (
	"context"
	"html"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/internal/proof/servertest"
)

// descriptionOf reads the description of an item.
func descriptionOf(t *testing.T, w *servertest.World, id string) string {
	t.Helper()
	return servertest.Into[struct {
		Description string `json:"description"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/items/" + id})).Description
}

func TestADescriptionCanBeSentAsItIsRead(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for name, c := range map[string]struct{ sent, read string }{
		"apostrophes":     {strings.Repeat("L'ete ", 1600) + "x", strings.Repeat("L'ete ", 1600) + "x"},
		"ampersands":      {strings.Repeat("&", 10_000), strings.Repeat("&amp;", 10_000)},
		"open elements":   {"<p>" + strings.Repeat("<li>", 2_400) + "x", "<p></p>" + strings.Repeat("<li></li>", 2_399) + "<li>x</li>"},
		"links":           {strings.Repeat("<a href=/>x", 900), strings.Repeat(`<a href="/" rel="nofollow noreferrer">x</a>`, 900)},
		"ends of a page":  {"</div></div></table>x<table><tr><td>open", "x<table><tr><td>open</td></tr></table>"},
		"names of a page": {`<h2 id="top">a</h2>`, "<h2>a</h2>"},
	} {
		t.Run(name, func(t *testing.T) {
			id := w.List(t, servertest.FixedPrice(object{"description": c.sent}))
			if diff := cmp.Diff(c.read, descriptionOf(t, w, id)); diff != "" {
				t.Fatalf("as it was listed (-want +got):\n%s", diff)
			}
			patch := object{"description": c.read, "title": name}
			for _, again := range []struct {
				how  string
				send servertest.Request
			}{
				{"by PATCH", servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: patch}},
				{"by a list of changes", servertest.Request{Path: "/v1/item-changes", Body: object{"changes": []object{{"item_id": id, "patch": patch}}}}},
				{"to a new item", servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(patch)}},
				{"in a batch", servertest.Request{Path: "/v1/item-batches", Body: object{"items": []object{servertest.FixedPrice(patch)}}}},
			} {
				if got := w.Do(t, again.send); got.Status/100 != 2 {
					t.Errorf("%s: %d %v", again.how, got.Status, got.Codes())
				}
			}
			w.Publish(t)
			for _, row := range w.Store.Reader().Item.Query().Where(item.Title(name)).AllX(context.Background()) {
				if *row.Description != c.read {
					t.Errorf("item %d has another description", row.ID)
				}
			}
		})
	}
}

// fragments are what descriptions are made of.
var fragments = strings.Split(`'|"|&|&amp;|&#39;|&#34;|&#13;|&lt;b&gt;|<|>|9<x<14|<anna@example.com>|ж|😀| |`+"\n|\r\n|\t|\u00a0|\u2028|\u202e|"+
	`<p>|</p>|<li>|</ul>|<table><tr><td>|</td>|<b>|<i>|</b>|<br>|<hr/>|<!-- c -->|<script>x</script>|<h2 id="top" title="a&#34;b'c">|</h2>|`+
	`<a href="https://example.com/é?a=b&c='d'">|</a>|<img src='/a.png' alt="l'été" name=n>|<o:p>|<font color=red>|<blockquote cite="//x">|Lot d'une "série"`, "|")

// someDescription makes a description of fragments. A long one has as much text as the service takes, to the character.
func someDescription(t *testing.T, w *servertest.World, random *rand.Rand, long bool) string {
	t.Helper()
	var b strings.Builder
	for range 1 + random.IntN(30) {
		b.WriteString(fragments[random.IntN(len(fragments))])
	}
	if !long {
		return b.String()
	}
	filler := []string{"'", "&", "<", "é", "<b>&#39;</b>"}[random.IntN(5)]
	n := sort.Search(10_000, func(n int) bool {
		item := servertest.FixedPrice(object{"description": b.String() + strings.Repeat(filler, n+1)})
		return w.Do(t, servertest.Request{Path: "/v1/items?validate_only=true", Body: item}).Status != 200
	})
	return b.String() + strings.Repeat(filler, n)
}

// TestAnyDescriptionComesBack sends what it reads of an item, again and again, wherever a description is sent.
func TestAnyDescriptionComesBack(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for seed := range uint64(9) {
			sent := someDescription(t, w, rand.New(rand.NewPCG(seed, 0)), seed%3 == 0)
			id := w.List(t, servertest.FixedPrice(object{"description": sent}))
			read := descriptionOf(t, w, id)
			again := func(how string, request servertest.Request) {
				t.Helper()
				if got := w.Do(t, request); got.Status/100 != 2 {
					t.Errorf("%d, %s: %d %v: %.200q", seed, how, got.Status, got.Codes(), read)
				}
				if now := descriptionOf(t, w, id); now != read {
					t.Errorf("%d, %s: %.200q became %.200q", seed, how, read, now)
				}
			}
			title := "Copy " + strconv.FormatUint(seed, 10)
			patch := object{"description": read}
			again("PATCH", servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: patch})
			again("a list of changes", servertest.Request{Path: "/v1/item-changes", Body: object{"changes": []object{{"item_id": id, "patch": patch}}}})
			again("close", servertest.Request{Method: "POST", Path: "/v1/items/" + id + "/close"})
			again("restart", servertest.Request{Method: "POST", Path: "/v1/items/" + id + "/restart"})
			again("PATCH after a restart", servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: patch})
			copied := servertest.FixedPrice(object{"description": read, "title": title})
			again("a new item", servertest.Request{Path: "/v1/items", Body: copied})
			again("a batch", servertest.Request{Path: "/v1/item-batches", Body: object{"items": []object{copied}}})
			w.Publish(t)
			copies := w.Store.Reader().Item.Query().Where(item.Title(title)).AllX(context.Background())
			for _, row := range copies {
				if row.Description == nil && read != "" || row.Description != nil && *row.Description != read {
					t.Errorf("%d: %.200q was copied otherwise", seed, read)
				}
			}
			if len(copies) != 2 {
				t.Errorf("%d: %d copies", seed, len(copies))
			}
		}
	})
}

// TestAnOldDescriptionIsNotTouched stores what earlier releases made of descriptions: with quotes as entities, elements that are
// not balanced, and names.
func TestAnOldDescriptionIsNotTouched(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for name, old := range map[string]string{
			"with entities":        html.EscapeString(strings.Repeat("L'ete ", 1600)),
			"not balanced":         `<div id="a"></div></div></table>x<a name="b">b</a><table><tr><td>open`,
			"as long as they came": strings.Repeat("</p>", 25_000),
		} {
			t.Run(name, func(t *testing.T) {
				id := w.List(t, servertest.FixedPrice(object{"description": "new"}))
				number, err := strconv.ParseInt(id, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				err = w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
					return tx.Item.UpdateOneID(number).SetDescription(old).Exec(ctx)
				})
				if err != nil {
					t.Fatal(err)
				}
				another := object{"title": "Another", "description": old}
				for _, again := range []servertest.Request{
					{Method: "PATCH", Path: "/v1/items/" + id, Body: object{"title": "Other"}},
					{Method: "PATCH", Path: "/v1/items/" + id, Body: another},
					{Path: "/v1/item-changes", Body: object{"changes": []object{{"item_id": id, "patch": another}}}},
					{Method: "POST", Path: "/v1/items/" + id + "/close"},
					{Method: "POST", Path: "/v1/items/" + id + "/restart"},
					{Path: "/v1/items", Body: servertest.FixedPrice(another)},
					{Path: "/v1/item-batches", Body: object{"items": []object{servertest.FixedPrice(another)}}},
				} {
					if got := w.Do(t, again); got.Status/100 != 2 {
						t.Errorf("%s: %d %v", again.Path, got.Status, got.Codes())
					}
					if diff := cmp.Diff(old, descriptionOf(t, w, id)); diff != "" {
						t.Errorf("%s: the description changed (-want +got):\n%s", again.Path, diff)
					}
				}
			})
		}
	})
}

func TestTheTextOfADescriptionIsLimited(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for name, c := range map[string]struct {
		description string
		want        []string
	}{
		"10,000 characters between tags": {strings.Repeat("<b>é</b>", 10_000), []string{}},
		"one character more":             {strings.Repeat("<b>é</b>", 10_000) + "x", []string{"too_long description"}},
		"10,000 entities":                {strings.Repeat("&eacute;", 10_000), []string{}},
		"120,001 characters":             {strings.Repeat("<br>", 30_000) + "x", []string{"too_long description"}},
		"120,001 with the missing ends":  {strings.Repeat("<li>", 13_334), []string{"too_long description"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.Do(t, servertest.Request{Path: "/v1/items?validate_only=true", Body: servertest.FixedPrice(object{"description": c.description})})
			if diff := cmp.Diff(c.want, got.Codes()); diff != "" {
				t.Errorf("%d (-want +got):\n%s", got.Status, diff)
			}
		})
	}
}
