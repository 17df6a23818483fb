package v1_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

var sortStrings = cmpopts.SortSlices(strings.Compare)

// batchAnswer is the answer to a batch as callers see it.
type batchAnswer struct {
	ID            string `json:"id"`
	AcceptedCount int    `json:"accepted_count"`
	RejectedCount int    `json:"rejected_count"`
	Results       []struct {
		Index             int                     `json:"index"`
		PersonalReference *string                 `json:"personal_reference"`
		StatusCode        int                     `json:"status_code"`
		SubmissionID      *string                 `json:"submission_id"`
		Errors            []servertest.ErrorEntry `json:"errors"`
	} `json:"results"`
}

// outcomes are the results in short: "202", or the status with the codes and fields.
func (a batchAnswer) outcomes() []string {
	out := []string{}
	for i, result := range a.Results {
		text := outcomeAt(i, result.StatusCode, result.Errors)
		if result.Index != i || (result.SubmissionID == nil) == (result.StatusCode == http.StatusAccepted) {
			text += " inconsistent"
		}
		out = append(out, text)
	}
	return out
}

// outcomeAt is an entry of the results in short: the status with the codes and fields.
func outcomeAt(i, status int, errs []servertest.ErrorEntry) string {
	text := fmt.Sprint(status)
	for _, e := range errs {
		text += " " + strings.TrimSpace(e.Code+" "+e.Field)
		if e.Index == nil || *e.Index != i {
			text += " at the wrong index"
		}
	}
	return text
}

func listings(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = servertest.FixedPrice(object{"personal_reference": fmt.Sprintf("R-%d", i)})
	}
	return list
}

