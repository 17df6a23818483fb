package importing

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1/permission"
)

// This file loses, cuts and interrupts what an import remembers.

// TestImportWithoutItsMemory loses the file that remembers what was listed.
func TestImportWithoutItsMemory(t *testing.T) {
	for name, second := range map[string]string{
		"the same file": stamps("A B C", "R-"), "a corrected file": strings.Replace(stamps("X A B C", "R-"), "B,R-B", "B,R-B", 1),
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, plainly, roomy)
			if _, err := s.imports(t, stamps("A B C", "R-"), Options{}); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(s.state); err != nil {
				t.Fatal(err)
			}
			got, err := s.imports(t, second, Options{})
			if err != nil || got.Summary.Replayed != 3 {
				t.Errorf("%+v, %v: want 3 rows that were listed before", got.Summary, err)
			}
			for _, title := range s.listed(t) {
				if strings.Contains(title, "×") {
					t.Errorf("%s: listed twice", title)
				}
			}
		})
	}
	t.Run("rows without references, the same file", func(t *testing.T) {
		s := newShop(t, plainly, roomy)
		for range 2 {
			if _, err := s.imports(t, stamps("A B C", ""), Options{}); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(s.state); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]string{"A", "B", "C"}, s.listed(t)); diff != "" {
			t.Errorf("items (-want +got):\n%s", diff)
		}
	})
}

func TestTheMemoryIsForItsOwnerAndItsAccount(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, stamps("A B", ""), Options{}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.state)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v, want a file for its owner alone", info.Mode(), err)
	}
	_, s.Key, _ = s.Seller(t, "other")
	got, err := s.imports(t, stamps("A B", ""), Options{})
	if err != nil || got.Summary.Replayed != 0 || got.Summary.Published != 2 {
		t.Errorf("another account: %+v %v", got.Summary, err)
	}
	s.Key = s.LesserKey(t, permission.ItemsRead|permission.ItemsWrite)
	if got, err := s.imports(t, stamps("A B", ""), Options{}); err != nil || got.Summary.Accepted != 2 {
		t.Errorf("a key that may not read its account: %+v %v", got.Summary, err)
	}
}

// TestImportKilledAtEachStep ends the import at every step at which a program may end, and begins it again until it comes to its end: each
// row is listed once.
func TestImportKilledAtEachStep(t *testing.T) {
	for name, change := range map[string]func(run int, file string) string{
		"the same file": func(_ int, file string) string { return file },
		"a file that is corrected after each end": func(run int, file string) string {
			lines := strings.SplitAfter(file, "\n")
			at := 1 + (run*37)%(len(lines)-2)
			lines[at], lines[1] = lines[1], lines[at] // rows move from batch to batch
			return strings.Join(lines, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, plainly, roomy)
			const rows = 600
			file, steps := listings(rows), map[string]int{}
			for run := 1; ; run++ {
				if run > 100 {
					t.Fatal("the import does not come to its end")
				}
				im := s.importer(t, change(run, file), Options{})
				left := 1 + run*7%5
				im.Reached = func(step string) error {
					if left--; left == 0 {
						steps[step]++
						return errKilled
					}
					return nil
				}
				if err := im.Run(t.Context()); err == nil {
					break
				} else if !errors.Is(err, errKilled) {
					t.Fatal(err)
				}
			}
			for _, step := range []string{"planned", "sent", "settled", "final"} {
				if steps[step] == 0 {
					t.Errorf("no run was killed at %q", step)
				}
			}
			t.Logf("killed at %v", steps)
			if items, different := s.Count(t, "items", "1 = 1"), len(s.listed(t)); items != rows || different != rows {
				t.Errorf("%d items of %d rows, for %d rows", items, different, rows)
			}
		})
	}
}

// TestABatchThatMayBeDoneIsKeptWhateverRefusesIt ends an import before it sees the answer. The next one is refused for another reason,
// which says nothing about the batch; the third finishes it.
func TestABatchThatMayBeDoneIsKeptWhateverRefusesIt(t *testing.T) {
	for status, code := range map[int]string{401: "invalid_api_key", 403: "account_suspended", 409: "idempotency_key_in_progress", 429: "rate_limited"} {
		t.Run(code, func(t *testing.T) {
			var refusing atomic.Bool
			s := newShop(t, func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost && refusing.Load() {
						w.Header().Set("Retry-After", "3600")
						w.WriteHeader(status)
						fmt.Fprintf(w, `{"status_code":%d,"errors":[{"code":%q,"message":"No."}]}`, status, code)
						return
					}
					h.ServeHTTP(w, r)
				})
			}, roomy)
			im := s.importer(t, stamps("A B C", ""), Options{})
			im.Reached = func(step string) error {
				if step == "sent" {
					return errKilled
				}
				return nil
			}
			if err := im.Run(t.Context()); !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			refusing.Store(true)
			if _, err := s.imports(t, stamps("C A B X", ""), Options{}); err == nil || !strings.Contains(err.Error(), code) {
				t.Errorf("it says %v", err)
			}
			refusing.Store(false)
			if _, err := s.imports(t, stamps("C A B X", ""), Options{}); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{"A", "B", "C", "X"}, s.listed(t)); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
		})
	}
}

