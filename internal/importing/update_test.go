package importing

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

var changes = Options{Update: true}

// prices are the items in short.
func (s *shop) prices(t *testing.T) (all []string) {
	t.Helper()
	s.EachRow(t, "SELECT personal_reference, price, quantity, status, sequence FROM items ORDER BY personal_reference", func(values []any) {
		all = append(all, strings.TrimSpace(fmt.Sprintln(values...)))
	})
	return all
}

// rehearse reports what a file of changes would do.
func (s *shop) rehearse(t *testing.T, file string) Report {
	t.Helper()
	im := s.importer(t, file, changes)
	im.DryRun = true
	if err := im.Run(t.Context()); err != nil {
		t.Error(err)
	}
	return im.Report()
}

func TestAFileOfChanges(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, stamps("0 1 2 3 4 5 6 7", "R-"), Options{}); err != nil {
		t.Fatal(err)
	}
	id := ""
	s.EachRow(t, "SELECT id FROM items WHERE personal_reference = 'R-4'", func(values []any) { id = fmt.Sprint(values[0]) })
	file := "reference,item_id,price,currency,quantity,close,title\n" +
		"R-0,,\"3,50 €\",,,,\n" +
		"R-1,,4.00,EUR,7,no,Stamp of 1849\n" +
		"R-2,,9.00,,,Sold elsewhere,\n" +
		"R-3,,free,,,,\n" +
		"," + id + ",,,3,,\n" +
		"R-5,,,,,,\n" +
		"R-9,,1.00,,,,\n" +
		"R-6,,,,,maybe,\n" +
		"R-7,,\"2,5\",,1,,7\n"
	want := []string{
		"2 R-0 changed", "3 R-1 changed", "4 R-2 changed", "5 R-3 refused invalid_value price", "6 changed", "7 R-5 same",
		"8 R-9 refused item_not_found", "9 R-6 refused invalid_value close", "10 R-7 same",
	}
	before := s.prices(t)
	dry := s.rehearse(t, file)
	for i, want := range []string{"price: 2.50 EUR becomes 3.50 EUR", "price: 2.50 EUR becomes 4.00 EUR", ""} {
		var csv bytes.Buffer
		if err := dry.writeCSV(&csv); err != nil || dry.Rows[i].Amounts != want || !strings.Contains(csv.String(), ","+want+"\n") {
			t.Errorf("row %d: %v %q, want %q in\n%s", i+2, err, dry.Rows[i].Amounts, want, csv.String())
		}
	}
	if diff := cmp.Diff(strings.ReplaceAll(strings.Join(want, "\n"), "changed", "valid"), strings.Join(outcomes(dry), "\n")); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, s.prices(t)); diff != "" || dry.Summary.Valid != 4 {
		t.Errorf("the dry run has changed something:\n%s", diff)
	}
	for _, summary := range []Summary{{Rows: 9, Changed: 4, Same: 2, Refused: 3}, {Rows: 9, Same: 6, Refused: 3}} {
		report, err := s.imports(t, file, changes)
		if diff := cmp.Diff(summary, report.Summary); diff != "" || err != nil {
			t.Errorf("%v: summary (-want +got):\n%s", err, diff)
		}
		if summary.Changed > 0 {
			if diff := cmp.Diff(want, outcomes(report)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		after := []string{
			"R-0 350 1 open 2", "R-1 400 7 open 2", "R-2 250 1 closed 2", "R-3 250 1 open 1", "R-4 250 3 open 2", "R-5 250 1 open 1", "R-6 250 1 open 1",
			"R-7 250 1 open 1",
		}
		if diff := cmp.Diff(after, s.prices(t)); diff != "" {
			t.Errorf("items (-want +got):\n%s", diff)
		}
		var out bytes.Buffer
		report.Print(&out, 0)
		if !strings.Contains(out.String(), fmt.Sprintf("changed              %7d", summary.Changed)) || strings.Contains(out.String(), "published") {
			t.Errorf("the report says\n%s", out.String())
		}
	}
}

// TestAFileOfChangesIsAppliedEachTime applies prices, quantities, pictures and closings A, B and A again.
func TestAFileOfChangesIsAppliedEachTime(t *testing.T) {
	s := newShop(t, plainly, roomy)
	picture := s.ImageURL(t, "stamp-01.png")
	if _, err := s.imports(t, stamps("0", "R-"), Options{}); err != nil {
		t.Fatal(err)
	}
	state := func() string {
		found := servertest.Into[struct {
			Results []struct {
				Price struct {
					Amount string `json:"amount"`
				} `json:"price"`
				Quantity int   `json:"quantity"`
				Images   []any `json:"images"`
			} `json:"results"`
		}](t, s.Do(t, servertest.Request{Path: "/v1/items?personal_reference=R-0"})).Results
		if len(found) != 1 {
			t.Fatalf("%d items", len(found))
		}
		return fmt.Sprint(found[0].Price.Amount, " ", found[0].Quantity, " ", len(found[0].Images))
	}
	a := "reference;price;quantity;images\nR-0;1,00;3;" + picture + "\n"
	b := "reference;price;quantity;images\nR-0;2,00;4;" + picture + " " + s.ImageURL(t, "stamp-02.png") + "\n"
	for i, file := range []string{a, b, a, b, b} {
		want := map[string]string{a: "1.00 3 1", b: "2.00 4 2"}[file]
		report, err := s.imports(t, file, changes)
		if err != nil || report.Summary.Changed+report.Summary.Same != 1 || report.Summary.Same != i/4 {
			t.Errorf("file %d: %+v %v", i, report.Summary, err)
		}
		if got := state(); got != want {
			t.Errorf("after file %d the item is %s, not %s", i, got, want)
		}
	}
	shut := "reference,close\nR-0,sold_elsewhere\n"
	for _, want := range []Summary{{Rows: 1, Changed: 1}, {Rows: 1, Same: 1}} {
		report, err := s.imports(t, shut, changes)
		if diff := cmp.Diff(want, report.Summary); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// TestPicturesOfChangedItemsAreWaitedFor gives items pictures that cannot be fetched. The same file is sent again until they are ready.
func TestPicturesOfChangedItemsAreWaitedFor(t *testing.T) {
	var asked, tries atomic.Int64
	s := newShop(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/items" {
				asked.Add(1)
			}
			h.ServeHTTP(w, r)
		})
	}, roomy)
	good, lost := s.ImageURL(t, "stamp-01.png"), s.ImageURL(t, "outcome/missing.jpg")
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries.Add(1) == 1 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		http.Redirect(w, r, good, http.StatusFound)
	}))
	defer slow.Close()
	if _, err := s.imports(t, stamps("0 1 2 3", "R-"), Options{}); err != nil {
		t.Fatal(err)
	}
	file := "reference;price;images\nR-0;2,50;" + good + "\nR-1;2,50;" + good + " " + lost + "\n" +
		"R-2;2,50;" + slow.URL + "/later.png\nR-3;9,00;\n"
	const unreachable = " image_unreachable images"
	for i, test := range []struct {
		want []string
		asks int64 // for the items of all rows, and for their pictures before and after they are fetched
	}{
		{[]string{"2 R-0 changed", "3 R-1 changed" + unreachable, "4 R-2 changed" + unreachable, "5 R-3 changed"}, 3},
		{[]string{"2 R-0 same", "3 R-1 changed" + unreachable, "4 R-2 changed", "5 R-3 same"}, 3},
		{[]string{"2 R-0 same", "3 R-1 changed" + unreachable, "4 R-2 same", "5 R-3 same"}, 3},
	} {
		asked.Store(0)
		report, err := s.imports(t, file, changes)
		if diff := cmp.Diff(test.want, outcomes(report)); diff != "" || err != nil {
			t.Errorf("%d: %v (-want +got):\n%s", i, err, diff)
		}
		if n := asked.Load(); n != test.asks {
			t.Errorf("%d: it asked for items %d times, want %d", i, n, test.asks)
		}
		want := Problem{Code: "image_unreachable", Field: "images", Value: lost, Message: "Picture 2: The image could not be fetched."}
		if diff := cmp.Diff([]Problem{want}, report.Rows[1].Problems); diff != "" || report.Summary.Lacking == 0 {
			t.Errorf("%d: %+v (-want +got):\n%s", i, report.Summary, diff)
		}
	}
	im := s.importer(t, file, changes)
	im.Wait = false
	asked.Store(0)
	err := im.Run(t.Context())
	if row := im.File.Rows[1]; err != nil || row.Outcome != Changed || row.Problems != nil || asked.Load() != 1 {
		t.Errorf("without waiting: %v, %+v after %d requests", err, row, asked.Load())
	}
}

