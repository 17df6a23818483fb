package importing

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/sheet"
	"sellerd/v1"
	"sellerd/v1/permission"
)

// TestImportOfACorrectedFile imports a file, and then the file as its seller has changed it.
func TestImportOfACorrectedFile(t *testing.T) {
	first := stamps("A B C", "R-")
	bare := stamps("A B C", "")
	for _, test := range []struct {
		name, first, second string
		o                   Options
		want                []string // outcomes of the second import
		listed              []string
	}{
		{"as it was", first, first, Options{}, []string{"2 R-A published", "3 R-B published", "4 R-C published"}, []string{"A", "B", "C"}},
		{
			"with a row before the others", first, stamps("X A B C", "R-"),
			Options{},
			[]string{"2 R-X published", "3 R-A published", "4 R-B published", "5 R-C published"},
			[]string{"A", "B", "C", "X"},
		},
		{
			"with a row less", first, stamps("A C", "R-"), Options{}, []string{"2 R-A published", "3 R-C published"}, []string{"A", "B", "C"},
		},
		{
			"with rows swapped", first, stamps("C B A", "R-"), Options{}, []string{"2 R-C published", "3 R-B published", "4 R-A published"}, []string{"A", "B", "C"},
		},
		{
			"with another price", first, strings.Replace(first, "R-B,1010101,fixed_price,2.50", "R-B,1010101,fixed_price,9.50", 1),
			Options{},
			[]string{"2 R-A published", "3 R-B known personal_reference", "4 R-C published"},
			[]string{"A", "B", "C"},
		},
		{
			"with a column more, which is empty", first, strings.ReplaceAll(first, "\n", ",\n"),
			Options{IgnoreUnknown: true},
			[]string{"2 R-A published", "3 R-B published", "4 R-C published"},
			[]string{"A", "B", "C"},
		},
		{
			"with a weight for each", first, strings.Replace(strings.ReplaceAll(first, "EUR\n", "EUR,20\n"), "currency\n", "currency,weight_grams\n", 1),
			Options{},
			[]string{"2 R-A known personal_reference", "3 R-B known personal_reference", "4 R-C known personal_reference"},
			[]string{"A", "B", "C"},
		},
		{
			"saved anew, with other separators, line ends and commas", first, "\ufeff" + strings.NewReplacer(",", ";", "\n", "\r\n", "2.50", "2,5", "EUR", " eur ").Replace(first),
			Options{},
			[]string{"2 R-A published", "3 R-B published", "4 R-C published"},
			[]string{"A", "B", "C"},
		},
		{
			"without references, with a row more", bare, stamps("A X B C", ""),
			Options{},
			[]string{"2 published", "3 published", "4 published", "5 published"},
			[]string{"A", "B", "C", "X"},
		},
		{
			"without references, with an equal row more", bare, stamps("A A B C", ""),
			Options{},
			[]string{"2 published", "3 published", "4 published", "5 published"},
			[]string{"A ×2", "B", "C"},
		},
		{
			"with the same rows on purpose", first, first, Options{Run: "again"}, []string{"2 R-A published", "3 R-B published", "4 R-C published"}, []string{"A ×2", "B ×2", "C ×2"},
		},
		{
			"with another item of the same reference, on purpose", first, strings.Replace(first, "C,R-C", "X,R-C", 1),
			Options{AllowDuplicates: true},
			[]string{"2 R-A published", "3 R-B published", "4 R-C published"},
			[]string{"A", "B", "C", "X"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, plainly, roomy)
			if _, err := s.imports(t, test.first, Options{}); err != nil {
				t.Fatal(err)
			}
			got, err := s.imports(t, test.second, test.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Join(test.want, "\n"), strings.Join(outcomes(got), "\n")); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.listed, s.listed(t)); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChangedRowsWithoutAReferenceAreAskedAbout(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, stamps("A B", ""), Options{}); err != nil {
		t.Fatal(err)
	}
	im := s.importer(t, stamps("A X", ""), Options{})
	im.Name = "renamed"
	err := im.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "new without a reference: 1 row; listed before and no longer in the file: 1 row.") {
		t.Errorf("it says %v", err)
	}
	if diff := cmp.Diff([]string{"A", "B"}, s.listed(t)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// TestRowsThatAreLikeListedOnesAreAskedAbout imports a file, and then the file with references that were changed or lost.
func TestRowsThatAreLikeListedOnesAreAskedAbout(t *testing.T) {
	named := stamps("A B C", "R-")
	for _, test := range []struct {
		name, first, second, file string
		want                      string // the question
		value                     string // of the first row with a question
	}{
		{"zeros are lost", stamps("A B", "00"), stamps("A B", "0"), "listings", `Is this the same piece as row 2 of listings, which was listed with the reference "00A"?`, "0A"},
		{"zeros are lost, and the price is another", stamps("7", "00"), strings.Replace(stamps("7", ""), "7,,1010101,fixed_price,2.50", "7,7,1010101,fixed_price,9.50", 1), "listings", `which was listed with the reference "007"?`, "7"},
		{"references are added", stamps("A B", ""), stamps("A B", "R-"), "listings", "which was listed without a reference?", "R-A"},
		{"references are removed", named, stamps("A B C", ""), "listings", `which was listed with the reference "R-A"?`, ""},
		{"the column is removed", named, "title,category_id,sale_type,price,currency\nA," + servertest.Category + ",fixed_price,2.50,EUR\n", "x", `which was listed with the reference "R-A"?`, ""},
		{"one is corrected", named, strings.Replace(named, "R-C", "S-C", 1), "other", `row 4 of listings, which was listed with the reference "R-C"?`, "S-C"},
		{"case, and another title", named, strings.Replace(named, "C,R-C", "D,r-c", 1), "listings", `which was listed with the reference "R-C"?`, "r-c"},
		{"a blank within", stamps("A", "R "), strings.Replace(stamps("A", "R "), "R A", "R\u00a0A", 1), "listings", `which was listed with the reference "R A"?`, "R A"},
		{"the form of letters", stamps("A", "\ufb01"), stamps("A", "fi"), "listings", "which was listed with the reference \"\ufb01A\"?", "fiA"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, plainly, roomy)
			if _, err := s.imports(t, test.first, Options{}); err != nil {
				t.Fatal(err)
			}
			before := s.listed(t)
			im := s.importer(t, test.second, Options{})
			im.Name = test.file
			if err := im.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "Nothing was sent, so that nothing is listed twice.") {
				t.Errorf("it says %v", err)
			}
			if diff := cmp.Diff(before, s.listed(t)); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
			asked := ""
			for _, row := range im.File.Rows {
				if asked == "" && row.Problems != nil {
					asked = row.Problems[0].Message
					if row.Problems[0].Value != test.value {
						t.Errorf("the value is %q", row.Problems[0].Value)
					}
				}
			}
			if !strings.Contains(asked, test.want) {
				t.Errorf("it asks %q", asked)
			}
			if got, err := s.imports(t, test.second, Options{AllowDuplicates: true}); err != nil || got.Summary.Accepted != got.Summary.Rows {
				t.Errorf("with --allow-duplicates: %+v %v", got.Summary, err)
			}
		})
	}
}

