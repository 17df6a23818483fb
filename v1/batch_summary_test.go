package v1_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// batchSummary is what became of a batch, as callers see it.
type batchSummary struct {
	ID               string `json:"id"`
	AcceptedCount    int    `json:"accepted_count"`
	RejectedCount    int    `json:"rejected_count"`
	PendingCount     int    `json:"pending_count"`
	PublishedCount   int    `json:"published_count"`
	UnpublishedCount int    `json:"unpublished_count"`

	ItemCount                  int `json:"item_count"`
	RejectedAtAcceptanceCount  int `json:"rejected_at_acceptance_count"`
	RejectedAtPublicationCount int `json:"rejected_at_publication_count"`

	Done        bool             `json:"done"`
	Submissions []batchedSummary `json:"submissions"`
	CreatedAt   time.Time        `json:"created_at"`
}

// batchedSummary is what became of one item of a batch.
type batchedSummary struct {
	submissionView
	BatchID           string  `json:"batch_id"`
	Index             int     `json:"index"`
	PersonalReference *string `json:"personal_reference"`
}

// outcomes are the submissions in short: the place in the batch, the reference and what became of it.
func (s batchSummary) outcomes() [][]any {
	out := [][]any{}
	for _, one := range s.Submissions {
		reference := ""
		if one.PersonalReference != nil {
			reference = *one.PersonalReference
		}
		out = append(out, []any{one.Index, reference, one.outcome()})
	}
	return out
}

// adds says whether each item of the batch is counted once, under the names that say when it was rejected.
func (s batchSummary) adds() bool {
	return s.ItemCount == s.RejectedAtAcceptanceCount+s.PendingCount+s.PublishedCount+s.RejectedAtPublicationCount
}

// TestABatchTellsWhenItsItemsWereRejected has items of every outcome in one batch. Older programs read rejected_count and
// unpublished_count, which keep their meaning.
func TestABatchTellsWhenItsItemsWereRejected(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		with := func(image string) object {
			return servertest.FixedPrice(object{"images": []string{w.ImageURL(t, image)}})
		}
		wrong, lost := servertest.FixedPrice(object{"title": nil}), with("outcome/missing.jpg")
		posted := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": []any{
			wrong, lost, with("stamp-01.png"), with("outcome/hang.jpg"), lost, wrong, lost, servertest.FixedPrice(),
		}}})
		path := posted.Header.Get("Location")
		read := func() batchSummary {
			return servertest.Into[batchSummary](t, w.Do(t, servertest.Request{Path: path}))
		}
		type counts struct{ Items, AtAcceptance, Pending, Published, AtPublication, Rejected, Unpublished int }
		check := func(when string, want counts, done bool) {
			t.Helper()
			got := read()
			counted := counts{
				got.ItemCount, got.RejectedAtAcceptanceCount, got.PendingCount, got.PublishedCount, got.RejectedAtPublicationCount,
				got.RejectedCount, got.UnpublishedCount,
			}
			if diff := cmp.Diff(want, counted); diff != "" || got.Done != done || !got.adds() {
				t.Errorf("%s: done is %v, the counts add up: %v (-want +got):\n%s", when, got.Done, got.adds(), diff)
			}
		}
		check("before publication", counts{Items: 8, AtAcceptance: 2, Pending: 6, Rejected: 2}, false)
		w.Publish(t)
		check("while an image is waited for", counts{Items: 8, AtAcceptance: 2, Pending: 1, Published: 2, AtPublication: 3, Rejected: 2, Unpublished: 3}, false)
		publishWithRetries(t, w)
		check("when it is done", counts{Items: 8, AtAcceptance: 2, Published: 2, AtPublication: 4, Rejected: 2, Unpublished: 4}, true)
	}, shortTempered)
}

func TestABatchIsSummedUp(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		posted := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": []any{
			servertest.FixedPrice(object{"personal_reference": "good", "images": []string{w.ImageURL(t, "stamp-01.png")}}),
			servertest.FixedPrice(object{"personal_reference": "wrong", "title": nil}),
			servertest.FixedPrice(object{"personal_reference": "lost", "images": []string{w.ImageURL(t, "outcome/missing.jpg")}}),
		}}})
		path := posted.Header.Get("Location")
		read := func(t *testing.T) batchSummary {
			t.Helper()
			return servertest.Into[batchSummary](t, w.Do(t, servertest.Request{Path: path}))
		}
		counts := func(s batchSummary) []int {
			return []int{s.AcceptedCount, s.RejectedCount, s.PendingCount, s.PublishedCount, s.UnpublishedCount}
		}

		t.Run("before publication all accepted items are pending", func(t *testing.T) {
			got := read(t)
			if diff := cmp.Diff([]int{2, 1, 2, 0, 0}, counts(got)); diff != "" || got.Done {
				t.Errorf("done is %v, counts (-want +got):\n%s", got.Done, diff)
			}
			if diff := cmp.Diff([][]any{{0, "good", []string{"pending"}}, {2, "lost", []string{"pending"}}}, got.outcomes()); diff != "" {
				t.Errorf("submissions (-want +got):\n%s", diff)
			}
			if "/v1/item-batches/"+got.ID != path || got.CreatedAt.Sub(servertest.Start) > time.Second || got.Submissions[0].BatchID != got.ID {
				t.Errorf("the batch of %s: %+v", path, got)
			}
		})

		publishWithRetries(t, w)

		t.Run("after publication one is listed and one is not", func(t *testing.T) {
			got := read(t)
			if diff := cmp.Diff([]int{2, 1, 0, 1, 1}, counts(got)); diff != "" || !got.Done {
				t.Errorf("done is %v, counts (-want +got):\n%s", got.Done, diff)
			}
			want := [][]any{{0, "good", []string{"published"}}, {2, "lost", []string{"rejected", "images_unreachable"}}}
			if diff := cmp.Diff(want, got.outcomes()); diff != "" {
				t.Errorf("submissions (-want +got):\n%s", diff)
			}
			if published := got.Submissions[0]; published.ItemID == nil || readItem(t, w, *published.ItemID).Status != "open" || published.CompletedAt == nil {
				t.Errorf("the published one: %+v", published)
			}
			if rejected := got.Submissions[1]; rejected.ItemID != nil || rejected.CompletedAt == nil {
				t.Errorf("the rejected one: %+v", rejected)
			}
		})

		t.Run("another seller's batch is as missing as one that never existed", func(t *testing.T) {
			_, otherKey, _ := w.Seller(t, "bruno")
			for name, request := range map[string]servertest.Request{
				"another account":  {Path: path, Key: otherKey},
				"the other mode":   {Path: path, Key: w.LiveKey},
				"an id of nothing": {Path: path[:len(path)-1] + "0", Key: otherKey},
				"a number":         {Path: "/v1/item-batches/17"},
			} {
				got := w.Do(t, request)
				if diff := cmp.Diff([]string{"batch_not_found"}, got.Codes()); diff != "" || got.Status != 404 {
					t.Errorf("%s: %d (-want +got):\n%s", name, got.Status, diff)
				}
			}
		})
	})
}