// TestPicturesThatAreOnTheirWayAreNotSentAgain applies a file before its pictures are fetched, and when nothing is on sale any more.
func TestPicturesThatAreOnTheirWayAreNotSentAgain(t *testing.T) {
	var sent atomic.Int64
	s := newShop(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/item-changes" {
				sent.Add(1)
			}
			h.ServeHTTP(w, r)
		})
	}, roomy)
	if _, err := s.imports(t, stamps("0 1", "R-"), Options{}); err != nil {
		t.Fatal(err)
	}
	file := "reference,images\nR-0," + s.ImageURL(t, "outcome/missing.jpg") + "\nR-1," + s.ImageURL(t, "stamp-01.png") + "\n"
	run := func(wait, dry bool, file string, requests int64, want ...string) {
		t.Helper()
		sent.Store(0)
		im := s.importer(t, file, changes)
		im.Wait, im.DryRun = wait, dry
		err := im.Run(t.Context())
		if diff := cmp.Diff(want, outcomes(im.Report())); diff != "" || err != nil || sent.Load() != requests {
			t.Errorf("%v after %d calls with changes, want %d (-want +got):\n%s", err, sent.Load(), requests, diff)
		}
	}
	run(false, false, file, 1, "2 R-0 changed", "3 R-1 changed")
	run(false, false, file, 0, "2 R-0 same", "3 R-1 same")
	run(true, true, file, 0, "2 R-0 same", "3 R-1 same")
	run(true, false, file, 0, "2 R-0 same image_unreachable images", "3 R-1 same")
	run(false, false, "reference,close\nR-0,yes\n", 1, "2 R-0 changed")
	run(true, false, file, 0, "2 R-0 same", "3 R-1 same")
}

