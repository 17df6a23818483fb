package v1_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
	"sellerd/v1/reference"
)

// itemPage is a page of items as far as these tests look at it.
type itemPage struct {
	Results []struct {
		ID        string `json:"id"`
		Title     string `json:"title"`
		UpdatedAt string `json:"updated_at"`
	} `json:"results"`
	NextCursor *string `json:"next_cursor"`
}

func (p itemPage) ids() []string {
	ids := []string{}
	for _, result := range p.Results {
		ids = append(ids, result.ID)
	}
	return ids
}

// walk reads a list of items to its end and returns the ids.
func walk(t *testing.T, w *servertest.World, query string) []string {
	t.Helper()
	ids, after := []string{}, ""
	for {
		page := servertest.Into[itemPage](t, w.Do(t, servertest.Request{Path: "/v1/items?" + query + after}))
		ids = append(ids, page.ids()...)
		if page.NextCursor == nil {
			return ids
		}
		after = "&after=" + *page.NextCursor
	}
}

func TestEveryFilterAndSortAgreesWithAListMadeByHand(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		rows := stock(t, w, 300)
		rapid.Check(t, func(t *rapid.T) {
			checkBrowsing(t, w, rows, drawFilters(t), probe.AlwaysWalk, probe.UsualPlan, probe.AlwaysGather)
		})
	})
}

// TestWordsOfThousandsOfTitles asks for words and beginnings of words, with their accents and without, together with other filters.
func TestWordsOfThousandsOfTitles(t *testing.T) {
	var titles []string
	for _, first := range []string{"Tim", "Océ", "Éta", "Zü", "Ñan", "Ceré", "Œuv", "1", "20", "Ст", "日"} {
		for _, last := range []string{"bre", "anie", "ts", "rich", "dú", "s", "res", "cents", "c", "амп", "本", "ère brun", "-bleu"} {
			titles = append(titles, first+last)
		}
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		rows := stockTitled(t, w, 3_000, titles)
		rapid.Check(t, func(t *rapid.T) {
			var words []string
			for _, title := range rapid.SliceOfN(rapid.SampledFrom(titles), 1, 3).Draw(t, "titles") {
				runes := []rune(title)
				if word := string(runes[:rapid.IntRange(1, len(runes)).Draw(t, "length")]); rapid.Bool().Draw(t, "folded") {
					words = append(words, reference.Fold(word))
				} else {
					words = append(words, word)
				}
			}
			filters := slices.DeleteFunc(drawFilters(t), func(f browseFilter) bool { return f.params.Has("q") })
			checkBrowsing(t, w, rows, append(filters, wordsFilter(strings.Join(words, " "))), probe.AlwaysWalk, probe.UsualPlan)
		})
	})
}

// checkBrowsing reads all pages of a list, in some sort and one of some ways, and compares them with the list made by hand.
func checkBrowsing(t *rapid.T, w *servertest.World, rows []*ent.Item, filters []browseFilter, plans ...int) {
	sort := rapid.SampledFrom(itemSorts).Draw(t, "sort")
	plan := rapid.SampledFrom(plans).Draw(t, "plan")
	query := url.Values{"sort": {sort}, "limit": {strconv.Itoa(rapid.IntRange(20, 200).Draw(t, "limit"))}}
	for _, f := range filters {
		for name, values := range f.params {
			query[name] = values
		}
	}
	got := []v1.ID{}
	for {
		page, err := probe.Items.By(w.Service, context.Background(), v1.OwnerOf(w.Account, true), query.Encode(), plan)
		if err != nil {
			t.Fatalf("browse %s: %v", query.Encode(), err)
		}
		for _, found := range page.Results {
			got = append(got, found.ID)
		}
		if !page.NextCursor.Set {
			break
		}
		query.Set("after", page.NextCursor.V)
	}
	if diff := gocmp.Diff(expected(rows, filters, sort), got); diff != "" {
		t.Errorf("items of %s (-want +got):\n%s", query.Encode(), diff)
	}
}

func TestTheReadsByHandEqualEntsOwn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		rows := stock(t, w, 60)
		full := w.List(t, servertest.Auction(map[string]any{
			"subtitle": "signed", "description": "<p>old</p>", "personal_reference": "A 1", "preferred_end_day": "sun", "preferred_end_time": "20:00",
			"options": map[string]any{"subtitle": true}, "weight_grams": 20, "images": []string{w.ImageURL(t, "outcome/ok.jpg")},
		}))
		id, err := strconv.ParseInt(full, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ids := []int64{id}
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
		for _, id := range ids {
			want, err := w.Store.Reader().Item.Query().Where(item.ID(id)).Only(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.Service.ReadItem(context.Background(), v1.OwnerOf(w.Account, true), v1.ID(id))
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("item %d (-ent +ours):\n%s", id, diff)
			}
		}
	})
}

