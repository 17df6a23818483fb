package seller

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/command"
	"sellerd/internal/exporting"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// exportTo has the flags of an export of a shop.
func (s shop) exportTo(out string) exportFile {
	return exportFile{Out: out, Separator: ";", account: account{BaseURL: s.url, Key: s.Key, Patience: time.Millisecond}}
}

func (s shop) program() *command.Program { return &command.Program{Now: s.Clock.Now} }

// files are the names in a folder.
func files(t *testing.T, folder string) []string {
	t.Helper()
	found, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, file := range found {
		names = append(names, file.Name())
	}
	return names
}

// TestTheNameOfAFileSaysItsForm writes every kind of file.
func TestTheNameOfAFileSaysItsForm(t *testing.T) {
	s := newShop(t, plainly)
	s.List(t, servertest.FixedPrice(map[string]any{"title": "=1+1"}))
	folder := t.TempDir()
	out := func(name string) exportFile { return s.exportTo(filepath.Join(folder, name)) }
	for _, run := range []interface {
		Run(context.Context, *command.Program) error
	}{
		&exportItems{exportFile: out("shop.csv")}, &exportItems{exportFile: out("plain"), ForUpdate: true}, &exportSales{out("sales.xlsx")},
		&exportBills{exportFile: out("BILLS.CSV")},
	} {
		if err := run.Run(t.Context(), s.program()); err != nil {
			t.Errorf("%T: %v", run, err)
		}
	}
	got := map[string]string{}
	for _, name := range files(t, folder) {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(text[:4])
	}
	want := map[string]string{"plain": "PK\x03\x04", "sales.xlsx": "PK\x03\x04", "shop.csv": "\ufefft", "BILLS.CSV": "\ufeffb"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("beginnings of files (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(filepath.Join(folder, "shop.csv")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the file: %v %v", info.Mode(), err)
	}
}

func TestTheNameOfAFileThatIsNotNamed(t *testing.T) {
	for want, c := range map[string]exportFile{
		"bills.xlsx": {}, "bills.csv": {Format: "csv"}, "bills-2026-01-01-2026-12-31.xlsx": {From: "2026-01-01", To: "2026-12-31"}, "bills-2026-01-01.csv": {From: "2026-01-01", Format: "csv"},
	} {
		c.Separator = ";"
		o := exporting.Options{Kind: exporting.Bills}
		if err := errors.Join(c.form(&o.Form), c.checkOut(o)); err != nil || c.Out != want {
			t.Errorf("%s %v, want %s", c.Out, err, want)
		}
	}
}

// TestAnExportThatFailsLeavesNothing fails at the second page, by the service and by a signal.
func TestAnExportThatFailsLeavesNothing(t *testing.T) {
	for name, format := range map[string]string{"csv": "csv", "workbook": "xlsx"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			fails := func() { cancel(errors.New("interrupt signal received")) }
			s := newShop(t, func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
					if r.URL.Query().Get("after") == "" {
						h.ServeHTTP(out, r)
						return
					}
					fails()
					out.WriteHeader(http.StatusInternalServerError)
				})
			})
			for range 3 {
				var items []map[string]any
				for range 70 {
					items = append(items, servertest.FixedPrice())
				}
				s.Do(t, servertest.Request{Path: "/v1/item-batches", Body: map[string]any{"items": items}})
			}
			s.Publish(t)
			folder, temporary := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", temporary)
			before := filepath.Join(folder, "before."+format)
			if err := os.WriteFile(before, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			try := func(out, want string) {
				t.Helper()
				c := &exportItems{exportFile: s.exportTo(out)}
				c.Overwrite = true
				err := c.Run(ctx, s.program())
				if err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "No file was written") {
					t.Errorf("%v, want %s", err, want)
				}
				if diff := cmp.Diff([]string{filepath.Base(before)}, files(t, folder)); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff([]string{}, files(t, temporary)); diff != "" {
					t.Errorf("temporary files (-want +got):\n%s", diff)
				}
				if text, err := os.ReadFile(before); string(text) != "mine" {
					t.Errorf("the file that was there is %q, %v", text, err)
				}
			}
			interrupt := fails
			fails = func() {}
			try(before, "answered 500")
			fails = interrupt
			try(filepath.Join(folder, "new."+format), "interrupt signal received")
		})
	}
}