// late gives 150 items, two requests' worth, pictures that are lost, and pending until the importer has slept so long. The second call with
// changes is refused if the second wait is 0.
func late(t *testing.T, first, second time.Duration) (im *Importer, slept *time.Duration) {
	t.Helper()
	slept = new(time.Duration)
	calls := 0
	s := newShop(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/item-changes" {
				if calls++; calls == 2 && second == 0 {
					w.WriteHeader(http.StatusForbidden)
					fmt.Fprint(w, `{"status_code":403,"errors":[{"code":"account_suspended","message":"No."}]}`)
					return
				}
			}
			ids := strings.Count(r.URL.Query().Get("id"), ",") + 1
			if ids == 1 || *slept >= map[int]time.Duration{100: first, 50: second}[ids] {
				h.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			r.Header.Del("Accept-Encoding") // so that the answer can be read
			h.ServeHTTP(answer, r)
			text := regexp.MustCompile(`"status": *"failed"`).ReplaceAllString(answer.Body.String(), `"status":"pending"`)
			maps.Copy(w.Header(), answer.Header())
			w.Header().Del("Content-Length")
			fmt.Fprint(w, text)
		})
	}, roomy)
	if _, err := s.imports(t, listings(150), Options{}); err != nil {
		t.Fatal(err)
	}
	file := strings.Builder{}
	file.WriteString("reference,images\n")
	for i := range 150 {
		fmt.Fprintf(&file, "R-Stamp-%04d,%s\n", i, s.ImageURL(t, "outcome/missing.jpg"))
	}
	im = s.importer(t, file.String(), changes)
	publish := im.Client.Sleep
	im.Client.Sleep = func(ctx context.Context, wait time.Duration) error {
		*slept += wait
		return publish(ctx, wait)
	}
	return im, slept
}