// TestImportOfAMemoryThatWasCutOff cuts the memory in the middle of its last line, as a crash does.
func TestImportOfAMemoryThatWasCutOff(t *testing.T) {
	s := newShop(t, plainly, roomy)
	im := s.importer(t, listings(150), Options{})
	im.Reached = func(step string) error {
		if step == "sent" {
			return errKilled
		}
		return nil
	}
	if err := im.Run(t.Context()); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.state)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.state, append(text, []byte(`{"to":"http`)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.imports(t, listings(150), Options{}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.imports(t, listings(150), Options{}); err != nil || got.Summary.Replayed != 150 {
		t.Errorf("%+v %v", got.Summary, err)
	}
	if items := s.Count(t, "items", "1 = 1"); items != 150 {
		t.Errorf("%d items for 150 rows", items)
	}
}

func TestImportAfterAResetOfTheSandbox(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, stamps("A B", ""), Options{}); err != nil {
		t.Fatal(err)
	}
	if answer := s.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/test/reset"}); answer.Status/100 != 2 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	for removed := 1; removed > 0; {
		var err error
		if removed, err = s.Service.ResetOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if items := s.Count(t, "items", "1 = 1"); items != 0 {
		t.Fatalf("%d items after the reset", items)
	}
	if got, err := s.imports(t, stamps("A B", ""), Options{}); err != nil || got.Summary.Published != 2 {
		t.Errorf("%+v %v", got.Summary, err)
	}
	if diff := cmp.Diff([]string{"A", "B"}, s.listed(t)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

func TestImportWithLostAnswers(t *testing.T) {
	var posts atomic.Int32
	s := newShop(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && posts.Add(1) == 1 {
				h.ServeHTTP(httptest.NewRecorder(), r) // the work is done,
				panic(http.ErrAbortHandler)            // and the connection breaks
			}
			h.ServeHTTP(w, r)
		})
	})
	got, err := s.imports(t, listings(3), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Summary{Rows: 3, Accepted: 3, Published: 3, Replayed: 3}, got.Summary); diff != "" {
		t.Error(diff)
	}
	if items := s.Count(t, "items", "1 = 1"); items != 3 {
		t.Errorf("there are %d items, want 3", items)
	}
}

func TestAMemoryThatIsTooOldIsAskedAbout(t *testing.T) {
	s := newShop(t, plainly, roomy)
	im := s.importer(t, listings(3), Options{})
	im.Reached = func(string) error { return errKilled }
	if err := im.Run(t.Context()); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	s.Clock.Advance(30 * 24 * time.Hour)
	want := fmt.Sprintf("it is too late to find out whether they were listed. Look for their items; then remove %s", s.state)
	if _, err := s.imports(t, listings(3), Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("it says %v", err)
	}
}

// TestOnlyOneImportUsesAMemory begins a second import at each step of the first, of which one row is refused: it sends nothing. With the
// first, the lock ends.
func TestOnlyOneImportUsesAMemory(t *testing.T) {
	s := newShop(t, plainly, roomy)
	file := strings.Replace(listings(250), servertest.Category, "999", 1)
	im := s.importer(t, file, Options{})
	began := 0
	im.Reached = func(string) error {
		began++
		got, err := s.imports(t, file, Options{})
		if err == nil || !strings.Contains(err.Error(), "another import") || got.Summary.Unsent != 250 {
			t.Errorf("the second import: %+v %v", got.Summary, err)
		}
		dry := s.importer(t, file, Options{})
		dry.DryRun = true
		if err := dry.Run(t.Context()); err != nil {
			t.Errorf("a dry run beside it: %v", err)
		}
		return nil
	}
	if err := im.Run(t.Context()); err != nil || began < 9 {
		t.Errorf("%d steps, %v", began, err)
	}
	if _, err := s.imports(t, file, Options{}); err != nil {
		t.Error(err)
	}
	if items, different := s.Count(t, "items", "1 = 1"), len(s.listed(t)); items != 249 || different != 249 {
		t.Errorf("%d items of %d rows, for 249 rows", items, different)
	}
}

// TestAnotherSpellingOfTheServiceIsTheSameService writes what was listed under one address, and reads it under another.
func TestAnotherSpellingOfTheServiceIsTheSameService(t *testing.T) {
	path := filepath.Join(t.TempDir(), "import.sellerd-state")
	line := `{"to":"HTTPS://Shop.Example:443 1 test","key":"a","at":"2026-10-05T12:00:00Z","rows":[{"id":"1","row":2}],"body":{}}` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]int{
		"https://shop.example 1 test": 1, "https://SHOP.example:443 1 test": 1, "https://shop.example:8443 1 test": 0, "http://shop.example 1 test": 0,
		"https://shop.example 1 live": 0, "https://shop.example 1 test autumn": 0,
	} {
		s := &state{path: path, byKey: map[string]*batch{}}
		if err := s.read(to); err != nil || len(s.batches) != want {
			t.Errorf("%s: %d batches, %v, want %d", to, len(s.batches), err, want)
		}
	}
}