// TestAnExportReplacesNothingUnasked looks at files before anything is read.
func TestAnExportReplacesNothingUnasked(t *testing.T) {
	s := newShop(t, plainly)
	folder := t.TempDir()
	mine := filepath.Join(folder, "mine.csv")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere, link := filepath.Join(folder, "nowhere.csv"), filepath.Join(folder, "link.csv")
	if err := errors.Join(os.Symlink("nothing.csv", nowhere), os.Symlink("mine.csv", link)); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{
		nowhere: "there is a file " + nowhere + ": name another with --out, or replace it with --overwrite",
		mine:    "there is a file " + mine + ": name another with --out, or replace it with --overwrite", folder: "--out names the folder " + folder + ": name a file in it",
		folder + "/none/items.csv": "--out " + folder + "/none/items.csv: there is no folder " + folder + "/none", os.DevNull: "--out: " + os.DevNull + " is no file",
	} {
		err := (&exportItems{exportFile: s.exportTo(out)}).Run(t.Context(), s.program())
		if !errors.As(err, new(command.WrongUsage)) || err.Error() != want {
			t.Errorf("%s: %v, want %s", out, err, want)
		}
	}
	c := &exportItems{exportFile: s.exportTo(link)} // to mine
	c.Overwrite = true
	if err := c.Run(t.Context(), s.program()); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(mine); !strings.HasPrefix(string(text), "\ufefftitle;") {
		t.Errorf("%q %v", text, err)
	}
}

func TestFlagsOfExportsThatAreWrong(t *testing.T) {
	s := newShop(t, plainly)
	folder := t.TempDir()
	for want, change := range map[string]func(*exportFile){
		`--from must be a day like 2026-12-31, in the years 1900 to 9998, not "31.12.2026"`:          func(c *exportFile) { c.From = "31.12.2026" },
		`--to must be a day like 2026-12-31, in the years 1900 to 9998, not "2026-02-30"`:            func(c *exportFile) { c.To = "2026-02-30" },
		"--to is before --from: 2026-01-01, 2026-01-02":                                              func(c *exportFile) { c.From, c.To = "2026-01-02", "2026-01-01" },
		"--out ends in .ods: name a file .csv or .xlsx, or say with --format which of the two it is": func(c *exportFile) { c.Out = "a.ods" },
		"--out names a file .csv, and --format is xlsx: name one of the two":                         func(c *exportFile) { c.Out, c.Format = "a.csv", "xlsx" },
		`--decimal must be comma or point, not "dot"`:                                                func(c *exportFile) { c.Decimal = "dot" },
		`--separator must be one character or tab, not ";;"`:                                         func(c *exportFile) { c.Separator = ";;" },
		"--separator is empty: it must be one character, or tab":                                     func(c *exportFile) { c.Separator = "" },
		`--time-zone must be a name like Europe/Paris, not "Paris"`:                                  func(c *exportFile) { c.TimeZone = "Paris" },
		`--time-zone must be a name like Europe/Paris, not "Local"`:                                  func(c *exportFile) { c.TimeZone = "Local" },
		`--to must be a day like 2026-12-31, in the years 1900 to 9998, not "9999-12-31"`:            func(c *exportFile) { c.To = "9999-12-31" },
	} {
		c := &exportSales{s.exportTo(filepath.Join(folder, "sales"))}
		change(&c.exportFile)
		if err := c.Run(t.Context(), s.program()); !errors.As(err, new(command.WrongUsage)) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if left := files(t, folder); len(left) > 0 {
		t.Errorf("there are files %q", left)
	}
}

// TestAPeriodHasItsLastDay reads the instants of a period that a change of the clocks shortens.
func TestAPeriodHasItsLastDay(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Brussels")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range []exportFile{{From: "2026-03-29", To: "2026-03-29"}, {To: "2026-12-31"}, {From: "2027-01-01"}} {
		for _, at := range slices.Collect(func(yield func(time.Time) bool) { from, to := c.days(zone); _ = yield(from) && yield(to) }) {
			got = append(got, at.UTC().Format(time.RFC3339))
		}
	}
	want := []string{
		"2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "0001-01-01T00:00:00Z", "2026-12-31T23:00:00Z", "2026-12-31T23:00:00Z", "0001-01-01T00:00:00Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAKeyThatDoesNotReadTheAccount checks that the error names --time-zone, and that an export with it works.
func TestAKeyThatDoesNotReadTheAccount(t *testing.T) {
	s := newShop(t, plainly)
	c := &exportBills{exportFile: s.exportTo(filepath.Join(t.TempDir(), "bills.csv"))}
	lesser, err := v1.ParsePermissions([]string{"bills:read"})
	if err != nil {
		t.Fatal(err)
	}
	c.Key = s.LesserKey(t, lesser)
	err = c.Run(t.Context(), s.program())
	if err == nil || !strings.Contains(err.Error(), "permission_denied") || !strings.HasSuffix(err.Error(), "--time-zone names one") {
		t.Errorf("%v", err)
	}
	c.TimeZone = "Europe/Paris"
	if err := c.Run(t.Context(), s.program()); err != nil {
		t.Error(err)
	}
}
