package importing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/sheet"
	"sellerd/v1"
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

// TestTheAccountHasACurrency imports a file without a column currency, twice.
func TestTheAccountHasACurrency(t *testing.T) {
	s := newShop(t, plainly, roomy)
	file := "title,reference,category_id,sale_type,price\nA,R-A," + servertest.Category + ",fixed_price,2.50\nB,R-B," + servertest.Category + ",fixed_price,£2.50\n"
	for _, replayed := range []int{0, 2} {
		im := s.importer(t, file, Options{})
		err := im.Run(t.Context())
		want := []string{"the file names no currency for 1 row: they are in EUR, the account's"}
		if diff := cmp.Diff(want, im.Report().Notes); diff != "" || err != nil || im.Report().Summary.Replayed != replayed {
			t.Errorf("%v %+v (-want +got):\n%s", err, im.Report().Summary, diff)
		}
	}
}

// TestRefusalsOfTheServiceNameColumnsAndValuesOfTheFile renames columns, and has values that only the service can refuse.
func TestRefusalsOfTheServiceNameColumnsAndValuesOfTheFile(t *testing.T) {
	s := newShop(t, plainly, roomy)
	got, err := s.imports(t, "Name,Cat.,Sale Type,Variant Price,Money,Photo\nA,1010101,fixed_price,0,EUR,\nB,999999999,fixed_price,1,EUR,\nC,1010101,fixed_price,1,JPY,ftp://a.test/1.jpg ftp://a.test/2.jpg\nD,stamps,fixed_price,1,EUR,\n",
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
	want := []string{`2 Variant Price "0"`, `3 Cat. "999999999"`, `4 Money "JPY"`, `4 Photo "ftp://a.test/1.jpg"`, `4 Photo "ftp://a.test/2.jpg"`, `5 Cat. "stamps"`}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	advice := "A category is its number alone, such as 1010101. `sellerd categories` finds it by words."
	if problems := got.Rows[3].Problems; len(problems) != 1 || problems[0].Message != advice {
		t.Errorf("of a category by its name it says %v", problems)
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

// errKilled stands for the end of the program.
var errKilled = errors.New("killed")

// TestRowsThatPublicationRejectedAreSentAgain lists a row whose picture cannot be fetched at first.
func TestRowsThatPublicationRejectedAreSentAgain(t *testing.T) {
	s := newShop(t, plainly, roomy)
	good, lost := s.ImageURL(t, "stamp-01.png"), s.ImageURL(t, "outcome/missing.jpg")
	file := strings.Replace(header, "\n", ",images\n", 1) + "A,R-A," + servertest.Category + ",fixed_price,2.50,EUR," + lost + "\n"
	for i := range 3 {
		im := s.importer(t, file, Options{})
		im.Wait = i > 0 // the first run does not see the rejection
		err := im.Run(t.Context())
		if i == 0 {
			s.Publish(t)
			continue
		}
		if diff := cmp.Diff([]string{"2 R-A rejected images_unreachable"}, outcomes(im.Report())); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		want := "rejected before, and now tried again: 1 row (row 2: None of the images could be used, so the item was not published. (images_unreachable))"
		if diff := cmp.Diff([]string{want}, im.notes); diff != "" {
			t.Errorf("notes (-want +got):\n%s", diff)
		}
	}
	more := header + "B,7," + servertest.Category + ",fixed_price,2.50,EUR\n"
	if _, err := s.imports(t, more, Options{}); err != nil {
		t.Fatal(err)
	}
	dry, asked := s.importer(t, file, Options{}), s.importer(t, file+"B,07,"+servertest.Category+",fixed_price,2.50,EUR,\n", Options{})
	dry.DryRun = true
	if err := dry.Run(t.Context()); err != nil || dry.notes != nil {
		t.Errorf("a dry run: %v, notes %q", err, dry.notes)
	}
	if err := asked.Run(t.Context()); err == nil || asked.notes != nil {
		t.Errorf("a question: %v, notes %q", err, asked.notes)
	}
	got, err := s.imports(t, strings.Replace(file, lost, good, 1), Options{})
	if diff := cmp.Diff([]string{"2 R-A published"}, outcomes(got)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestTheWaitForListingsGoesOnWhileSomeArePublished shows the outcomes of two batches later than they are there: those of the second one
// after more than the longest wait, or never.
func TestTheWaitForListingsGoesOnWhileSomeArePublished(t *testing.T) {
	for _, c := range []struct {
		second, least, most time.Duration
		why                 string
	}{
		{20 * time.Minute, 20 * time.Minute, 21 * time.Minute, ""},
		{24 * time.Hour, 26 * time.Minute, 27 * time.Minute, "rows are sent and not published, and the service has published none of them " +
			"for 16 minutes. Run the same command again later: nothing is listed twice"},
	} {
		slept, first := time.Duration(0), ""
		s := newShop(t, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				id, asked := strings.CutPrefix(r.URL.Path, "/v1/item-batches/")
				if asked && first == "" {
					first = id
				}
				if !asked || id == first && slept >= 10*time.Minute || slept >= c.second {
					h.ServeHTTP(w, r)
					return
				}
				answer := httptest.NewRecorder()
				r.Header.Del("Accept-Encoding") // so that the answer can be read
				h.ServeHTTP(answer, r)
				text := regexp.MustCompile(`"status": *"published"`).ReplaceAllString(answer.Body.String(), `"status":"pending"`)
				fmt.Fprint(w, text)
			})
		}, roomy)
		im := s.importer(t, listings(150), Options{})
		publish := im.Client.Sleep
		im.Client.Sleep = func(ctx context.Context, wait time.Duration) error {
			slept += wait
			return publish(ctx, wait)
		}
		err := im.Run(t.Context())
		if got := strings.TrimSuffix(fmt.Sprint(err), "<nil>"); got != c.why {
			t.Errorf("it ends with %s", got)
		}
		if slept < c.least || slept > c.most {
			t.Errorf("it waited for %s", slept)
		}
		if got, want := im.Report().Summary.Published, map[bool]int{true: 150, false: 100}[c.why == ""]; got != want {
			t.Errorf("published %d", got)
		}
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
		{Rows: 250, Accepted: 103, Published: 103, Unsent: 147},
		{Rows: 250, Accepted: 206, Published: 206, Replayed: 103, Unsent: 44},
		{Rows: 250, Accepted: 250, Published: 250, Replayed: 206},
	} {
		got, err := s.imports(t, file, Options{})
		const advice = "\nWait until midnight UTC, and run the same command again: nothing is listed twice"
		if day < 2 && (err == nil || !strings.Contains(err.Error(), "daily_item_limit_reached") || !strings.HasSuffix(err.Error(), advice)) {
			t.Errorf("day %d: the import ended with %v, want it to name the limit and what to do", day, err)
		}
		if diff := cmp.Diff(want, got.Summary); diff != "" {
			t.Errorf("day %d (-want +got):\n%s", day, diff)
		}
		why := "The store takes no more rows now. Wait until midnight UTC, and run the same command again."
		for _, row := range got.Rows {
			if row.Outcome == Unsent && (len(row.Problems) != 1 || row.Problems[0].Message != why) {
				t.Errorf("day %d: row %d was not sent: %v", day, row.Row, row.Problems)
			}
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

// TestMistakesBeyondTheDailyLimit: an answer that refuses a batch for the limit has the mistakes of single rows, too.
func TestMistakesBeyondTheDailyLimit(t *testing.T) {
	s := newShop(t, plainly, func(c *v1.Config) { c.NewItemsPerDay = 1 })
	if _, err := s.imports(t, stamps("A", "R-"), Options{}); err != nil {
		t.Fatal(err)
	}
	got, err := s.imports(t, stamps("B", "S-")+"C,R-C,1010101,fixed_price,,EUR\n", Options{})
	if err == nil || !strings.Contains(err.Error(), "daily_item_limit_reached") || strings.Contains(err.Error(), "missing_field") {
		t.Errorf("the import ended with %v", err)
	}
	if diff := cmp.Diff([]string{"2 S-B unsent daily_item_limit_reached", "3 R-C refused missing_field price"}, outcomes(got)); diff != "" {
		t.Error(diff)
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

// TestDryRunKnowsTheLimits tells a seller that a file has more rows than the store may list today.
func TestDryRunKnowsTheLimits(t *testing.T) {
	s := newShop(t, plainly, func(c *v1.Config) { c.NewItemsPerDay, c.OpenItems = 2, 1 })
	im := s.importer(t, stamps("A B C", "R-"), Options{})
	im.DryRun = true
	if err := im.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"the store's limit has room for 1 row, and 3 would be listed", "the store's limit has room for 2 rows until midnight UTC, and 3 would be listed",
	}
	if diff := cmp.Diff(want, im.Report().Notes); diff != "" {
		t.Error(diff)
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
