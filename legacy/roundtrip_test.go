package legacy_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			after := shown(w, t, path)
			for i := range before {
				if before[i][0] == "duration" && after[i][1] == "" {
					after[i][1] = before[i][1] // an end that is sent counts, whatever the duration
				}
			}
			if diff := cmp.Diff(before, after); diff != "" {
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

// shown is the fields of an item as /rest shows them.
func shown(w *servertest.World, t *testing.T, path string) [][2]string {
	t.Helper()
	return w.Rest(t, "GET", path, "", "X-Api-Key", w.Key).Elements("Notification_Data/body/item")[0].Children()
}
