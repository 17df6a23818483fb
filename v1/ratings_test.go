package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1/trade"
)

// rate rates the buyer of a sale.
func (m market) rate(sale string, body any) servertest.Response {
	m.Helper()
	return m.post("/v1/sales/"+sale+"/rating", body)
}

// revise changes a rating.
func (m market) revise(sale string, body any) servertest.Response {
	m.Helper()
	return m.w.Do(m.T, servertest.Request{Method: http.MethodPatch, Path: "/v1/sales/" + sale + "/rating", Body: body, Key: m.key})
}

// ratingView is a rating as callers see it.
type ratingView struct {
	SaleID        string    `json:"sale_id"`
	BuyerID       string    `json:"buyer_id"`
	Score         *int      `json:"score"`
	Comment       *string   `json:"comment"`
	RevisionCount int       `json:"revision_count"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
	EditableUntil time.Time `json:"editable_until"`
}

// ratedSale is what a sale shows of its rating.
type ratedSale struct {
	RatingStatus string      `json:"rating_status"`
	RatedAt      *time.Time  `json:"rated_at"`
	UpdatedAt    time.Time   `json:"updated_at"`
	Rating       *ratingView `json:"rating"`
	Buyer        struct {
		Rating ratingSum `json:"rating"`
	} `json:"buyer"`
}

type ratingSum struct {
	Count      int      `json:"count"`
	Percentage *float64 `json:"percentage"`
}

func ratingOf(t *testing.T, w *servertest.World, sale string) ratedSale {
	t.Helper()
	return servertest.Into[ratedSale](t, w.Do(t, servertest.Request{Path: "/v1/sales/" + sale}))
}

func TestRatingABuyer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		sold := m.sold(w.List(t, servertest.FixedPrice()), "bob")
		path := "/v1/sales/" + sold.ID + "/rating"
		if diff := cmp.Diff(ratedSale{RatingStatus: "unrated", UpdatedAt: sold.SoldAt}, ratingOf(t, w, sold.ID)); diff != "" {
			t.Fatalf("sale before it is rated (-want +got):\n%s", diff)
		}
		events := w.Count(t, "events", "1 = 1")

		w.Clock.Advance(time.Hour)
		rated := w.Clock.Now()
		posted := m.rate(sold.ID, object{"score": 75, "comment": "Paid at once,\nthank you"})
		if posted.Status != http.StatusCreated || posted.Header.Get("Location") != path {
			t.Fatalf("rate: %d, Location %q: %s", posted.Status, posted.Header.Get("Location"), posted.Body)
		}
		score, comment := 75, "Paid at once,\nthank you"
		want := ratingView{
			SaleID: sold.ID, BuyerID: sold.Buyer.ID, Score: &score, Comment: &comment,
			CreatedAt: rated, UpdatedAt: rated, EditableUntil: sold.SoldAt.Add(60 * 24 * time.Hour),
		}
		percentage := 75.0
		wantSale := ratedSale{RatingStatus: "rated", RatedAt: &rated, UpdatedAt: rated, Rating: &want}
		wantSale.Buyer.Rating = ratingSum{1, &percentage}
		check := func(t *testing.T, written servertest.Response) {
			t.Helper()
			if diff := cmp.Diff(want, servertest.Into[ratingView](t, written)); diff != "" {
				t.Errorf("rating (-want +got):\n%s", diff)
			}
			read := w.Do(t, servertest.Request{Path: path})
			if diff := cmp.Diff(string(written.Data), string(read.Data)); diff != "" || read.Status != http.StatusOK {
				t.Errorf("read %d (-written +read):\n%s", read.Status, diff)
			}
			if tag := written.Header.Get("ETag"); tag == "" || tag != read.Header.Get("ETag") {
				t.Errorf("written with tag %q, read with tag %q", tag, read.Header.Get("ETag"))
			}
			if diff := cmp.Diff(wantSale, ratingOf(t, w, sold.ID)); diff != "" {
				t.Errorf("sale (-want +got):\n%s", diff)
			}
		}
		check(t, posted)

		t.Run("a revision keeps what it does not name", func(t *testing.T) {
			w.Clock.Advance(time.Hour)
			revised := m.revise(sold.ID, object{"score": 100})
			score, percentage = 100, 100
			want.RevisionCount, want.UpdatedAt, wantSale.UpdatedAt = 1, w.Clock.Now(), w.Clock.Now()
			check(t, revised)
		})
		t.Run("null clears", func(t *testing.T) {
			w.Clock.Advance(time.Hour)
			revised := m.revise(sold.ID, object{"comment": nil})
			want.Comment, want.RevisionCount, want.UpdatedAt, wantSale.UpdatedAt = nil, 2, w.Clock.Now(), w.Clock.Now()
			check(t, revised)
		})
		t.Run("a score gives way to a neutral comment", func(t *testing.T) {
			w.Clock.Advance(time.Hour)
			revised := m.revise(sold.ID, object{"score": nil, "comment": comment})
			want.Score, want.Comment, want.RevisionCount, want.UpdatedAt, wantSale.UpdatedAt = nil, &comment, 3, w.Clock.Now(), w.Clock.Now()
			wantSale.Buyer.Rating = ratingSum{}
			check(t, revised)
		})
		t.Run("a revision of what was read goes through, of what was not does not", func(t *testing.T) {
			tag := w.Do(t, servertest.Request{Path: path}).Header.Get("ETag")
			patch := servertest.Request{Method: http.MethodPatch, Path: path, Body: `{"score":25}`, Header: map[string]string{"If-Match": tag}}
			if got := w.Do(t, patch); got.Status != http.StatusOK {
				t.Errorf("with the tag read: %d %s", got.Status, got.Body)
			}
			got := w.Do(t, patch)
			if diff := cmp.Diff([]string{"precondition_failed If-Match"}, got.Codes()); diff != "" {
				t.Errorf("with an old tag (-want +got):\n%s", diff)
			}
		})
		t.Run("there is no event", func(t *testing.T) {
			if now := w.Count(t, "events", "1 = 1"); now != events {
				t.Errorf("%d events", now-events)
			}
		})
	})
}

func TestRatingsThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(100)))
		late, lateRated := m.sold(item, "bob").ID, m.sold(item, "bob").ID
		m.ok(m.rate(lateRated, object{"score": 50}))
		w.Clock.Advance(trade.RatingWindow + time.Second)
		item = w.List(t, servertest.FixedPrice(pieces(100))) // the first one has ended

		sold, rated, neutral, bare := m.sold(item, "bob").ID, m.sold(item, "bob").ID, m.sold(item, "bob").ID, m.sold(item, "bob").ID
		cancelled, undone := m.sold(item, "bob").ID, m.sold(item, "bob").ID
		m.ok(m.rate(rated, object{"score": 100, "comment": "fine"}))
		m.ok(m.rate(neutral, object{"comment": "hm"}))
		m.ok(m.rate(bare, object{"score": 100}))
		m.ok(m.rate(undone, object{"score": 100, "comment": "fine"}))
		m.ok(m.decide(cancelled, "accept"))
		m.ok(m.decide(undone, "accept"))
		_, otherKey, _ := w.Seller(t, "carla")

		var refusals []refusal
		refuse := func(name string, status int, want string, act func() servertest.Response) {
			refusals = append(refusals, refusal{name: name, act: act, status: status, want: want})
		}
		for _, bad := range []struct{ name, body, want string }{
			{"nothing said", `{}`, "missing_field comment"},
			{"no score and no comment", `{"score":null,"comment":null}`, "missing_field comment"},
			{"a score between", `{"score":60}`, "invalid_value score"},
			{"a score beyond", `{"score":101}`, "invalid_value score"},
			{"a score below", `{"score":-25}`, "invalid_value score"},
			{"a score as text", `{"score":"100"}`, "invalid_type score"},
			{"a score with decimals", `{"score":75.5}`, "invalid_type score"},
			{"an empty comment", `{"comment":""}`, "too_short comment"},
			{"a blank comment", `{"score":100,"comment":" \n "}`, "too_short comment"},
			{"a comment of 501 characters", `{"score":100,"comment":"` + strings.Repeat("é", 501) + `"}`, "too_long comment"},
			{"markup", `{"score":100,"comment":"<b>fine</b>"}`, "html_not_allowed comment"},
			{"an unknown member", `{"score":100,"stars":5}`, "unknown_field stars"},
		} {
			refuse("rating with "+bad.name, 422, bad.want, func() servertest.Response { return m.rate(sold, bad.body) })
			if bad.body != `{}` && !strings.Contains(bad.body, "null") {
				refuse("revising with "+bad.name, 422, bad.want, func() servertest.Response { return m.revise(rated, bad.body) })
			}
		}
		refuse("no body", 400, "malformed_json", func() servertest.Response { return m.rate(sold, nil) })
		refuse("an empty patch", 422, "empty_patch", func() servertest.Response { return m.revise(rated, `{}`) })
		refuse("taking away score and comment", 422, "missing_field comment", func() servertest.Response { return m.revise(rated, `{"score":null,"comment":null}`) })
		refuse("taking away the only comment", 422, "missing_field comment", func() servertest.Response { return m.revise(neutral, `{"comment":null}`) })
		refuse("taking away the only score", 422, "missing_field comment", func() servertest.Response { return m.revise(bare, `{"score":null}`) })

		refuse("rating twice", 409, "rating_exists", func() servertest.Response { return m.rate(rated, object{"score": 100}) })
		refuse("rating too late", 409, "rating_window_closed", func() servertest.Response { return m.rate(late, object{"score": 100}) })
		refuse("rating twice and too late", 409, "rating_exists", func() servertest.Response { return m.rate(lateRated, object{"score": 100}) })
		refuse("revising too late", 409, "rating_window_closed", func() servertest.Response { return m.revise(lateRated, object{"score": 100}) })
		refuse("a bad score too late", 422, "invalid_value score", func() servertest.Response { return m.rate(late, object{"score": 1}) })
		refuse("revising what is not there", 404, "rating_not_found", func() servertest.Response { return m.revise(sold, object{"score": 100}) })
		refuse("revising too late what is not there", 404, "rating_not_found", func() servertest.Response { return m.revise(late, object{"score": 100}) })
		refuse("reading what is not there", 404, "rating_not_found", func() servertest.Response {
			return w.Do(t, servertest.Request{Path: "/v1/sales/" + sold + "/rating"})
		})

		for _, score := range []int{100, 75, 50} {
			refuse(fmt.Sprintf("%d for a cancelled sale", score), 422, "score_not_allowed score", func() servertest.Response {
				return m.rate(cancelled, object{"score": score})
			})
			refuse(fmt.Sprintf("%d for a sale that was rated and then cancelled", score), 422, "score_not_allowed score", func() servertest.Response {
				return m.revise(undone, object{"score": score})
			})
		}
		refuse("another comment to a score that is no longer allowed", 422, "score_not_allowed score", func() servertest.Response {
			return m.revise(undone, object{"comment": "fine all the same"})
		})

		for name, request := range map[string]servertest.Request{
			"another seller":             {Path: "/v1/sales/" + rated + "/rating", Key: otherKey},
			"the other mode":             {Path: "/v1/sales/" + rated + "/rating", Key: w.LiveKey},
			"a number of nothing":        {Path: "/v1/sales/1/rating"},
			"what is not even a number":  {Path: "/v1/sales/x/rating"},
			"a number in another manner": {Path: "/v1/sales/0" + rated + "/rating"},
		} {
			for method, body := range map[string]any{http.MethodGet: nil, http.MethodPost: object{"score": 25}, http.MethodPatch: object{"score": 25}} {
				request.Method, request.Body = method, body
				refuse(method+" for "+name, 404, "sale_not_found", func() servertest.Response { return w.Do(t, request) })
			}
		}
		m.check(refusals)

		t.Run("the allowed scores are named", func(t *testing.T) {
			got := m.rate(cancelled, object{"score": 50})
			if diff := cmp.Diff(map[string]any{"allowed_scores": []any{25.0, 0.0, nil}}, got.Errors[0].Details); diff != "" {
				t.Errorf("details (-want +got):\n%s", diff)
			}
		})
		t.Run("several problems are reported together", func(t *testing.T) {
			got := m.rate(sold, object{"score": 60, "comment": "", "stars": 5})
			if diff := cmp.Diff([]string{"unknown_field stars", "invalid_value score", "too_short comment"}, got.Codes()); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
		t.Run("none of it left a rating behind", func(t *testing.T) {
			if n := w.Count(t, "ratings", "1 = 1"); n != 5 {
				t.Errorf("%d ratings instead of 5", n)
			}
		})
	})
}

func TestRatingTheBuyerOfACancelledSale(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(10)))
		for _, body := range []object{{"score": 25}, {"score": 0}, {"score": nil, "comment": "never paid"}} {
			sold := m.sold(item, "bob").ID
			m.ok(m.decide(sold, "accept"))
			if got := m.rate(sold, body); got.Status != http.StatusCreated {
				t.Errorf("%v: %d %s", body, got.Status, got.Body)
			}
		}
		t.Run("a rating from before keeps its score until it is revised", func(t *testing.T) {
			sold := m.sold(item, "eve").ID
			m.ok(m.rate(sold, object{"score": 100}))
			m.ok(m.decide(sold, "accept"))
			if got := ratingOf(t, w, sold); got.Rating == nil || *got.Rating.Score != 100 {
				t.Errorf("after the cancellation: %+v", got.Rating)
			}
			if got := m.revise(sold, object{"score": 25}); got.Status != http.StatusOK {
				t.Errorf("revise: %d %s", got.Status, got.Body)
			}
		})
	})
}

func TestABuyersPercentageFollowsAllRatings(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey // where sellers share buyers
		_, _, key := w.Seller(t, "carla")
		anna, carla := marketOf(t, w), market{t, w, key}
		sold := func(item, buyer string) string {
			return operate(t, w, 200, "/operator/items/"+item+"/purchases", object{"buyer": someBuyer(buyer)})["id"].(string)
		}
		item := w.List(t, servertest.FixedPrice(pieces(10)))
		sales := []string{sold(item, "bob"), sold(item, "bob"), sold(item, "bob")}
		others := sold(listFor(t, w, key, servertest.FixedPrice()), "bob")
		never := sold(item, "eve")

		steps := []struct {
			name string
			act  func() servertest.Response
			want string
		}{
			{"a first score", func() servertest.Response { return anna.rate(sales[0], object{"score": 100}) }, "1 100"},
			{"a second score", func() servertest.Response { return anna.rate(sales[1], object{"score": 75}) }, "2 87.5"},
			{"a neutral comment counts for nothing", func() servertest.Response { return anna.rate(sales[2], object{"comment": "hm"}) }, "2 87.5"},
			{"another seller's score counts as much", func() servertest.Response { return carla.rate(others, object{"score": 25}) }, "3 66.7"},
			{"a revision moves the sum by the difference", func() servertest.Response { return anna.revise(sales[0], object{"score": 0}) }, "3 33.3"},
			{"another comment moves nothing", func() servertest.Response { return anna.revise(sales[0], object{"comment": "late"}) }, "3 33.3"},
			{"a score taken back no longer counts", func() servertest.Response { return anna.revise(sales[1], object{"score": nil, "comment": "hm"}) }, "2 12.5"},
			{"a neutral comment that gets a score counts", func() servertest.Response { return anna.revise(sales[2], object{"score": 50}) }, "3 25"},
		}
		for _, step := range steps {
			t.Run(step.name, func(t *testing.T) {
				if got := step.act(); got.Status >= 300 {
					t.Fatalf("refused: %d %s", got.Status, got.Body)
				}
				for sale, want := range map[string]string{sales[0]: step.want, never: "0 none"} {
					sum := ratingOf(t, w, sale).Buyer.Rating
					got := fmt.Sprintf("%d none", sum.Count)
					if sum.Percentage != nil {
						got = fmt.Sprintf("%d %v", sum.Count, *sum.Percentage)
					}
					if got != want {
						t.Errorf("count and percentage are %s, not %s", got, want)
					}
				}
			})
		}
	})
}

func TestARepeatedRatingIsAnsweredAgain(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		sold := m.sold(w.List(t, servertest.FixedPrice()), "bob").ID
		request := servertest.Keyed("rating-1", "/v1/sales/"+sold+"/rating", object{"score": 100})
		first, again := w.Do(t, request), w.Do(t, request)
		if first.Status != http.StatusCreated || again.Status != http.StatusCreated || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Fatalf("answers %d, %d replayed %q", first.Status, again.Status, again.Header.Get("Idempotent-Replayed"))
		}
		if diff := cmp.Diff(first.Body, again.Body); diff != "" {
			t.Errorf("replay (-first +again):\n%s", diff)
		}
		if first.Header.Get("Location") != again.Header.Get("Location") {
			t.Errorf("Location %q after %q", again.Header.Get("Location"), first.Header.Get("Location"))
		}
		if got := ratingOf(t, w, sold).Buyer.Rating.Count; got != 1 {
			t.Errorf("counted %d times", got)
		}
	})
}

func TestOfRatingsAtTheSameTimeOneWins(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(10)))
		for round := range 5 {
			sold := m.sold(item, "bob").ID
			request := servertest.Request{Path: "/v1/sales/" + sold + "/rating", Body: object{"score": 100}}
			won := 0
			for _, answer := range together(t, w, request, request, request, request) {
				switch {
				case answer.Status == http.StatusCreated:
					won++
				case answer.Status != http.StatusConflict || answer.Codes()[0] != "rating_exists":
					t.Errorf("another: %d %s", answer.Status, answer.Body)
				}
			}
			if counted := ratingOf(t, w, sold).Buyer.Rating.Count; won != 1 || counted != round+1 {
				t.Fatalf("%d ratings won, %d are counted", won, counted-round)
			}
		}
	})
}

func TestTheRatingWindowClosesAfterSixtyDaysToTheMicrosecond(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, test := range []struct {
			name           string
			after          time.Duration
			status         string
			rated, revised int
		}{
			{"a microsecond before", trade.RatingWindow - time.Microsecond, "unrated", http.StatusCreated, http.StatusOK},
			{"exactly then", trade.RatingWindow, "expired", http.StatusConflict, http.StatusConflict},
		} {
			t.Run(test.name, func(t *testing.T) {
				m, item := marketOf(t, w), w.List(t, servertest.FixedPrice(pieces(10)))
				sold := m.sold(item, "bob")
				w.Clock.Advance(time.Second)
				revisable := m.sold(item, "bob")
				m.ok(m.rate(revisable.ID, object{"score": 50}))

				showAt(w, sold.SoldAt.Add(test.after))
				if got := ratingOf(t, w, sold.ID).RatingStatus; got != test.status {
					t.Errorf("the sale is %s, not %s", got, test.status)
				}
				if ids, _ := salesPage(t, w, "item_id="+item+"&rating_status="+test.status+"&sold_from="+instant(sold.SoldAt)); !cmp.Equal(ids, []string{sold.ID}) {
					t.Errorf("%s are %v, not %s", test.status, ids, sold.ID)
				}
				if got := m.rate(sold.ID, object{"score": 100}); got.Status != test.rated {
					t.Errorf("rate: %d %s", got.Status, got.Body)
				}
				showAt(w, revisable.SoldAt.Add(test.after))
				if got := m.revise(revisable.ID, object{"score": 100}); got.Status != test.revised {
					t.Errorf("revise: %d %s", got.Status, got.Body)
				}
			})
		}
	})
}