func TestAnotherRowWithEqualValuesIsListed(t *testing.T) {
	s := newShop(t, plainly, roomy)
	file := strings.ReplaceAll(stamps("1 2", "R-"), "\n2,", "\n1,")
	more := file + "1,R-3," + servertest.Category + ",fixed_price,2.50,EUR\n"
	for _, file := range []string{file, more} {
		if _, err := s.imports(t, file, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"1 ×3"}, s.listed(t)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// TestTheAccountHasACurrency imports a file without a column currency, twice.
func TestTheAccountHasACurrency(t *testing.T) {
	s := newShop(t, plainly, roomy)
	file := "title,reference,category_id,sale_type,price\nA,R-A," + servertest.Category + ",fixed_price,2.50\nB,R-B," + servertest.Category + ",fixed_price,£2.50\n"
	for _, replayed := range []int{0, 2} {
		im := s.importer(t, file, Options{})
		err := im.Run(t.Context())
		want := []string{"the file names no currency for 1 row: they are in EUR, the account's"}
		if diff := cmp.Diff(want, im.Notes()); diff != "" || err != nil || im.Report().Summary.Replayed != replayed {
			t.Errorf("%v %+v (-want +got):\n%s", err, im.Report().Summary, diff)
		}
	}
}

// TestRefusalsOfTheServiceNameColumnsAndValuesOfTheFile renames columns, and has values that only the service can refuse.
func TestRefusalsOfTheServiceNameColumnsAndValuesOfTheFile(t *testing.T) {
	s := newShop(t, plainly, roomy)
	got, err := s.imports(t, "Name,Cat.,Sale Type,Variant Price,Money,Photo\nA,1010101,fixed_price,0,EUR,\nB,999999999,fixed_price,1,EUR,\nC,1010101,fixed_price,1,JPY,ftp://a.test/1.jpg ftp://a.test/2.jpg\n",
		Options{Columns: []string{"Name=title", "Cat.=category_id", "Variant Price=price", "Money=currency", "Photo=images"}})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, row := range got.Rows {
		for _, p := range row.Problems {
			said = append(said, fmt.Sprintf("%d %s %q", row.Row, p.Field, p.Value))
		}
	}
	want := []string{`2 Variant Price "0"`, `3 Cat. "999999999"`, `4 Money "JPY"`, `4 Photo "ftp://a.test/1.jpg ftp://a.test/2.jpg"`}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestACorrectedFileOfAnotherName saves the corrected file under another name in the same folder.
func TestACorrectedFileOfAnotherName(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, strings.Replace(stamps("A B C", ""), "B,,1010101", "B,,1010102x", 1), Options{}); err != nil {
		t.Fatal(err)
	}
	im := s.importer(t, stamps("A B C D", ""), Options{})
	im.Name = "corrected"
	if err := im.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Summary{Rows: 4, Accepted: 4, Published: 4, Replayed: 2}, im.Report().Summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"A", "B", "C", "D"}, s.listed(t)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

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

// errKilled stands for the end of the program.
var errKilled = errors.New("killed")

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

// TestRowsThatPublicationRejectedAreSentAgain lists a row whose picture cannot be fetched at first.
func TestRowsThatPublicationRejectedAreSentAgain(t *testing.T) {
	s := newShop(t, plainly, roomy)
	good, lost := s.ImageURL(t, "stamp-01.png"), s.ImageURL(t, "outcome/missing.jpg")
	file := strings.Replace(header, "\n", ",images\n", 1) + "A,R-A," + servertest.Category + ",fixed_price,2.50,EUR," + lost + "\n"
	for range 2 {
		got, err := s.imports(t, file, Options{})
		if diff := cmp.Diff([]string{"2 R-A rejected images_unreachable"}, outcomes(got)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	got, err := s.imports(t, strings.Replace(file, lost, good, 1), Options{})
	if diff := cmp.Diff([]string{"2 R-A published"}, outcomes(got)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestImportOfRowsThatAreAllWrong(t *testing.T) {
	s := newShop(t, plainly)
	got, err := s.imports(t, header+"A,R-1,1010101,fixed_price,free,EUR\n,R-2,1010101,auction,2.00,EUR\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"2 R-1 refused invalid_value price", "3 R-2 refused missing_field title missing_field starting_price conflicting_fields price",
	}
	if diff := cmp.Diff(want, outcomes(got)); diff != "" {
		t.Error(diff)
	}
	if err := got.NoOutcome(true); err != nil {
		t.Errorf("every row has its outcome, and yet: %v", err)
	}
}

func TestImportBeyondTheDailyLimit(t *testing.T) {
	s := newShop(t, plainly, func(c *v1.Config) { c.NewItemsPerDay = 103 })
	file := listings(250)
	for day, want := range []Summary{
		{Rows: 250, Accepted: 103, Pending: 103, Unsent: 147},
		{Rows: 250, Accepted: 206, Published: 103, Pending: 103, Replayed: 103, Unsent: 44},
		{Rows: 250, Accepted: 250, Published: 250, Replayed: 206},
	} {
		got, err := s.imports(t, file, Options{})
		if day < 2 && (err == nil || !strings.Contains(err.Error(), "daily_item_limit_reached")) {
			t.Errorf("day %d: the import ended with %v, want it to name the limit", day, err)
		}
		if diff := cmp.Diff(want, got.Summary); diff != "" {
			t.Errorf("day %d (-want +got):\n%s", day, diff)
		}
		if (got.NoOutcome(true) == nil) != (day == 2) {
			t.Errorf("day %d: %v", day, got.NoOutcome(true))
		}
		s.Publish(t)
		s.Clock.Advance(24 * time.Hour)
	}
	if submissions := s.Count(t, "submissions", "1 = 1"); submissions != 250 {
		t.Errorf("there are %d submissions for 250 rows", submissions)
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

// TestDryRunOfListings asks the service for each row, and leaves nothing behind.
func TestDryRunOfListings(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, stamps("A", "R-"), Options{}); err != nil {
		t.Fatal(err)
	}
	before := s.Fingerprint(t)
	memory, err := os.ReadFile(s.state)
	if err != nil {
		t.Fatal(err)
	}
	im := s.importer(t, stamps("A B", "R-")+"C,R-C,999999999,fixed_price,2.50,EUR\nD,R-D,1010101,fixed_price,free,EUR\n", Options{})
	im.DryRun = true
	if err := im.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"2 R-A published", "3 R-B valid", "4 R-C refused unknown_category category_id", "5 R-D refused invalid_value price"}
	if diff := cmp.Diff(want, outcomes(im.Report())); diff != "" {
		t.Error(diff)
	}
	if err := im.Report().NoOutcome(true); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, s.Fingerprint(t)); diff != "" {
		t.Error("the dry run has changed the database")
	}
	if now, err := os.ReadFile(s.state); err != nil || string(now) != string(memory) {
		t.Errorf("the dry run has changed the memory: %v", err)
	}
}

func TestRequestsHoldSoManyRowsAndBytes(t *testing.T) {
	file, err := Read([]byte(listings(250)), Options{Options: sheet.Options{}})
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, rows := range split(file.Rows) {
		sizes = append(sizes, len(rows))
	}
	if diff := cmp.Diff([]int{100, 100, 50}, sizes); diff != "" {
		t.Error(diff)
	}
	for _, row := range file.Rows {
		row.item = []byte(strings.Repeat(" ", 50_000))
	}
	total := 0
	for _, rows := range split(file.Rows) {
		total += len(rows)
		if n := len(bodyOf("items", rows)); n > maxBytes {
			t.Errorf("a body has %d bytes", n)
		}
	}
	if total != 250 {
		t.Errorf("the requests hold %d of 250 rows", total)
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