func TestFiltersOfItems(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		oceanie := w.List(t, servertest.FixedPrice(map[string]any{"title": "Océanie, étoile 20c", "personal_reference": "BOX-7/a"}))
		lot := w.List(t, servertest.Auction(map[string]any{"title": "Lot of stamps"}))

		tests := []struct {
			name, query string
			want        []string
		}{
			{"no filter lists everything, oldest first", "", []string{oceanie, lot}},
			{"a word is found without its accents", "q=oceanie", []string{oceanie}},
			{"a word is found with accents it lacks", "q=st%C3%A2mps", []string{lot}},
			{"the beginning of a word is enough", "q=oce", []string{oceanie}},
			{"the middle of a word is not", "q=ceanie", []string{}},
			{"every word must occur", "q=oceanie+stamps", []string{}},
			{"words may come in any order", "q=20c+OC%C3%89", []string{oceanie}},
			{"the reference is searched as well", "q=box", []string{oceanie}},
			{"a reference is compared whole", "personal_reference=BOX-7%2Fa", []string{oceanie}},
			{"part of a reference is no reference", "personal_reference=BOX", []string{}},
			{"values joined by commas are alternatives", "id=" + oceanie + "," + lot, []string{oceanie, lot}},
			{"a parameter given twice means the same", "id=" + oceanie + "&id=" + lot, []string{oceanie, lot}},
			{"a category includes its descendants", "category_id=-1", []string{oceanie, lot}},
			{"overlapping categories count once", "category_id=-1," + servertest.Category, []string{oceanie, lot}},
			{"a sale type", "sale_type=auction", []string{lot}},
			{"a price range includes both ends", "price_min=9.99&price_max=9.99", []string{lot}},
			{"a range's end is exclusive", "created_to=" + url.QueryEscape(v1.TimeOf(servertest.Start).String()), []string{}},
			{"an offset other than UTC names the same instant", "created_from=2026-11-21T13:00:00%2B01:00", []string{oceanie, lot}},
			{"newest first", "sort=created_at_desc", []string{lot, oceanie}},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				if diff := gocmp.Diff(test.want, walk(t, w, test.query)); diff != "" {
					t.Errorf("items (-want +got):\n%s", diff)
				}
			})
		}
		t.Run("the other mode and other sellers see nothing", func(t *testing.T) {
			_, other, _ := w.Seller(t, "carla")
			for _, key := range []string{w.LiveKey, other} {
				page := servertest.Into[itemPage](t, w.Do(t, servertest.Request{Path: "/v1/items", Key: key}))
				if diff := gocmp.Diff([]string{}, page.ids()); diff != "" {
					t.Errorf("items (-want +got):\n%s", diff)
				}
			}
		})
	})
}

func TestParametersOfItemsThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		tests := []struct {
			query string
			want  []string
		}{
			{"limit=0", []string{"invalid_parameter limit"}},
			{"limit=201", []string{"invalid_parameter limit"}},
			{"limit=99999999999999999999", []string{"invalid_parameter limit"}},
			{"limit=x", []string{"invalid_parameter limit"}},
			{"limit=", []string{"invalid_parameter limit"}},
			{"sort=price_asc", []string{"invalid_parameter sort"}},
			{"status=gone", []string{"invalid_parameter status"}},
			{"has_bids=yes", []string{"invalid_parameter has_bids"}},
			{"category_id=99", []string{"invalid_parameter category_id"}},
			{"currency=JPY", []string{"invalid_parameter currency"}},
			{"price_min=1.001", []string{"invalid_parameter price_min"}},
			{"updated_from=yesterday", []string{"invalid_parameter updated_from"}},
			{"q=---", []string{"invalid_parameter q"}},
			{"q=a+b+c+d+e+f+g+h+i+j+k", []string{"invalid_parameter q"}},
			{"page=2", []string{"unknown_parameter page"}},
			{"limit=0&page=2&status=gone", []string{"unknown_parameter page", "invalid_parameter status", "invalid_parameter limit"}},
		}
		for _, test := range tests {
			t.Run(test.query, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Path: "/v1/items?" + test.query})
				if got.Status != 422 {
					t.Errorf("status %d", got.Status)
				}
				if diff := gocmp.Diff(test.want, got.Codes()); diff != "" {
					t.Errorf("codes (-want +got):\n%s", diff)
				}
			})
		}
		for _, limit := range []string{"1", "200"} {
			if got := w.Do(t, servertest.Request{Path: "/v1/items?limit=" + limit}); got.Status != 200 {
				t.Errorf("limit=%s: %d %s", limit, got.Status, got.Body)
			}
		}
	})
}

