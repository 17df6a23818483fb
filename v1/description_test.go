package v1_test

import (
	"context"
	"html"
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
				for _, patch := range []object{{"title": "Other"}, {"title": "Another", "description": old}} {
					if got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: patch}); got.Status != 200 {
						t.Errorf("%d %v", got.Status, got.Codes())
					}
					if diff := cmp.Diff(old, descriptionOf(t, w, id)); diff != "" {
						t.Errorf("the description changed (-want +got):\n%s", diff)
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
