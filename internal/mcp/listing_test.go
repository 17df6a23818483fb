package mcp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// created counts what a call of create_items left behind.
func created(t *testing.T, w *servertest.World) int {
	t.Helper()
	return w.Count(t, "items", "1 = 1") + w.Count(t, "submissions", "1 = 1") + w.Count(t, "batches", "1 = 1")
}

func TestItemsAreCheckedBeforeTheyAreCreated(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		a := newAgent(t, w, plainly)
		items := []any{servertest.FixedPrice(), servertest.FixedPrice(map[string]any{"category_id": "1", "quantity": 0}), servertest.FixedPrice(map[string]any{"colour": "red"})}
		text, failed := a.callAnyhow(t, "create_items", map[string]any{"items": items})
		got := read(t, text)
		var where []int
		for _, e := range got.Errors {
			where = append(where, *e.Index)
		}
		if !failed || !slices.Contains(got.codes(), "unknown_category category_id") || !slices.Contains(got.codes(), "unknown_field colour") || !strings.Contains(got.Note, "None was created") ||
			!slices.Contains(where, 1) || !slices.Contains(where, 2) || slices.Contains(where, 0) {
			t.Errorf("it answers %s", text)
		}
		if n := created(t, w); n != 0 {
			t.Errorf("%d rows were created", n)
		}
		right := []any{servertest.FixedPrice(), servertest.Auction()}
		checked := a.does(t, "create_items", map[string]any{"items": right, "validate_only": true})
		if n := created(t, w); checked.Valid != 2 || n != 0 {
			t.Errorf("the check answers %+v, and %d rows were created", checked, n)
		}
		batch := a.does(t, "create_items", map[string]any{"items": right})
		summary := data[struct {
			Done      bool `json:"done"`
			Published int  `json:"published_count"`
		}](t, batch)
		if batch.Operation != "submitBatch" || batch.Accepted != 2 || !summary.Done || summary.Published != 2 {
			t.Errorf("the batch answers %+v, %s", batch, batch.Data)
		}
		text, failed = a.callAnyhow(t, "create_items", map[string]any{"items": items, "only_clean": true})
		if got := read(t, text); failed || got.Accepted != 1 || len(got.Errors) == 0 {
			t.Errorf("only_clean answers %s", text)
		}
		if n := w.Count(t, "items", "1 = 1"); n != 3 {
			t.Errorf("there are %d items, want 3", n)
		}
	})
}

// TestABatchThatIsTooLargeForTheStoreSaysWhichItemsAreLeftOut submits three items to a store with room for two.
func TestABatchThatIsTooLargeForTheStoreSaysWhichItemsAreLeftOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		a := newAgent(t, w, plainly)
		got := a.does(t, "create_items", map[string]any{"items": []any{servertest.FixedPrice(), servertest.FixedPrice(), servertest.FixedPrice()}})
		if got.Accepted != 2 || len(got.Errors) != 1 || *got.Errors[0].Index != 2 || got.Errors[0].Code != "store_limit_reached" || got.Errors[0].Mend == "" {
			t.Errorf("it answers %+v", got)
		}
		if n := w.Count(t, "items", "1 = 1"); n != 2 {
			t.Errorf("there are %d items", n)
		}
	}, func(c *v1.Config) { c.OpenItems = 2 })
}

func TestAnItemThatPublicationRejectsIsNotOnSale(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	a := newAgent(t, w, plainly)
	got := a.does(t, "create_items", map[string]any{"items": []any{servertest.FixedPrice(map[string]any{"images": []any{w.ImageURL(t, "nothing.jpg")}})}})
	if out := data[submitted](t, got); out.Status != "rejected" || !strings.Contains(got.Note, "rejected") || !strings.Contains(string(got.Data), `"code":"image`) {
		t.Errorf("it answers %+v %s", got, got.Data)
	}
}

func TestAKeyThatMayNotListIsNoMistakeOfTheItem(t *testing.T) {
	a := scripted(t, refusing(403, "permission_denied"), 0)
	got := a.fails(t, "create_items", map[string]any{"items": []any{servertest.FixedPrice(), servertest.FixedPrice()}})
	if diff := cmp.Diff([]string{"permission_denied"}, got.codes()); diff != "" || got.Errors[0].Index != nil {
		t.Errorf("%+v", got)
	}
}

func TestASubmissionThatTakesLongerIsReported(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	a := newAgent(t, w, plainly)
	got := a.does(t, "create_items", map[string]any{"items": []any{servertest.FixedPrice()}, "wait": false})
	if out := data[submitted](t, got); out.Status != "pending" || got.Note != "" {
		t.Errorf("without waiting: %+v %q", out, got.Note)
	}
}