func TestBatches(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		post := func(t *testing.T, body any) servertest.Response {
			t.Helper()
			return w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: body})
		}

		t.Run("a batch of 100 is accepted, published and summed up", func(t *testing.T) {
			got := post(t, object{"items": listings(100)})
			answer := servertest.Into[batchAnswer](t, got)
			if got.Status != http.StatusAccepted || answer.AcceptedCount != 100 || got.Header.Get("Location") != "/v1/item-batches/"+answer.ID {
				t.Fatalf("%d, Location %q: %s", got.Status, got.Header.Get("Location"), got.Body)
			}
			if diff := cmp.Diff(slices.Repeat([]string{"202"}, 100), answer.outcomes()); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			w.Publish(t)
			summary := servertest.Into[object](t, w.Do(t, servertest.Request{Path: got.Header.Get("Location")}))
			first := summary["submissions"].([]any)[0].(object)
			shown := []any{
				summary["pending_count"], summary["published_count"], summary["unpublished_count"], summary["done"],
				first["index"], first["batch_id"], first["personal_reference"],
			}
			if diff := cmp.Diff([]any{0.0, 100.0, 0.0, true, 0.0, answer.ID, "R-0"}, shown); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})

		t.Run("the right ones of a mixed batch are accepted", func(t *testing.T) {
			got := post(t, object{"items": []any{
				servertest.FixedPrice(), servertest.FixedPrice(object{"title": nil, "personal_reference": "bad"}), 5,
				servertest.FixedPrice(object{"colour": "red", "price": object{"amount": 5, "currency": "EUR"}}), servertest.Auction(),
			}})
			want := []string{
				"202", "422 missing_field items[1].title", "422 invalid_type items[2]",
				"422 unknown_field items[3].colour invalid_type items[3].price.amount", "202",
			}
			answer := servertest.Into[batchAnswer](t, got)
			outcomes := answer.outcomes()
			outcomes[3] = strings.Replace(outcomes[3], "invalid_type items[3].price.amount unknown_field items[3].colour",
				"unknown_field items[3].colour invalid_type items[3].price.amount", 1) // members come in any order
			if diff := cmp.Diff(want, outcomes); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			if answer.AcceptedCount != 2 || answer.RejectedCount != 3 || *answer.Results[1].PersonalReference != "bad" {
				t.Errorf("counts or reference: %s", got.Body)
			}
		})

		t.Run("a batch without a right item is refused as a whole", func(t *testing.T) {
			before := footprint(t, w)
			bad := servertest.FixedPrice(object{"title": nil})
			got := post(t, object{"items": []any{bad, bad, nil, servertest.FixedPrice(object{"quantity": 0})}})
			want := []string{"missing_field items[0].title", "missing_field items[1].title", "invalid_type items[2]", "out_of_range items[3].quantity"}
			if diff := cmp.Diff(want, got.Codes()); diff != "" || got.Status != http.StatusUnprocessableEntity {
				t.Errorf("%d (-want +got):\n%s", got.Status, diff)
			}
			for i, e := range got.Errors {
				if e.Index == nil || *e.Index != i {
					t.Errorf("error %d has no index of its own: %s", i, got.Body)
				}
			}
			if diff := cmp.Diff(before, footprint(t, w)); diff != "" {
				t.Errorf("something was created (-before +after):\n%s", diff)
			}
		})

		t.Run("an item with very many errors does not hide the errors of the next", func(t *testing.T) {
			hostile := object{}
			for i := range 300 {
				hostile[fmt.Sprintf("junk%d", i)] = i
			}
			got := post(t, object{"items": []any{hostile, servertest.FixedPrice(object{"colour": "red"}), servertest.FixedPrice()}})
			outcomes := servertest.Into[batchAnswer](t, got).outcomes()
			if diff := cmp.Diff([]string{"422 unknown_field items[1].colour", "202"}, outcomes[1:]); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			outside := post(t, `{"items":[`+string(mustJSON(t, hostile))+`,`+string(mustJSON(t, servertest.FixedPrice()))+`],"note":1}`)
			if diff := cmp.Diff([]string{"unknown_field note"}, outside.Codes()); diff != "" {
				t.Errorf("a member beside the items (-want +got):\n%s", diff)
			}
		})

		for _, test := range []struct {
			name string
			body any
			want []string
		}{
			{"an empty batch is refused", object{"items": []any{}}, []string{"batch_empty items"}},
			{"a batch without items is refused", object{}, []string{"batch_empty items"}},
			{"a batch of 101 is refused", object{"items": listings(101)}, []string{"batch_too_large items"}},
			{"items are a list", object{"items": object{}}, []string{"invalid_type items"}},
			{"a list alone is no batch", []any{servertest.FixedPrice()}, []string{"invalid_type"}},
			{"a member beside the items refuses the batch", object{"items": listings(1), "dry_run": true}, []string{"unknown_field dry_run"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := post(t, test.body)
				if diff := cmp.Diff(test.want, got.Codes()); diff != "" || got.Status != http.StatusUnprocessableEntity {
					t.Errorf("%d (-want +got):\n%s", got.Status, diff)
				}
			})
		}

		t.Run("a query parameter that looks like an item's field refuses the batch", func(t *testing.T) {
			got := w.Do(t, servertest.Request{Path: "/v1/item-batches?items%5B0%5D.title=x", Body: object{"items": listings(1)}})
			if diff := cmp.Diff([]string{"unknown_parameter items[0].title"}, got.Codes()); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	})
}

func TestTheStoreLimitCutsABatch(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		bad := servertest.FixedPrice(object{"title": nil})
		got := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": []any{
			servertest.FixedPrice(), bad, servertest.FixedPrice(), servertest.FixedPrice(), bad, servertest.FixedPrice(),
		}}})
		want := []string{"202", "422 missing_field items[1].title", "202", "202", "422 missing_field items[4].title", "409 store_limit_reached"}
		answer := servertest.Into[batchAnswer](t, got)
		if diff := cmp.Diff(want, answer.outcomes()); diff != "" || answer.AcceptedCount != 3 || answer.RejectedCount != 3 {
			t.Errorf("outcomes of %s (-want +got):\n%s", got.Body, diff)
		}
		if diff := cmp.Diff("3/3/0 3/10/7", storeHeaders(got)); diff != "" {
			t.Errorf("store headers (-want +got):\n%s", diff)
		}

		full := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": listings(2)}})
		if diff := cmp.Diff([]string{"store_limit_reached"}, full.Codes()); diff != "" || full.Status != http.StatusConflict {
			t.Errorf("a full store answers %d (-want +got):\n%s", full.Status, diff)
		}
		if diff := cmp.Diff("3/3/0 3/10/7", storeHeaders(full)); diff != "" {
			t.Errorf("store headers of the refusal (-want +got):\n%s", diff)
		}
		if n := w.Count(t, "submissions", "1 = 1"); n != 3 {
			t.Errorf("%d submissions instead of 3", n)
		}
	}, func(c *v1.Config) { c.OpenItems, c.NewItemsPerDay = 3, 10 })
}

