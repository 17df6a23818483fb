package legacy_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
)

// answered are the fields that an answer shows and a request does not have: they get a warning.
var answered = []string{"id_item", "price_present", "bids"}

// TestWhatIsReadOfAnItemCanBeSentBack sends back each field that /rest shows of an item, one at a time and then all together,
// and lists the same item once more, also with floats for its amounts and zeros for what it does not have.
func TestWhatIsReadOfAnItemCanBeSentBack(t *testing.T) {
	// It has 9,601 characters. Its ampersands are read as entities, and so were its apostrophes once.
	description := url.QueryEscape(strings.Repeat("L'ete & ", 1200) + "x")
	everything := "id_country=1&id_category=1010101&title=Letter&subtitle=From+Paris&option_subtitle=1&personal_reference=R&description=" + description +
		"&currency=GBP&duration=7&prefered_end_day=7&prefered_end_hour=20&renew=3&option_boldtitle=1&option_lastminutebidding=1"
	each(t, func(t *testing.T, w *servertest.World) {
		for kind, form := range map[string]string{
			"auction":                       everything + "&price_starting=9.50&price_increment=0.50&price_reserve=20",
			"fixed price":                   everything + "&fixed_price=9.50&qty=3",
			"auction with hardly any field": "id_category=1010101&title=Letter&personal_reference=R&price_starting=1",
			// As programs send what they read into numbers and write again.
			"auction of floats and zeros": "id_category=1010101&title=Letter&personal_reference=R&price_starting=9.4999999999999996&price_increment=0.5000000000000001" +
				"&price_reserve=0.0&fixed_price=0&date_end=0&duration=0",
			"fixed price of floats and zeros": "id_category=1010101&title=Letter&personal_reference=R&fixed_price=19.989999999999998&price_starting=0.00" +
				"&price_increment=0&price_reserve=0&date_end=0&duration=0&qty=3",
		} {
			listed := w.Rest(t, "POST", "/rest/item", form, "X-Api-Key", w.Key)
			if listed.Status != http.StatusOK {
				t.Fatalf("%s: list: %d %s", kind, listed.Status, listed.Body)
			}
			w.Publish(t)
			found := w.Rest(t, "GET", "/rest/item/reference/R?closed=0", "", "X-Api-Key", w.Key).Texts("body/item/id_item")
			path := "/rest/item/" + found[len(found)-1]
			before := shown(w, t, path)
			all := url.Values{}
			for _, field := range before {
				name, text := field[0], field[1]
				if slices.Contains(answered, name) {
					continue
				}
				all.Set(name, text)
				if text == "" || name == "currency" {
					continue // alone it changes nothing, which is refused
				}
				if sent := w.Rest(t, "PUT", path, url.Values{name: {text}}.Encode(), "X-Api-Key", w.Key); sent.Status != http.StatusOK {
					t.Errorf("%s: %s=%s is read and refused: %s", kind, name, text, sent.Text("body/errorMsg"))
				}
			}
			if sent := w.Rest(t, "PUT", path, all.Encode(), "X-Api-Key", w.Key); sent.Status != http.StatusOK {
				t.Errorf("%s: all of it is refused: %s", kind, sent.Text("body/errorMsg"))
			}
			if diff := cmp.Diff(before, shown(w, t, path)); diff != "" {
				t.Errorf("%s: it changed (-before +after):\n%s", kind, diff)
			}
			if sent := w.Rest(t, "POST", "/rest/item", all.Encode(), "X-Api-Key", w.Key); sent.Status != http.StatusOK {
				t.Errorf("%s: it cannot be listed once more: %s", kind, sent.Text("body/errorMsg"))
			}
			for _, name := range []string{"price_starting", "fixed_price", "price_increment", "price_reserve"} {
				amount, _ := strconv.ParseFloat(all.Get(name), 64) // 0 for none
				all.Set(name, strconv.FormatFloat(amount, 'f', 17, 64))
			}
			all.Set("date_end", "0")
			all.Set("duration", "0")
			if sent := w.Rest(t, "POST", "/rest/item", all.Encode(), "X-Api-Key", w.Key); sent.Status != http.StatusOK {
				t.Errorf("%s: it cannot be listed with floats and zeros: %s", kind, sent.Text("body/errorMsg"))
			}
			closed := w.Rest(t, "DELETE", path, "", "X-Api-Key", w.Key)
			if closed.Status != http.StatusOK {
				t.Fatalf("close: %d %s", closed.Status, closed.Body)
			}
		}
	})
}

