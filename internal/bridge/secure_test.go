package bridge_test

import (
	"image"
	"image/png"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/bridge"
	"sellerd/internal/proof/servertest"
)

// TestCreatesWithHTTPAddressesListOnce repeats creates with http addresses on the service's own /rest and through bridges that know and
// that do not know what the service takes.
func TestCreatesWithHTTPAddressesListOnce(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		b := newBridged(t, database(t))
		b.Clock.Advance(-60 * 24 * time.Hour) // so that the service still answers
		fresh := func() http.Handler { return b.newBridge(t, func(*bridge.Config) {}) }
		knowing := fresh()
		learn := fields("title", "Card", "id_category", servertest.Category, "personal_reference", "B-1", "fixed_price", "1", "currency", "EUR",
			"images[]", "http://www.example.com/b.png")
		if got := b.callOf(t, knowing, "POST", "/rest/item", learn, "X-Api-Key", b.Key); got.Status != http.StatusOK {
			t.Fatal(got.Body)
		}
		one := fields("title", "Card", "id_category", servertest.Category, "personal_reference", "A-1", "fixed_price", "1", "currency", "EUR",
			"images[]", "http://www.example.com/a.png")
		bulk := fields("items[0][title]", "Card", "items[0][id_category]", servertest.Category, "items[0][personal_reference]", "A-2", "items[0][fixed_price]", "1",
			"items[0][images][0]", "http://www.example.com/a.png")
		for _, step := range []struct {
			name    string
			through http.Handler // nil is the service
			after   time.Duration
			want    int // items of these creates
		}{
			{"by the service", nil, 0, 2},
			{"through a bridge that knows", knowing, time.Hour, 2},
			{"through one that does not", fresh(), time.Hour, 2},
			{"by the service again", nil, time.Hour, 2},
			{"a day later, through a bridge that knows", knowing, 24 * time.Hour, 4},
			{"again", knowing, time.Hour, 4},
			{"through one that does not", fresh(), time.Hour, 4},
			{"another day later, through one that does not", fresh(), 24 * time.Hour, 6},
			{"through one that knows", knowing, time.Hour, 6},
		} {
			b.Clock.Advance(step.after)
			for path, form := range map[string]string{"/rest/item": one.Encode(), "/rest/items": bulk.Encode()} {
				answer := servertest.RestAnswer{}
				if step.through == nil {
					answer = b.Rest(t, "POST", path, form, "X-Api-Key", b.Key, "Content-Type", "application/x-www-form-urlencoded")
				} else {
					answer = b.callOf(t, step.through, "POST", path, mustParse(t, form), "X-Api-Key", b.Key)
				}
				if answer.Status != http.StatusOK {
					t.Fatalf("%s: %s", step.name, answer.Body)
				}
			}
			if n := b.Count(t, "submissions", `draft LIKE '%"personal_reference":"A-%'`); n != step.want {
				t.Errorf("%s: %d creates, want %d", step.name, n, step.want)
			}
		}
	})
}

// TestASettingAtAnHTTPAddressIsFound renews a setting that the service's own /rest made, as old programs do when they start. A
// second setting at the https address would notify twice.
func TestASettingAtAnHTTPAddressIsFound(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	b.Clock.Advance(-60 * 24 * time.Hour) // so that the service still answers
	setting := func(destination string) string {
		return fields("notificationType", "Curl_Default", "destination", destination).Encode()
	}
	const made, other = "http://www.example.com/in", "http://www.example.com/other"
	b.Rest(t, "POST", "/rest/notification/settings", setting(made), "X-Api-Key", b.Key, "Content-Type", "application/x-www-form-urlencoded")
	knowing := b.newBridge(t, func(*bridge.Config) {})
	renew := func(through http.Handler, destination string) {
		t.Helper()
		if got := b.callOf(t, through, "POST", "/rest/notification/settings", mustParse(t, setting(destination)), "X-Api-Key", b.Key); got.Status != http.StatusOK {
			t.Fatal(got.Body)
		}
	}
	addresses := func(condition string) int { return b.Count(t, "webhooks", condition) }
	renew(knowing, made)
	renew(knowing, other) // now it knows
	renew(knowing, made)
	renew(b.newBridge(t, func(*bridge.Config) {}), other)
	if n, own := addresses("1 = 1"), addresses("url = '"+made+"'"); n != 2 || own != 1 {
		t.Errorf("%d settings, %d of them at the http address", n, own)
	}
	list := b.callOf(t, knowing, "GET", "/rest/notification/settings", nil, "X-Api-Key", b.Key)
	numbers, destinations := list.Texts("body/notification_settings/id_notification"), list.Texts("body/notification_settings/destination")
	i := slices.Index(destinations, made)
	if i < 0 {
		t.Fatal(list.Body)
	}
	b.callOf(t, knowing, "PUT", "/rest/notification/"+numbers[i], nil, "X-Api-Key", b.Key) // switches it off
	off := addresses("url = '" + made + "' AND status = 'paused'")
	renew(knowing, made)
	if on := addresses("url = '" + made + "' AND status = 'active'"); off != 1 || on != 1 || addresses("1 = 1") != 2 {
		t.Errorf("%d switched off, and %d on again", off, on)
	}
}

// TestAnItemKeepsItsHTTPAddresses changes an item that has an http address from the service's own /rest, and sends that address again.
func TestAnItemKeepsItsHTTPAddresses(t *testing.T) {
	web := servertest.NewWeb(t)
	b := newBridged(t, servertest.SQLite(t), web.Production)
	web.Host(t, "www.example.com", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // has http alone
		_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 200, 200)))
	}))
	b.Clock.Advance(-60 * 24 * time.Hour) // so that the service still answers
	const address = "http://www.example.com/a.png"
	create := fields("title", "Card", "id_category", servertest.Category, "personal_reference", "A-1", "fixed_price", "1", "currency", "EUR", "images[]", address)
	b.Rest(t, "POST", "/rest/item", create.Encode(), "X-Api-Key", b.Key, "Content-Type", "application/x-www-form-urlencoded")
	b.Publish(t)
	item := b.Rest(t, "GET", "/rest/item/reference/A-1", "", "X-Api-Key", b.Key).Text("body/item/id_item")
	create.Set("personal_reference", "A-2")
	create.Set("images[]", "http://www.example.com/b.png")
	b.call(t, "POST", "/rest/item", create, "X-Api-Key", b.Key) // now the bridge knows what the service takes
	for _, step := range []struct {
		title        string
		images, want []string
	}{
		{"with the address it has", []string{address}, []string{address}},
		{"with one more", []string{address, "http://www.example.com/c.png"}, []string{"https://www.example.com/a.png", "https://www.example.com/c.png"}},
	} {
		change := fields("title", step.title)
		for _, image := range step.images {
			change.Add("images[]", image)
		}
		if got := b.call(t, "PUT", "/rest/item/"+item, change, "X-Api-Key", b.Key); got.Status != http.StatusOK {
			t.Fatal(got.Body)
		}
		read := servertest.Into[struct {
			Images []struct {
				URL string `json:"url"`
			} `json:"images"`
		}](t, b.Do(t, servertest.Request{Path: "/v1/items/" + item}))
		var urls []string
		for _, image := range read.Images {
			urls = append(urls, image.URL)
		}
		if diff := cmp.Diff(step.want, urls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.title, diff)
		}
	}
}