func TestACursorFitsItsOwnListOnly(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		stock(t, w, 40)
		first := "status=open,sold,unsold&shipping_model_id=1,2,3&updated_from=2026-11-21T12:00:00Z&limit=1"
		page := servertest.Into[itemPage](t, w.Do(t, servertest.Request{Path: "/v1/items?" + first}))
		if page.NextCursor == nil {
			t.Fatal("the first page is the only one")
		}
		cursor := *page.NextCursor
		_, foreign, _ := w.Seller(t, "dora")
		damaged := "A" + cursor[1:]
		if damaged == cursor {
			damaged = "B" + cursor[1:]
		}
		tests := []struct {
			name, query, after, key string
			want                    []string
		}{
			{"the same list goes on", first, cursor, "", []string{}},
			{"another page size is the same list", strings.Replace(first, "limit=1", "limit=7", 1), cursor, "", []string{}},
			{"the default sort may be spelled out", first + "&sort=created_at_asc", cursor, "", []string{}},
			{"alternatives may change places", strings.Replace(first, "open,sold", "sold,open,open", 1), cursor, "", []string{}},
			{"another sort", first + "&sort=created_at_desc", cursor, "", []string{"cursor_mismatch after"}},
			{"another value of a text filter", strings.Replace(first, "unsold", "closed", 1), cursor, "", []string{"cursor_mismatch after"}},
			{"another value of a number filter", strings.Replace(first, "1,2,3", "1,2,4", 1), cursor, "", []string{"cursor_mismatch after"}},
			{"another instant", strings.Replace(first, "12:00:00", "12:00:01", 1), cursor, "", []string{"cursor_mismatch after"}},
			{"one filter more", first + "&q=stamp", cursor, "", []string{"cursor_mismatch after"}},
			{"another account", first, cursor, foreign, []string{"cursor_mismatch after"}},
			{"the other mode", first, cursor, w.LiveKey, []string{"cursor_mismatch after"}},
			{"a changed character", first, damaged, "", []string{"invalid_cursor after"}},
			{"a cut end", first, cursor[:len(cursor)-2], "", []string{"invalid_cursor after"}},
			{"made up", first, "next", "", []string{"invalid_cursor after"}},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Path: "/v1/items?" + test.query + "&after=" + test.after, Key: test.key})
				if diff := gocmp.Diff(test.want, got.Codes()); diff != "" {
					t.Errorf("codes (-want +got):\n%s\n%s", diff, got.Body)
				}
			})
		}
	})
}

func TestAWalkNeitherSkipsNorRepeatsWhileTheListChanges(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var throughout []string
		for i := range 12 {
			w.Clock.Advance(time.Second)
			throughout = append(throughout, w.List(t, servertest.FixedPrice(map[string]any{"title": fmt.Sprintf("Item %d", i)})))
		}
		patch := func(id, title string) {
			t.Helper()
			w.Clock.Advance(time.Second)
			if got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: map[string]any{"title": title}}); got.Status != 200 {
				t.Fatalf("patch: %d %s", got.Status, got.Body)
			}
		}
		t.Run("by creation, items keep their places", func(t *testing.T) {
			for _, sort := range []string{"created_at_asc", "created_at_desc"} {
				seen, after, pages := map[string]int{}, "", 0
				for {
					page := servertest.Into[itemPage](t, w.Do(t, servertest.Request{Path: "/v1/items?limit=4&sort=" + sort + after}))
					for _, id := range page.ids() {
						seen[id]++
					}
					if page.NextCursor == nil {
						break
					}
					after = "&after=" + *page.NextCursor
					if pages++; pages <= 3 {
						w.Clock.Advance(time.Second)
						w.List(t, servertest.FixedPrice())
						patch(throughout[pages*3], "changed "+sort)
					}
				}
				for _, id := range throughout {
					if seen[id] != 1 {
						t.Errorf("%s: item %s was seen %d times", sort, id, seen[id])
					}
				}
			}
		})
		t.Run("by change, every change is seen", func(t *testing.T) {
			last, after, changes := map[string]string{}, "", 0
			for {
				page := servertest.Into[itemPage](t, w.Do(t, servertest.Request{Path: "/v1/items?limit=5&sort=updated_at_asc" + after}))
				for _, row := range page.Results {
					last[row.ID] = row.Title
				}
				if page.NextCursor == nil {
					break
				}
				after = "&after=" + *page.NextCursor
				if changes++; changes <= 4 {
					patch(throughout[changes], fmt.Sprintf("change %d", changes))
				}
			}
			for i := 1; i <= 4; i++ {
				if want := fmt.Sprintf("change %d", i); last[throughout[i]] != want {
					t.Errorf("item %d was last seen as %q, not %q", i, last[throughout[i]], want)
				}
			}
		})
	})
}