// TestAStoredDescriptionCanBeSentBack sends back what /rest shows of descriptions that are stored: of today, and of earlier releases, which
// kept quotes as entities and did not balance elements. None changes.
func TestAStoredDescriptionCanBeSentBack(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		for name, stored := range map[string]string{
			"plain":             "Mint, never hinged",
			"quotes":            strings.Repeat(`L'ete "A" `, 1000),
			"ampersands":        strings.Repeat("&amp;", 10_000),
			"a link":            `<a href="https://example.com/?a=b&amp;c=d" rel="nofollow noreferrer">l'été</a> &lt;b&gt; &amp;#39; &amp;#34;`,
			"an old apostrophe": html.EscapeString(strings.Repeat("L'ete ", 1600)),
			"an old quote":      `<p title="a&#34;b&#39;c">&#34;A&#34; &amp; &#39;B&#39;`,
			"not balanced":      `<div id="a"></div></div></table>x<a name="b">b</a><table><tr><td>open`,
			"a line of Windows": "a&#13;\nb\nc\td",
		} {
			t.Run(name, func(t *testing.T) {
				id := w.List(t, servertest.Auction(map[string]any{"description": "new", "personal_reference": "D"}))
				number, err := strconv.ParseInt(id, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				err = w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
					return tx.Item.UpdateOneID(number).SetDescription(stored).Exec(ctx)
				})
				if err != nil {
					t.Fatal(err)
				}
				path := "/rest/item/" + id
				form := url.Values{}
				for _, field := range shown(w, t, path) {
					if !slices.Contains(answered, field[0]) {
						form.Set(field[0], field[1])
					}
				}
				for _, changed := range []url.Values{{"description": form["description"]}, form} {
					if sent := w.Rest(t, "PUT", path, changed.Encode(), "X-Api-Key", w.Key); sent.Status != http.StatusOK {
						t.Errorf("it is refused: %s", sent.Text("body/errorMsg"))
					}
					item := servertest.Into[struct {
						Description string `json:"description"`
					}](t, w.Do(t, servertest.Request{Path: "/v1/items/" + id}))
					if item.Description != stored {
						t.Errorf("%.100q became %.100q", stored, item.Description)
					}
				}
				if sent := w.Rest(t, "POST", "/rest/item", form.Encode(), "X-Api-Key", w.Key); sent.Status != http.StatusOK {
					t.Errorf("it cannot be listed once more: %s", sent.Text("body/errorMsg"))
				}
			})
		}
	})
}

