package v1_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// categoryView is a category as far as these tests look at it.
type categoryView struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	ParentID *string `json:"parent_id"`
	Path     []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"path"`
	Level       int  `json:"level"`
	Selectable  bool `json:"selectable"`
	HasChildren bool `json:"has_children"`
}

// pageOf is a page of a list.
type pageOf[T any] struct {
	Results    []T     `json:"results"`
	NextCursor *string `json:"next_cursor"`
}

// readCategories reads the page that a query string asks for, in a language.
func readCategories(t *testing.T, w *servertest.World, query, language string) pageOf[categoryView] {
	t.Helper()
	got := w.Do(t, servertest.Request{Path: "/v1/categories?" + query, Header: map[string]string{"Accept-Language": language}})
	return servertest.Into[pageOf[categoryView]](t, got)
}

// named are the categories of a page in short: "id name".
func named(page pageOf[categoryView]) []string {
	out := []string{}
	for _, category := range page.Results {
		out = append(out, category.ID+" "+category.Name)
	}
	return out
}

func TestCategories(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		all := readCategories(t, w, "", "en")

		t.Run("one page holds the whole tree, a parent before its children", func(t *testing.T) {
			seen := map[string]categoryView{}
			roots := []string{}
			for _, category := range all.Results {
				way := category.Path
				if len(way) != category.Level+1 || way[category.Level].ID != category.ID || way[category.Level].Name != category.Name {
					t.Errorf("category %s on level %d has the path %v", category.ID, category.Level, way)
				}
				if category.ParentID == nil {
					roots = append(roots, category.ID+" "+category.Name)
				} else if parent, ok := seen[*category.ParentID]; !ok || !parent.HasChildren || parent.Level+1 != category.Level {
					t.Errorf("category %s hangs on %+v", category.ID, parent)
				}
				seen[category.ID] = category
			}
			want := []string{
				"-1 Stamps", "-2 Postcards", "-3 Coins and banknotes", "-4 Books",
				"-5 Other collections", "-6 Phonecards", "-7 Badges", "-8 Old paper",
			}
			if diff := cmp.Diff(want, roots); diff != "" || all.NextCursor != nil || len(seen) != len(all.Results) {
				t.Errorf("%d of %d categories differ; roots (-want +got):\n%s", len(seen), len(all.Results), diff)
			}
		})

		for _, test := range []struct {
			name, query, language string
			want                  []string
		}{
			{"parent_id gives the children only", "parent_id=-7", "en", []string{
				"7010000 Pins by topic", "7020000 Sports pins", "7030000 Military badges", "7040000 Political badges", "7050000 Button badges", "7060000 Embroidered patches",
			}},
			{"a leaf has no children", "parent_id=7030000", "en", []string{}},
			{"names come in the caller's language", "parent_id=-7&q=badges", "fr-BE, en;q=0.5", []string{"7040000 Badges politiques", "7050000 Badges à épingle"}},
			{"a language we do not speak is English", "parent_id=-7&q=patches", "ja", []string{"7060000 Embroidered patches"}},
			{"accents and capitals do not count in the name", "parent_id=-7&q=ecusson", "fr", []string{"7060000 Écussons brodés"}},
			{"nor in what is asked for", "parent_id=-7&q=" + url.QueryEscape("ÉCÙSSONS BRODES"), "fr", []string{"7060000 Écussons brodés"}},
			{"a name in another language is not found", "parent_id=-7&q=ecusson", "en", []string{}},
			{"q looks at everything below", "parent_id=-1&q=1849", "en", []string{"1010101 Classics 1849-1900", "1010501 1849-1914"}},
			{"q with a category's own name leaves it out", "parent_id=7030000&q=military", "en", []string{}},
		} {
			t.Run(test.name, func(t *testing.T) {
				if diff := cmp.Diff(test.want, named(readCategories(t, w, test.query, test.language))); diff != "" {
					t.Errorf("categories (-want +got):\n%s", diff)
				}
			})
		}

		t.Run("leaves_only gives what nothing hangs on, and all of it can hold items", func(t *testing.T) {
			want := []string{}
			for _, category := range all.Results {
				if !category.HasChildren {
					want = append(want, category.ID+" "+category.Name)
				}
			}
			leaves := readCategories(t, w, "leaves_only=true", "en")
			if diff := cmp.Diff(want, named(leaves)); diff != "" {
				t.Errorf("leaves (-want +got):\n%s", diff)
			}
			if i := slices.IndexFunc(leaves.Results, func(c categoryView) bool { return !c.Selectable }); i >= 0 {
				t.Errorf("%s cannot hold items", leaves.Results[i].ID)
			}
		})

		t.Run("a walk in pages of 50 gives each category once", func(t *testing.T) {
			walked := []string{}
			query := "limit=50"
			for pages := 1; ; pages++ {
				page := readCategories(t, w, query, "en")
				walked = append(walked, named(page)...)
				if page.NextCursor == nil {
					break
				}
				if len(page.Results) != 50 || pages > len(all.Results)/50 {
					t.Fatalf("page %d has %d categories and is not the last", pages, len(page.Results))
				}
				query = "limit=50&after=" + url.QueryEscape(*page.NextCursor)
			}
			if diff := cmp.Diff(named(all), walked); diff != "" {
				t.Errorf("walk (-want +got):\n%s", diff)
			}
		})

		t.Run("a cursor belongs to its list", func(t *testing.T) {
			cursor := url.QueryEscape(*readCategories(t, w, "limit=1", "en").NextCursor)
			got := w.Do(t, servertest.Request{Path: "/v1/categories?leaves_only=true&after=" + cursor})
			if diff := cmp.Diff([]string{"cursor_mismatch after"}, got.Codes()); diff != "" || got.Status != 422 {
				t.Errorf("%d (-want +got):\n%s", got.Status, diff)
			}
		})

		for name, test := range map[string]struct {
			query string
			want  []string
		}{
			"an unknown parent is refused":      {"parent_id=123", []string{"invalid_parameter parent_id"}},
			"a parent that is no id is refused": {"parent_id=stamps", []string{"invalid_parameter parent_id"}},
			"a page has at most 1000":           {"limit=1001", []string{"invalid_parameter limit"}},
			"a parameter of another list":       {"sort=name", []string{"unknown_parameter sort"}},
			"a cursor of no page is refused":    {"after=abc", []string{"invalid_cursor after"}},
		} {
			t.Run(name, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Path: "/v1/categories?" + test.query})
				if diff := cmp.Diff(test.want, got.Codes()); diff != "" || got.Status != 422 {
					t.Errorf("%d (-want +got):\n%s", got.Status, diff)
				}
			})
		}
	})
}

func TestReferenceDataIsSentOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, path := range []string{"/v1/categories", "/v1/delivery-services", "/v1/shipping-models"} {
			first := w.Do(t, servertest.Request{Path: path})
			etag := first.Header.Get("ETag")
			if len(etag) < 3 || etag[0] != '"' {
				t.Errorf("%s: the tag %s is not strong", path, etag)
			}
			again := w.Do(t, servertest.Request{Path: path, Header: map[string]string{"If-None-Match": etag}})
			if again.Status != http.StatusNotModified || again.Header.Get("ETag") != etag {
				t.Errorf("%s again: %d with %s", path, again.Status, again.Header.Get("ETag"))
			}
		}
		etag := w.Do(t, servertest.Request{Path: "/v1/categories"}).Header.Get("ETag")
		french := w.Do(t, servertest.Request{Path: "/v1/categories", Header: map[string]string{"If-None-Match": etag, "Accept-Language": "fr"}})
		if french.Status != http.StatusOK || french.Header.Get("Content-Language") != "fr" {
			t.Errorf("another language under the same tag: %d in %s", french.Status, french.Header.Get("Content-Language"))
		}
	})
}

// deliveryServiceView is a delivery service as far as these tests look at it.
type deliveryServiceView struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Carrier string  `json:"carrier"`
	Country string  `json:"country"`
	Tracked bool    `json:"tracked"`
	URL     *string `json:"tracking_url_template"`
	Pattern *string `json:"number_pattern"`
	Active  bool    `json:"active"`
}

func readServices(t *testing.T, w *servertest.World, query string) []deliveryServiceView {
	t.Helper()
	return servertest.Into[pageOf[deliveryServiceView]](t, w.Do(t, servertest.Request{Path: "/v1/delivery-services?" + query})).Results
}

func TestDeliveryServices(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		countries := func(services []deliveryServiceView) map[string]int {
			counts := map[string]int{}
			for _, service := range services {
				counts[service.Country]++
			}
			return counts
		}
		all := countries(readServices(t, w, ""))
		if all["BE"] == 0 || all["US"] == 0 || all["FR"] == 0 {
			t.Errorf("services of %v", all)
		}
		for query, want := range map[string]map[string]int{
			"country=BE":            {"BE": all["BE"]},
			"country=BE&country=US": {"BE": all["BE"], "US": all["US"]},
			"country=BE,US":         {"BE": all["BE"], "US": all["US"]},
			"country=ZZ":            {},
		} {
			if diff := cmp.Diff(want, countries(readServices(t, w, query))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		retired := readServices(t, w, "country=FR&active=false")
		want := []deliveryServiceView{{ID: "107", Name: "Lettre prioritaire", Carrier: "La Poste", Country: "FR"}}
		if diff := cmp.Diff(want, retired); diff != "" {
			t.Errorf("what La Poste no longer offers (-want +got):\n%s", diff)
		}
		if got := w.Do(t, servertest.Request{Path: "/v1/delivery-services?active=perhaps"}); got.Status != 422 || got.Codes()[0] != "invalid_parameter active" {
			t.Errorf("active=perhaps: %d %v", got.Status, got.Codes())
		}
	})
}

// shippingModelView is a shipping model as far as these tests look at it.
type shippingModelView struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	Currency  string `json:"currency"`
	IsDefault bool   `json:"is_default"`
	Zones     []struct {
		Name      string   `json:"name"`
		Countries []string `json:"countries"`
		Rates     []struct {
			Service string `json:"delivery_service_id"`
			From    *int   `json:"from"`
			To      *int   `json:"to"`
			Price   struct {
				Amount   string `json:"amount"`
				Currency string `json:"currency"`
			} `json:"price"`
		} `json:"rates"`
	} `json:"zones"`
}

func TestANewAccountHasShippingModelsOfAllTypes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		read := func(key string) []shippingModelView {
			return servertest.Into[pageOf[shippingModelView]](t, w.Do(t, servertest.Request{Path: "/v1/shipping-models", Key: key})).Results
		}
		known := map[string]bool{}
		for _, service := range readServices(t, w, "") {
			known[service.ID] = true
		}
		models := read("")
		types, defaults := map[string]int{}, 0
		for _, model := range models {
			types[model.Type]++
			if model.IsDefault {
				defaults++
			}
			if model.Currency != "EUR" || len(model.Zones) == 0 {
				t.Errorf("model %s is in %s and has %d zones", model.Name, model.Currency, len(model.Zones))
			}
			for _, zone := range model.Zones {
				for _, rate := range zone.Rates {
					if !known[rate.Service] {
						t.Errorf("model %s names the delivery service %s, which is not there", model.Name, rate.Service)
					}
					if (rate.From != nil) != (model.Type == "weight") {
						t.Errorf("model %s of type %s charges from %v", model.Name, model.Type, rate.From)
					}
				}
			}
		}
		if types["fixed"] == 0 || types["weight"] == 0 || types["free"] == 0 || defaults != 1 {
			t.Errorf("%d defaults among %v", defaults, types)
		}

		ids := map[string]string{}
		_, otherKey, _ := w.Seller(t, "bruno")
		for _, key := range []string{w.Key, w.LiveKey, otherKey} {
			for _, model := range read(key) {
				if other, taken := ids[model.ID]; taken {
					t.Errorf("model %s is shown to %s and %s", model.ID, other, key)
				}
				ids[model.ID] = key
			}
		}
		if len(ids) != 3*len(models) {
			t.Errorf("%d models of three owners, not %d each", len(ids), len(models))
		}

		foreign := read(w.LiveKey)[0].ID
		got := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(object{"shipping_model_id": foreign, "weight_grams": 20})})
		if diff := cmp.Diff([]string{"unknown_shipping_model shipping_model_id"}, got.Codes()); diff != "" {
			t.Errorf("a model of the other mode in an item (-want +got):\n%s", diff)
		}
		own := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(object{"shipping_model_id": models[0].ID, "weight_grams": 20})})
		if own.Status != http.StatusAccepted {
			t.Errorf("a model of one's own in an item: %s", fmt.Sprint(own.Codes()))
		}
	})
}
