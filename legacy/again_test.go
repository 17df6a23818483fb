package legacy_test

import (
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// TestARejectedCreateIsCarriedOutAgain sends equal creates of an item whose picture appears only after the first was rejected.
func TestARejectedCreateIsCarriedOutAgain(t *testing.T) {
	item := url.Values{
		"title": {"Card"}, "personal_reference": {"R"}, "id_category": {servertest.Category}, "fixed_price": {"1"},
		"images[]": {"http://shop.example/postcard-01.jpg"},
	}
	bulk := url.Values{"items[0][id_category]": {"999"}} // rejected at once
	for name, values := range item {
		if name == "images[]" {
			name = "images][0"
		}
		bulk["items[1]["+name+"]"] = values
	}
	for path, form := range map[string]url.Values{"/rest/item": item, "/rest/items": bulk} {
		t.Run(path, func(t *testing.T) {
			servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
				var there atomic.Bool
				web := servertest.NewWeb(t)
				web.Host(t, "shop.example", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if !there.Load() {
						http.NotFound(rw, r)
						return
					}
					http.Redirect(rw, r, servertest.PublicImages+"postcard-01.jpg", http.StatusFound)
				}))
				w := servertest.New(t, database(t), web.Production)
				create := func() {
					if got := w.Rest(t, "POST", path, form.Encode(), "X-Api-Key", w.Key); got.Status != http.StatusOK {
						t.Error(got.Body)
					}
				}
				together := func() {
					var all sync.WaitGroup
					for range 6 {
						all.Go(create)
					}
					all.Wait()
				}
				for _, step := range []struct {
					name           string
					there          bool
					after          time.Duration
					send           func()
					made, rejected int // submissions
					items          int
				}{
					{"the picture is not there", false, 0, create, 1, 1, 0},
					{"nor an hour later", false, time.Hour, create, 2, 2, 0},
					{"the picture is there", true, time.Hour, together, 3, 2, 1},
					{"again", true, 23 * time.Hour, together, 3, 2, 1},
					{"a day later", true, 2 * time.Hour, together, 4, 2, 2},
				} {
					there.Store(step.there)
					w.Clock.Advance(step.after)
					step.send()
					w.Publish(t)
					if !step.there {
						w.Clock.Advance(v1.PublishDeadline)
						w.Publish(t)
					}
					got := [3]int{w.Count(t, "submissions", "1 = 1"), w.Count(t, "submissions", "status = 'rejected'"), w.Count(t, "items", "1 = 1")}
					if want := [3]int{step.made, step.rejected, step.items}; got != want {
						t.Errorf("%s: submissions, rejected, items: %v, want %v", step.name, got, want)
					}
				}
			})
		})
	}
}
