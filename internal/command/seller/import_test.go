package seller

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/command"
	"sellerd/internal/importing"
	"sellerd/v1"
)

func TestImportOfTheSample(t *testing.T) {
	n := mistakeEvery * len(sampleMistakes)
	w := newShop(t, plainly, func(c *v1.Config) { c.OpenItems, c.NewItemsPerDay = 2*n, 2*n })
	var sample bytes.Buffer
	if err := writeSample(&sample, n, strings.TrimSuffix(w.ImageURL(t, ""), "/"), 1); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	imports := func() importing.Report {
		t.Helper()
		file, err := importing.Read(sample.Bytes(), importing.Options{})
		if err != nil || file.Wrong() > 0 {
			t.Fatalf("%v, %d rows with mistakes", err, file.Wrong())
		}
		client, err := newAPIClient(w.url, w.Key, time.Minute, w.Clock.Now)
		if err != nil {
			t.Fatal(err)
		}
		client.Sleep = func(context.Context, time.Duration) error {
			w.Publish(t)
			return nil
		}
		im := &importing.Importer{
			Client: client, File: file, State: state, Wait: true,
			Progress: (*command.Progress)(nil),
		}
		if err := im.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return im.Report()
	}
	first := imports()

	t.Run("every mistake is refused for what it is, and nothing else is refused", func(t *testing.T) {
		want, got := map[int]string{}, map[int]string{}
		for i := 1; i <= len(sampleMistakes); i++ {
			want[i*mistakeEvery+1] = sampleMistakes[i%len(sampleMistakes)].code // the header is row 1
		}
		for _, row := range first.Rows {
			if row.Outcome == importing.Refused {
				got[row.Row] = row.Problems[0].Code
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	refused, rejected := len(sampleMistakes), n/lostImagesEvery
	t.Run("the rest is published, but for those without a single picture left", func(t *testing.T) {
		want := importing.Summary{
			Rows: n, Accepted: n - refused, Refused: refused, Rejected: rejected,
			Published: n - refused - rejected, Warned: n / lostPictureEvery,
		}
		if diff := cmp.Diff(want, first.Summary); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a second import finds the same items and makes none", func(t *testing.T) {
		if again := imports(); again.Summary.Replayed != first.Summary.Published {
			t.Errorf("%d rows were replayed, want %d", again.Summary.Replayed, first.Summary.Published)
		}
		if items := w.Count(t, "items", "1 = 1"); items != first.Summary.Published {
			t.Errorf("there are %d items, want %d", items, first.Summary.Published)
		}
	})
}

// TestAnImportOverwritesNothingOfTheSellers names files of the seller's as the report or the memory.
func TestAnImportOverwritesNothingOfTheSellers(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{
		"listings.csv": "title\nA\n", "notes.txt": "mine\n", "mine.json": "{\"a\": 1}\n", "report.csv": "\ufeffrow,line,personal_reference,outcome,replayed,item_id,code,field,value,message\n",
		"old.csv": "line,personal_reference,outcome,replayed,item_id,code,field,message\n", "report.json": "{\n  \"summary\": {\n", "empty.csv": "", "memory": "\n{\"to\":\"x\"}\n",
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Link("listings.csv", "linked.csv"), os.Symlink(".", "here")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ report, state, want string }{
		{"listings.csv", "", "are the same file"},
		{"./listings.csv", "", "are the same file"},
		{"linked.csv", "", "are the same file"},
		{"", "listings.csv", "are the same file"},
		{"import.sellerd-state", "", "are the same file"},
		{"here/new", "new", "are the same file"},
		{"memory", "memory", "are the same file"},
		{"notes.txt", "", "is not a report of an import"},
		{"mine.json", "", "is not a report of an import"},
		{"memory", "", "is not a report of an import"},
		{"r.xlsx", "", "--report is written as CSV or JSON, not as .xlsx: name it r.csv"},
		{"R.ODS", "", "--report is written as CSV or JSON, not as .ods"},
		{"", "notes.txt", "is not the memory of an import"},
		{"/dev/null", "", "is not a report of an import"},
		{"-", "", "--report is written to a file: name one, not -"},
		{"", "-", "the memory of what was listed (--state) is written to a file: name one, not -"},
		{"new.csv", "memory", ""},
		{"report.csv", "new", ""},
		{"old.csv", "", ""},
		{"report.json", "", ""},
		{"empty.csv", "", ""},
	} {
		err := (&importFile{File: "listings.csv", Report: test.report, State: test.state}).Run(t.Context(), &command.Program{Now: time.Now})
		if test.want == "" {
			test.want = "it needs an API key" // the files are right, and what comes next is not
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("--report %q --state %q: %v", test.report, test.state, err)
		}
	}
	if err := os.WriteFile("import.sellerd-state", []byte("lost\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := (&importFile{File: "listings.csv"}).Run(t.Context(), &command.Program{Now: time.Now})
	if want := "import.sellerd-state is not the memory of an import, and is not overwritten: delete it"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a memory that was damaged: %v, want %s", err, want)
	}
	for name, text := range files {
		if now, err := os.ReadFile(name); err != nil || string(now) != text {
			t.Errorf("%s is now %q %v", name, now, err)
		}
	}
}

func TestWhereAnImportRemembers(t *testing.T) {
	for _, test := range []struct{ file, state, want string }{
		{"listings.csv", "", "import.sellerd-state"},
		{"shop/listings.xlsx", "", "shop/import.sellerd-state"},
		{"/dev/fd/63", "", "import.sellerd-state"},
		{"-", "", "import.sellerd-state"},
		{"/dev/stdin", "", "import.sellerd-state"},
		{"listings.csv", "/var/lib/shop", "/var/lib/shop"},
	} {
		if got := (&importFile{File: test.file, State: test.state}).state(); got != test.want {
			t.Errorf("%s: %s, want %s", test.file, got, test.want)
		}
	}
}