// TestTheWaitForPicturesGoesOnWhileSomeAreFetched has pictures that are fetched after more than the longest wait for none.
func TestTheWaitForPicturesGoesOnWhileSomeAreFetched(t *testing.T) {
	im, slept := late(t, 8*time.Minute, 17*time.Minute)
	if err := im.Run(t.Context()); err != nil || *slept < 17*time.Minute || *slept > 18*time.Minute {
		t.Errorf("after %s: %v", *slept, err)
	}
	if got := im.Report().Summary; got.Lacking != 150 {
		t.Errorf("%+v", got)
	}
	im, slept = late(t, time.Minute, 24*time.Hour)
	err := im.Run(t.Context())
	if err == nil || err.Error() != "the items are changed, and the service has not fetched the pictures of 50 rows" {
		t.Errorf("it ends with %v", err)
	}
	if *slept < 17*time.Minute || *slept > 18*time.Minute {
		t.Errorf("it waited for %s", *slept)
	}
}

// TestPicturesOfRowsBeforeAFailureAreWaitedFor refuses the second call with changes.
func TestPicturesOfRowsBeforeAFailureAreWaitedFor(t *testing.T) {
	im, _ := late(t, 0, 0)
	err := im.Run(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "the rows 102 to 151: the service answered 403") {
		t.Errorf("it ends with %v", err)
	}
	if got := im.Report().Summary; got.Lacking != 100 || got.Unsent != 50 {
		t.Errorf("%+v", got)
	}
}

// TestPicturesThatAreNeverFetchedEndTheWait changes pictures while the service fetches none.
func TestPicturesThatAreNeverFetchedEndTheWait(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, listings(150), Options{}); err != nil {
		t.Fatal(err)
	}
	file := strings.Builder{}
	file.WriteString("reference,images\n")
	for i := range 150 {
		fmt.Fprintf(&file, "R-Stamp-%04d,%s\n", i, s.ImageURL(t, "stamp-01.png"))
	}
	im := s.importer(t, file.String(), changes)
	slept := time.Duration(0)
	im.Client.Sleep = func(_ context.Context, wait time.Duration) error {
		slept += wait
		return nil
	}
	err := im.Run(t.Context())
	if err == nil || err.Error() != "the items are changed, and the service has not fetched the pictures of 150 rows" {
		t.Errorf("it ends with %v", err)
	}
	if slept < awaitAtMost || slept > awaitAtMost+longestWait {
		t.Errorf("it waited for %s", slept)
	}
	if got := im.Report().Summary; got.Changed != 150 {
		t.Errorf("%+v", got)
	}
}