// TestAnItemWhosePicturesAreFetchedIsAwaited has the first two looks at a submission find it at work.
func TestAnItemWhosePicturesAreFetchedIsAwaited(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	looks := 0
	a := newAgent(t, w, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/v1/item-submissions/") {
				h.ServeHTTP(out, r)
				return
			}
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			body := answer.Body.String()
			if looks++; looks <= 2 {
				body = strings.Replace(body, `"status":"published"`, `"status":"processing"`, 1)
			}
			_, _ = out.Write([]byte(body))
		})
	})
	got := a.does(t, "create_items", map[string]any{"items": []any{servertest.FixedPrice()}})
	if out := data[submitted](t, got); out.Status != "published" || looks != 3 || got.Note != "" {
		t.Errorf("after %d looks it answers %+v %q", looks, out, got.Note)
	}
}

// TestMoreMistakesThanAnAnswerListsAreCounted sends more wrong items than an answer has errors.
func TestMoreMistakesThanAnAnswerListsAreCounted(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	a := newAgent(t, w, plainly)
	items := []any{servertest.FixedPrice()}
	for range maxProblems + 10 {
		items = append(items, servertest.FixedPrice(map[string]any{"quantity": 0}))
	}
	text, _ := a.callAnyhow(t, "create_items", map[string]any{"items": items, "only_clean": true})
	got := decoded[struct {
		Accepted int   `json:"accepted"`
		Errors   []any `json:"errors"`
		More     int   `json:"more_errors"`
	}](t, text)
	if got.Accepted != 1 || len(got.Errors) != maxProblems || got.More != 10 {
		t.Errorf("accepted %d, %d errors and %d more", got.Accepted, len(got.Errors), got.More)
	}
}

// TestAListIsShortenedToWhatFits walks through a list of long items, and expects each of them once.
func TestAListIsShortenedToWhatFits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		a := newAgent(t, w, plainly)
		const items = 30
		var batch []any
		for i := range items {
			batch = append(batch, servertest.FixedPrice(map[string]any{"title": fmt.Sprintf("Item %d", i), "description": strings.Repeat(fmt.Sprintf("%d ", i%10), 2500)}))
		}
		a.does(t, "create_items", map[string]any{"items": batch})
		seen, pages := map[string]int{}, 0
		arguments := map[string]any{"operation": "browseItems", "limit": 100}
		for {
			page := data[struct {
				Results []struct {
					ID string `json:"id"`
				} `json:"results"`
				Next *string `json:"next_cursor"`
			}](t, a.does(t, "browse", arguments))
			pages++
			for _, item := range page.Results {
				seen[item.ID]++
			}
			if page.Next == nil {
				break
			}
			arguments["after"] = *page.Next
		}
		for id, times := range seen {
			if times != 1 {
				t.Errorf("item %s came %d times", id, times)
			}
		}
		if len(seen) != items || pages < 4 || pages > items {
			t.Errorf("%d items came on %d pages", len(seen), pages)
		}
	})
}

func TestALongAnswerGoesOn(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	a := newAgent(t, w, plainly)
	description := strings.Repeat("🐌", 10_000) // 40,000 bytes
	item := a.lists(t, servertest.FixedPrice(map[string]any{"description": description}))
	whole := joined(t, a, "read", map[string]any{"operation": "getItem", "id": item})
	got := data[struct {
		Description string `json:"description"`
	}](t, read(t, whole))
	if got.Description != description {
		t.Errorf("the description came as %d bytes", len(got.Description))
	}
	list := joined(t, a, "browse", map[string]any{"operation": "browseItems"})
	if !strings.Contains(list, description) {
		t.Error("the list of one long item does not have it")
	}
}

// joined reads an answer to its end.
func joined(t *testing.T, a *agent, tool string, arguments map[string]any) string {
	t.Helper()
	var whole strings.Builder
	for {
		text := a.tells(t, tool, arguments)
		if !utf8.ValidString(text) {
			t.Fatal("a character was cut")
		}
		piece, more, isPart := strings.Cut(text, "\n\n[This is a part of the answer: ")
		whole.WriteString(piece)
		if !isPart {
			return whole.String()
		}
		var from, to, of, next int
		if _, err := fmt.Sscanf(more, "bytes %d to %d of %d. For the rest, make the same call with offset: %d.]", &from, &to, &of, &next); err != nil {
			t.Fatalf("%v: %s", err, more)
		}
		if from+len(piece) != to || next != to || to >= of {
			t.Fatalf("a part of %d bytes says %s", len(piece), more)
		}
		arguments["offset"] = next
	}
}

func TestOfflineAnswersAreBounded(t *testing.T) {
	a := offline(t)
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	for _, one := range s.guide() {
		got := joined(t, a, "guide", map[string]any{"section": one.id})
		if !strings.HasPrefix(got, one.text) {
			t.Errorf("the section %s came otherwise", one.id)
		}
	}
	for _, o := range s.operations {
		if got := joined(t, a, "guide", map[string]any{"operation": o.id}); !strings.Contains(got, o.Pattern) {
			t.Errorf("the reference of %s: %s", o.id, got)
		}
	}
	joined(t, a, "errors", map[string]any{})
	form := strings.Repeat("title=Postcard&", 4000)
	text, _ := a.call(t, "translate", map[string]any{"request": "POST /rest/item", "body": form})
	if len(text) > maxText {
		t.Errorf("the translation has %d bytes", len(text))
	}
}