// TestALotThatIsPartlySoldKeepsWhatIsLeft sends back what /rest shows of a lot of which some is sold: qty is what is left, in a request as in an
// answer. Programs that save a whole form would take off sale what was sold a second time.
func TestALotThatIsPartlySoldKeepsWhatIsLeft(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice(map[string]any{"personal_reference": "LOT", "quantity": 10, "duration_days": 7}))
		if got := w.Do(t, servertest.Request{Path: "/v1/test/items/" + id + "/purchase", Body: map[string]any{"quantity": 4}}); got.Status != http.StatusOK {
			t.Fatalf("purchase: %d %s", got.Status, got.Body)
		}
		path := "/rest/item/" + id
		before, all := shown(w, t, path), url.Values{}
		for _, field := range before {
			if !slices.Contains(answered, field[0]) {
				all.Set(field[0], field[1])
			}
		}
		put := func(form string) {
			t.Helper()
			if sent := w.Rest(t, "PUT", path, form, "X-Api-Key", w.Key); sent.Status != http.StatusOK {
				t.Fatalf("PUT %s: %d %s", form, sent.Status, sent.Body)
			}
		}
		put(all.Encode())
		if diff := cmp.Diff(before, shown(w, t, path)); diff != "" {
			t.Errorf("it changed (-before +after):\n%s", diff)
		}
		var stock []string
		count := func() {
			t.Helper()
			item := servertest.Into[struct {
				Quantity  int `json:"quantity"`
				Available int `json:"quantity_available"`
			}](t, w.Do(t, servertest.Request{Path: "/v1/items/" + id}))
			stock = append(stock, fmt.Sprint(item.Available, " of ", item.Quantity))
		}
		count()
		put("qty=2")
		count()
		put("qty=20&title=More")
		count()
		if diff := cmp.Diff([]string{"6 of 10", "2 of 6", "20 of 24"}, stock); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
		for form, want := range map[string]string{"qty=0": "item_partially_sold", "qty=-1": "invalid_value", "qty=49997": "out_of_range", "qty=x": "invalid_value"} {
			if got := w.Rest(t, "PUT", path, form, "X-Api-Key", w.Key); got.Text("body/errorCode") != want {
				t.Errorf("%s: %d %s, want %s", form, got.Status, got.Body, want)
			}
		}
		const most = "qty: must be at most 50000 together with the 4 that are sold"
		if diff := cmp.Diff(most, w.Rest(t, "PUT", path, "qty=50000", "X-Api-Key", w.Key).Text("body/errorMsg")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestAnEndIsChosenOrSentBack sends the end that an item of 7 days has, and others. An end that is chosen takes the place of the duration.
func TestAnEndIsChosenOrSentBack(t *testing.T) {
	w := newWorld(t, servertest.SQLite(t))
	const itsOwn = "date_end=2026-11-28+13:00:00"
	for _, test := range []struct{ form, want string }{
		{"title=Other&" + itsOwn, "200, 7 days"},
		{"title=Other&prefered_end_day=&prefered_end_hour=&duration=7&" + itsOwn, "200, 7 days"},
		{itsOwn, "200,  days"},
		{"title=Other&date_end=2026-11-28+13:00:01", "200,  days"},
		{"title=Other&prefered_end_day=sun&" + itsOwn, "200, 7 days"},
		{"title=Other&duration=14&" + itsOwn, "200, 14 days"},
		{"duration=14&" + itsOwn, "200, 14 days"},
		{"title=Other&duration=0&" + itsOwn, "200, 7 days"},
		{"title=Other&duration=14&date_end=2026-11-28+13:00:01", "200,  days"},
		{"title=Other&date_end=2026-11-20+13:00:00", "422 date_in_past, 7 days"},
	} {
		path := "/rest/item/" + w.List(t, servertest.Auction(map[string]any{"duration_days": 7}))
		if end := w.Rest(t, "GET", path, "", "X-Api-Key", w.Key).Text("body/item/date_end"); end != "2026-11-28 13:00:00" {
			t.Fatalf("it ends at %s", end)
		}
		sent := w.Rest(t, "PUT", path, test.form, "X-Api-Key", w.Key)
		got := strings.TrimSpace(fmt.Sprint(sent.Status, " ", sent.Text("body/errorCode"))) + ", " +
			w.Rest(t, "GET", path, "", "X-Api-Key", w.Key).Text("body/item/duration") + " days"
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.form, got, test.want)
		}
	}
	auction := w.List(t, servertest.Auction(map[string]any{"duration_days": 7}))
	w.Do(t, servertest.Request{Path: "/v1/test/items/" + auction + "/bids", Body: map[string]any{"amount": map[string]any{"amount": "99.00", "currency": "EUR"}}})
	got := w.Rest(t, "PUT", "/rest/item/"+auction, "personal_reference=B&"+itsOwn, "X-Api-Key", w.Key)
	if got.Status != http.StatusConflict || got.Text("body/errorCode") != "item_has_bids" {
		t.Errorf("the end of an auction with a bid: %d %s", got.Status, got.Body)
	}
}

// shown is the fields of an item as /rest shows them.
func shown(w *servertest.World, t *testing.T, path string) [][2]string {
	t.Helper()
	return w.Rest(t, "GET", path, "", "X-Api-Key", w.Key).Elements("Notification_Data/body/item")[0].Children()
}