func TestTwoRowsForOneItemAreRefused(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, stamps("0 1", "R-"), Options{}); err != nil {
		t.Fatal(err)
	}
	id := ""
	s.EachRow(t, "SELECT id FROM items WHERE personal_reference = 'R-1'", func(values []any) { id = fmt.Sprint(values[0]) })
	file, err := Read([]byte("reference,price\nR-0,9.00\nR-1,8.00\nR-0,7.00\n"), changes)
	if err != nil || file.Wrong() != 1 || file.Rows[2].Problems[0].Message != "Row 2 changes the same item. Keep one of them." {
		t.Errorf("%v, %+v", err, file.Rows[2])
	}
	report, err := s.imports(t, "reference,item_id,price\nR-1,,8.00\n,"+id+",9.00\n", changes)
	if diff := cmp.Diff([]string{"2 R-1 changed", "3 refused conflicting_fields item_id"}, outcomes(report)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestRowsThatChangeNothingAreTheSame applies rows twice: the second time they change nothing, and some do not the first time.
func TestRowsThatChangeNothingAreTheSame(t *testing.T) {
	for _, test := range []struct{ columns, row, first string }{
		{"close", "no", "same"},
		{"close", "Nein", "same"},
		{"close", "non", "same"},
		{"close", "0", "same"},
		{"close", "FALSE", "same"},
		{"close,price", ",", "same"},
		{"title", "Another", "changed"},
		{"options", "Highlight", "changed"}, // and bold_title is switched off
		{"options", "bold_title", "same"},
		{"description", "<p>A & B<script>x</script><b>bold", "changed"},
		{"description", "A & B <3", "changed"},
	} {
		s := newShop(t, plainly, roomy)
		s.List(t, servertest.FixedPrice(map[string]any{"personal_reference": "R-0", "options": map[string]any{"bold_title": true}}))
		for _, want := range []string{test.first, "same"} {
			report, err := s.imports(t, "reference,"+test.columns+"\nR-0,"+test.row+"\n", changes)
			if diff := cmp.Diff([]string{"2 R-0 " + want}, outcomes(report)); diff != "" || err != nil {
				t.Errorf("%s %q: %v (-want +got):\n%s", test.columns, test.row, err, diff)
			}
		}
	}
}

func TestOptionsThatACellDoesNotNameAreSwitchedOff(t *testing.T) {
	s := newShop(t, plainly, roomy)
	s.List(t, servertest.FixedPrice(map[string]any{"personal_reference": "R-0", "options": map[string]any{"bold_title": true, "top_main": true}}))
	if _, err := s.imports(t, "reference,options\nR-0,\"Highlight, top main\"\n", changes); err != nil {
		t.Fatal(err)
	}
	options := servertest.Into[struct {
		Results []struct {
			Options map[string]bool `json:"options"`
		} `json:"results"`
	}](t, s.Do(t, servertest.Request{Path: "/v1/items?personal_reference=R-0"})).Results[0].Options
	want := map[string]bool{
		"bold_title": false, "colored_border": false, "highlight": true, "keep_on_renewal": false, "last_minute_bidding": false, "private_bidding": false, "subtitle": false,
		"top_category": false, "top_listing": false, "top_main": true,
	}
	if diff := cmp.Diff(want, options); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var names []string
	for name := range options {
		names = append(names, name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, optionNames); diff != "" {
		t.Errorf("the options of an item are others (-want +got):\n%s", diff)
	}
}

// TestAnAmountThatTheItemDoesNotHaveYetIsInItsCurrency gives an auction a reserve price. A price is refused for what it is, not for a currency.
func TestAnAmountThatTheItemDoesNotHaveYetIsInItsCurrency(t *testing.T) {
	s := newShop(t, plainly, roomy)
	for _, name := range []string{"R-0", "R-1"} {
		s.List(t, servertest.Auction(map[string]any{
			"personal_reference": name, "starting_price": map[string]any{"amount": "9.99", "currency": "CHF"},
		}))
	}
	report, err := s.imports(t, "reference,reserve_price,bid_increment,price\nR-0,20.00,0.50,\nR-1,,,6.00\n", changes)
	want := []string{"2 R-0 changed", "3 R-1 refused conflicting_fields price"}
	if diff := cmp.Diff(want, outcomes(report)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	money := func(amount string) map[string]any { return map[string]any{"amount": amount, "currency": "CHF"} }
	items := servertest.Into[struct {
		Results []map[string]any `json:"results"`
	}](t, s.Do(t, servertest.Request{Path: "/v1/items?personal_reference=R-0"})).Results
	got := map[string]any{"reserve_price": items[0]["reserve_price"], "bid_increment": items[0]["bid_increment"]}
	if diff := cmp.Diff(map[string]any{"reserve_price": money("20.00"), "bid_increment": money("0.50")}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAReferenceAndAnIDMustAgree(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, stamps("0 1", "R-"), Options{}); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	s.EachRow(t, "SELECT personal_reference, id FROM items", func(values []any) { ids[fmt.Sprint(values[0])] = fmt.Sprint(values[1]) })
	report, err := s.imports(t, "reference,item_id,price\nR-0,"+ids["R-0"]+",8.00\nR-2,"+ids["R-1"]+",9.00\n", changes)
	want := []string{"2 R-0 changed", "3 R-2 refused conflicting_fields item_id"}
	if diff := cmp.Diff(want, outcomes(report)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestAReferenceOfSeveralItemsSaysWhichTheyAre has a reference whose first item was closed, and that was then listed anew.
func TestAReferenceOfSeveralItemsSaysWhichTheyAre(t *testing.T) {
	s := newShop(t, plainly, roomy)
	for range 2 {
		if _, err := s.imports(t, stamps("0", "R-"), Options{AllowDuplicates: true, Run: fmt.Sprint(len(s.prices(t)))}); err != nil {
			t.Fatal(err)
		}
		if len(s.prices(t)) == 1 {
			if _, err := s.imports(t, "reference,close\nR-0,yes\n", changes); err != nil {
				t.Fatal(err)
			}
		}
	}
	ids := map[string]string{}
	s.EachRow(t, "SELECT status, id FROM items", func(values []any) { ids[fmt.Sprint(values[0])] = fmt.Sprint(values[1]) })
	report, err := s.imports(t, "reference,price\nR-0,8.00\n", changes)
	if diff := cmp.Diff([]string{"2 R-0 refused reference_ambiguous"}, outcomes(report)); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	message := report.Rows[0].Problems[0].Message
	for _, want := range []string{"in the column item_id", ids["open"] + " (open)", ids["closed"] + " (closed)"} {
		if len(ids) != 2 || !strings.Contains(message, want) {
			t.Errorf("%q does not say %q", message, want)
		}
	}
}

// counted is progress that must add up.
type counted struct {
	t           *testing.T
	phase       string
	done, total int
}

func (c *counted) Begin(phase string, total int) { c.phase, c.done, c.total = phase, 0, total }

func (c *counted) Add(n int) {
	if c.done += n; c.done > c.total {
		c.t.Errorf("%s: %d of %d rows", c.phase, c.done, c.total)
	}
}

func TestProgressNeverExceedsItsTotal(t *testing.T) {
	s := newShop(t, plainly, roomy)
	im := s.importer(t, "reference,price\n R-0 ,1.00\nR-1,2.00\n", changes)
	im.Progress = &counted{t: t}
	if err := im.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestReferencesWithBlanksAreFound changes items whose references were stored with blanks around them, as earlier versions did.
func TestReferencesWithBlanksAreFound(t *testing.T) {
	s := newShop(t, plainly, roomy)
	for _, reference := range []string{" SP-1 ", "SP-2\u00a0", "SP-3", "A,B"} {
		s.List(t, servertest.FixedPrice(map[string]any{"personal_reference": reference}))
	}
	report, err := s.imports(t, "reference,price\n SP-1,9.00\n\"SP-2\u00a0\",9.00\n\u00a0SP-3\t,9.00\n\"A,B\",9.00\n", changes)
	want := []string{"2 SP-1 changed", "3 SP-2 changed", "4 SP-3 changed", "5 A,B changed"}
	if diff := cmp.Diff(want, outcomes(report)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	again, err := s.imports(t, "title,personal_reference,category_id,sale_type,price,currency\nX, SP-1 ,"+servertest.Category+",fixed_price,9.00,EUR\n", Options{})
	if diff := cmp.Diff([]string{"2 SP-1 known personal_reference"}, outcomes(again)); diff != "" || err != nil {
		t.Errorf("listing it again: %v (-want +got):\n%s", err, diff)
	}
}

// TestReferencesInOtherFormsAreFound writes references with their accents of their own, as some Macs do, in one file and not in another.
func TestReferencesInOtherFormsAreFound(t *testing.T) {
	const whole, apart = "C\u00c9R", "CE\u0301R"
	s := newShop(t, plainly, roomy)
	for _, reference := range []string{whole + "-1", apart + "-2"} {
		s.List(t, servertest.FixedPrice(map[string]any{"personal_reference": reference}))
	}
	report, err := s.imports(t, "reference,price\n"+apart+"-1,9.00\n"+whole+"-2,9.00\n", changes)
	if diff := cmp.Diff([]string{"2 " + apart + "-1 changed", "3 " + whole + "-2 changed"}, outcomes(report)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	row := ",%s-2," + servertest.Category + ",fixed_price,9.00,EUR\n"
	again, err := s.imports(t, "title,personal_reference,category_id,sale_type,price,currency\n"+fmt.Sprintf("X"+row, whole), Options{})
	if diff := cmp.Diff([]string{"2 " + whole + "-2 known personal_reference"}, outcomes(again)); diff != "" || err != nil {
		t.Errorf("listing it again: %v (-want +got):\n%s", err, diff)
	}
	twice, err := s.imports(t, "reference,price\n"+apart+"-1,9.00\n"+whole+"-1,8.00\n", changes)
	if want := "3 " + whole + "-1 refused conflicting_fields reference"; !slices.Contains(outcomes(twice), want) {
		t.Errorf("%v: two rows for one item: %q, want %q", err, outcomes(twice), want)
	}
}

// TestQuantitiesSayWhatToDo takes the stock of another program for the quantity: the refusals say what a quantity is.
func TestQuantitiesSayWhatToDo(t *testing.T) {
	s := newShop(t, plainly, roomy)
	id := s.List(t, servertest.FixedPrice(map[string]any{"personal_reference": "LOT-1", "quantity": 10}))
	s.List(t, servertest.FixedPrice(map[string]any{"personal_reference": "LOT-2"}))
	sold := s.Do(t, servertest.Request{Path: "/v1/test/items/" + id + "/purchase", Body: map[string]any{"quantity": 4}})
	if sold.Status != http.StatusOK {
		t.Fatal(sold.Body)
	}
	report, err := s.imports(t, "reference,quantity\nLOT-1,3\nLOT-2,0\n", changes)
	var said []string
	for _, row := range report.Rows {
		for _, p := range row.Problems {
			said = append(said, p.Message)
		}
	}
	want := []string{
		"Part of the item is sold. A quantity counts the pieces that are sold, too, and 4 are.",
		"must be at least 1. To take the item off sale, write yes in the column close.",
	}
	if diff := cmp.Diff(want, said); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestChangesWithLostAnswers loses every second answer, and changes each item once all the same.
func TestChangesWithLostAnswers(t *testing.T) {
	var requests atomic.Int64
	s := newShop(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/item-changes" || requests.Add(1)%2 == 0 {
				h.ServeHTTP(w, r)
				return
			}
			h.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		})
	}, roomy)
	if _, err := s.imports(t, listings(250), Options{}); err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	file.WriteString("reference,price\n")
	for i := range 250 {
		fmt.Fprintf(&file, "R-Stamp-%04d,%d.25\n", i, i+1)
	}
	report, err := s.imports(t, file.String(), changes)
	if err != nil || report.Summary.Changed != 250 {
		t.Fatalf("%+v %v", report.Summary, err)
	}
	if n := s.Count(t, "items", "sequence = 2 AND price % 100 = 25"); n != 250 {
		t.Errorf("%d items were changed once", n)
	}
	if n := s.Count(t, "events", "type = 'item.updated'"); n != 250 {
		t.Errorf("there are %d events", n)
	}
}

// TestItemsThatShareAReferenceAreChangedByTheirIDs edits an export of two items with one reference. A row with the id of an item and one
// with its reference are of the same item.
func TestItemsThatShareAReferenceAreChangedByTheirIDs(t *testing.T) {
	s := newShop(t, plainly, roomy)
	if _, err := s.imports(t, header+"A,BOX-7,1010101,fixed_price,5,EUR\nB,BOX-7,1010101,fixed_price,6,EUR\nC,BOX-8,1010101,fixed_price,7,EUR\n",
		Options{AllowDuplicates: true}); err != nil {
		t.Fatal(err)
	}
	var ids []string
	s.EachRow(t, "SELECT id FROM items ORDER BY title", func(values []any) { ids = append(ids, fmt.Sprint(values[0])) })
	report, err := s.imports(t, fmt.Sprintf("item_id,reference,price\n%s,BOX-7,5.50\n%s,BOX-7,6\n%s,BOX-8,7.50\n,BOX-8,8\n", ids[0], ids[1], ids[2]), changes)
	want := []string{"2 BOX-7 changed", "3 BOX-7 same", "4 BOX-8 changed", "5 BOX-8 refused conflicting_fields item_id"}
	if diff := cmp.Diff(want, outcomes(report)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if file, err := Read(fmt.Appendf(nil, "item_id,reference,price\n%s,,5\n%[1]s,BOX-7,6\n", ids[0]), changes); err != nil || file.Wrong() != 1 {
		t.Errorf("two rows with one id: %v", err)
	}
}