func TestTheDailyLimitCutsABatch(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		got := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": listings(3)}})
		if diff := cmp.Diff([]string{"202", "202", "429 daily_item_limit_reached"}, servertest.Into[batchAnswer](t, got).outcomes()); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		full := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": listings(2)}})
		if diff := cmp.Diff([]string{"daily_item_limit_reached"}, full.Codes()); diff != "" || full.Status != http.StatusTooManyRequests {
			t.Errorf("%d (-want +got):\n%s", full.Status, diff)
		}
		w.Clock.Advance(12 * time.Hour)
		if next := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": listings(2)}}); next.Status != http.StatusAccepted {
			t.Errorf("the next day: %d %s", next.Status, next.Body)
		}
	}, func(c *v1.Config) { c.NewItemsPerDay = 2 })
}

func TestABatchThatDoesNotFitStillTellsWhatIsWrongWithItsItems(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.List(t, servertest.FixedPrice())
		got := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: map[string]any{"items": []any{
			servertest.FixedPrice(), servertest.FixedPrice(map[string]any{"title": nil}),
		}}})
		if diff := cmp.Diff([]string{"store_limit_reached", "missing_field items[1].title"}, got.Codes()); diff != "" || got.Status != 409 {
			t.Errorf("status %d, codes (-want +got):\n%s", got.Status, diff)
		}
	}, func(c *v1.Config) { c.OpenItems = 1 })
}

// TestABatchThatIsOnlyCheckedCreatesNothing compares its answer with that of the batch that means it.
func TestABatchThatIsOnlyCheckedCreatesNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		post := func(query string, items ...any) servertest.Response {
			return w.Do(t, servertest.Request{
				Path: "/v1/item-batches" + query, Body: object{"items": items}, Header: map[string]string{"Idempotency-Key": fmt.Sprint(len(items))},
			})
		}
		mixed := []any{servertest.FixedPrice(object{"title": nil}), servertest.FixedPrice(object{"personal_reference": "A-1"}), 5, servertest.Auction()}
		before := footprint(t, w)
		got := post("?validate_only=true", mixed...)
		want := []string{"422 missing_field items[0].title", "200", "422 invalid_type items[2]", "200"}
		diff := cmp.Diff(want, servertest.Into[batchAnswer](t, got).outcomes())
		if diff != "" || got.Status != http.StatusOK || got.Header.Get("Location") != "" {
			t.Errorf("%d %s (-want +got):\n%s", got.Status, got.Body, diff)
		}
		if wrong := post("?validate_only=true", mixed[0]); wrong.Status != 422 || wrong.Body != post("", mixed[0]).Body {
			t.Errorf("all wrong: %s", wrong.Body)
		}
		if diff := cmp.Diff(before, footprint(t, w)); diff != "" {
			t.Errorf("something was created (-before +after):\n%s", diff)
		}
		meant := post("", mixed...) // the key is still free
		outcomes := strings.ReplaceAll(strings.Join(servertest.Into[batchAnswer](t, meant).outcomes(), ", "), "202", "200")
		if meant.Status != http.StatusAccepted || outcomes != strings.Join(want, ", ") {
			t.Errorf("the batch itself: %d %s", meant.Status, outcomes)
		}
	})
}
