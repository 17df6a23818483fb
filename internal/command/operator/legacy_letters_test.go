package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/command"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// desk is where an operator writes letters: a service, a folder, and who was written to.
type desk struct {
	*servertest.World
	folder string
	legacyLetters
}

func newDesk(t *testing.T, w *servertest.World) *desk {
	t.Helper()
	folder := t.TempDir()
	return &desk{w, folder, legacyLetters{
		Format: "eml", Out: filepath.Join(folder, "letters"), State: []string{v1.LegacyActive, v1.LegacySilent}, Written: filepath.Join(folder, "written.json"),
		from: mail.Address{Name: "Support", Address: "support@example.com"}, BaseURL: "https://api.example.com",
	}}
}

// calls counts a call of an account's key.
func (d *desk) calls(t *testing.T, account int64, test bool, key string) {
	t.Helper()
	d.Service.CountLegacyCall(v1.LegacyCall{Owner: v1.OwnerOf(account, test), KeyID: key, Call: "item-create", Lossy: []string{"colour"}})
	if _, err := d.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// writes runs the command and returns who is written to: the names of the letters in the folder.
func (d *desk) writes(t *testing.T) (accounts []string, done *mailed) {
	t.Helper()
	done, err := d.write(t.Context(), d.Service)
	if err != nil {
		t.Fatal(err)
	}
	if done.Out == nil {
		return nil, done
	}
	return d.lettersTo(t), done
}

// lettersTo are the accounts whose letters are in the folder.
func (d *desk) lettersTo(t *testing.T) (accounts []string) {
	t.Helper()
	files, err := os.ReadDir(d.Out)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		accounts = append(accounts, strings.TrimSuffix(file.Name(), ".eml"))
	}
	return accounts
}

// names are the names in a folder, also the hidden ones.
func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func id(account int64) string { return v1.ID(account).String() }

// caller is a seller of a simulated year.
type caller struct {
	account int64
	calls   func(month int) bool // /rest
	moved   func(month int) bool // calls /v1
	key     string               // for /v1
}

// state is the state at the end of a month of 30 days, in whose middle the seller called.
func (c *caller) state(month int) string {
	switch {
	case c.calls(month):
		return v1.LegacyActive
	case c.moved(month):
		return v1.LegacyDone
	}
	return v1.LegacySilent
}

// TestInAYearEverySellerWhoStillCallsIsInOneLetterARun has a run each month, as an operator would after a reminder.
func TestInAYearEverySellerWhoStillCallsIsInOneLetterARun(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		d := newDesk(t, w)
		always, never := func(int) bool { return true }, func(int) bool { return false }
		fromMay, untilApril := func(m int) bool { return m >= 5 }, func(m int) bool { return m < 5 }
		var callers []*caller
		for _, c := range []struct {
			nickname     string
			calls, moved func(int) bool
		}{
			{"stays", always, never},
			{"moves.slowly", always, always},
			{"stops", untilApril, never},
			{"moves", untilApril, fromMay},
			{"returns", func(m int) bool { return m == 0 || m >= 9 }, never},
		} {
			account, _, key := w.Seller(t, c.nickname)
			callers = append(callers, &caller{account, c.calls, c.moved, key})
		}
		_, _, stranger := w.Seller(t, "knows.only.v1")
		for month := range 12 {
			w.Clock.Advance(15 * 24 * time.Hour)
			for _, c := range callers {
				if c.calls(month) {
					d.calls(t, c.account, false, "first0000001")
					d.calls(t, c.account, true, "other0000001")
				}
				if c.moved(month) {
					w.Do(t, servertest.Request{Path: "/v1/account", Key: c.key})
				}
			}
			w.Do(t, servertest.Request{Path: "/v1/account", Key: stranger})
			if _, err := w.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.Clock.Advance(15 * 24 * time.Hour)
			d.since = v1.TimeOf(w.Clock.Now())
			for _, state := range []string{v1.LegacyActive, v1.LegacySilent} {
				var want []string
				for _, c := range callers {
					if c.state(month) == state {
						want = append(want, id(c.account))
					}
				}
				slices.Sort(want)
				d.State, d.Out = []string{state}, filepath.Join(d.folder, fmt.Sprintf("%d-%s", month, state))
				if got, _ := d.writes(t); !slices.Equal(want, got) {
					t.Errorf("month %d: the %s sellers are %v, and %v are written to", month, state, want, got)
				}
				d.Out += "-again"
				if again, done := d.writes(t); again != nil || done.Before != len(want) {
					t.Errorf("month %d: a second run writes to %v, and finds %d", month, again, done.Before)
				}
			}
		}
	})
}

func TestASuspendedSellerIsWrittenToAfterwards(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	d := newDesk(t, w)
	d.calls(t, w.Account, false, "first0000001")
	for _, suspended := range []bool{true, false} {
		if _, err := w.Service.Suspend(t.Context(), w.Account, suspended); err != nil {
			t.Fatal(err)
		}
		got, done := d.writes(t)
		want, left := []string{id(w.Account)}, []string{}
		if suspended {
			want, left = nil, want
		}
		if diff := cmp.Diff([][]string{want, left}, [][]string{got, done.Suspended}); diff != "" {
			t.Errorf("suspended: %v: written to, and named (-want +got):\n%s", suspended, diff)
		}
	}
}

func TestNobodyIsWrittenToTwice(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		d := newDesk(t, w)
		d.calls(t, w.Account, false, "first0000001")
		first := w.Clock.Now()
		got, _ := d.writes(t)
		if diff := cmp.Diff([]string{id(w.Account)}, got); diff != "" {
			t.Errorf("the first run (-want +got):\n%s", diff)
		}
		other, _, _ := w.Seller(t, "bruno")
		w.Clock.Advance(20 * 24 * time.Hour)
		d.calls(t, other, true, "other0000001")
		d.Out += "-2"
		got, done := d.writes(t)
		if diff := cmp.Diff([]string{id(other)}, got); diff != "" || done.Before != 1 {
			t.Errorf("the second run, which finds %d (-want +got):\n%s", done.Before, diff)
		}
		var book bookFile
		text, err := os.ReadFile(d.Written)
		if err == nil {
			err = json.Unmarshal(text, &book)
		}
		want := []writtenMark{{v1.ID(w.Account), v1.TimeOf(first)}, {v1.ID(other), v1.TimeOf(w.Clock.Now())}}
		slices.SortFunc(want, func(a, b writtenMark) int { return int(a.Account - b.Account) })
		if diff := cmp.Diff(want, book.Letters); diff != "" || err != nil {
			t.Errorf("%v: the book (-want +got):\n%s", err, diff)
		}
		d.Out += "-3"
		d.since = v1.TimeOf(first.Add(time.Second))
		if got, _ := d.writes(t); !slices.Equal(got, []string{id(w.Account)}) {
			t.Errorf("those whose letter is older: %v", got)
		}
	})
}

func TestALetterShowsNoKey(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	d := newDesk(t, w)
	if got := w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.LiveKey); got.Status != 200 {
		t.Fatal(got.Status)
	}
	if _, err := w.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.writes(t)
	text, err := os.ReadFile(filepath.Join(d.Out, id(w.Account)+".eml"))
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(w.LiveKey, "_")
	if !strings.Contains(string(text), "dk_live_"+parts[2]) || strings.Contains(strings.ReplaceAll(string(text), "=\r\n", ""), parts[3]) {
		t.Errorf("of %s the letter shows:\n%s", w.LiveKey, text)
	}
	info, err := os.Stat(d.Out)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others can read the letters: %v %v", info.Mode(), err)
	}
}

// ending is a context that ends after it was asked a number of times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestLettersAreAllThereOrNone(t *testing.T) {
	for _, format := range []string{"eml", "mbox", "csv"} {
		t.Run(format, func(t *testing.T) {
			w := servertest.New(t, servertest.SQLite(t))
			d := newDesk(t, w)
			d.Format = format
			other, _, _ := w.Seller(t, "bruno")
			d.calls(t, w.Account, false, "first0000001")
			d.calls(t, other, false, "other0000001")
			nothing := func(what string, err error) {
				t.Helper()
				if diff := cmp.Diff([]string(nil), names(t, d.folder)); diff != "" || err == nil {
					t.Errorf("%s: %v; the folder has (-want +got):\n%s", what, err, diff)
				}
			}
			for asked := range 8 {
				ctx := &ending{t.Context(), asked}
				if done, err := d.write(ctx, w.Service); err == nil {
					if asked < 2 {
						t.Errorf("interrupted after %d questions, it writes %v", asked, done)
					}
					break
				} else {
					nothing("it is interrupted", err)
				}
			}
			for _, name := range names(t, d.folder) {
				if err := os.RemoveAll(filepath.Join(d.folder, name)); err != nil {
					t.Fatal(err)
				}
			}
			kept := d.Written
			d.Written = filepath.Join(d.folder, strings.Repeat("n", 250)) // a temporary name beside it is too long
			_, err := d.write(t.Context(), w.Service)
			nothing("the book cannot be stored", err)
			d.Written = kept
			if done, err := d.write(t.Context(), w.Service); err != nil || done.Letters != 2 {
				t.Errorf("then: %v, %v", done, err)
			}
		})
	}
}

func TestARunThatWasKilledIsFinishedByTheNext(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	d := newDesk(t, w)
	d.calls(t, w.Account, false, "first0000001")
	leftover := filepath.Join(d.folder, ".letters.unfinished-1") // of a run that was killed before it was done
	if err := os.Mkdir(leftover, 0o700); err != nil {
		t.Fatal(err)
	}
	d.writes(t)
	if diff := cmp.Diff([]string{"letters", "written.json"}, names(t, d.folder)); diff != "" {
		t.Errorf("the folder (-want +got):\n%s", diff)
	}
	book, err := openBook(d.Written)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openBook(d.Written); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("a second run at the same time: %v", err)
	}
	made := book.Last.Made
	if err := errors.Join(os.Rename(d.Out, made), book.close()); err != nil { // as if it was killed when the book was stored
		t.Fatal(err)
	}
	out := d.Out
	d.Out += "-2"
	if got, done := d.writes(t); got != nil || done.Before != 1 {
		t.Errorf("the next run writes to %v, and finds %d", got, done.Before)
	}
	d.Out = out
	if diff := cmp.Diff([]string{id(w.Account)}, d.lettersTo(t)); diff != "" {
		t.Errorf("the letters of the killed run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"letters", "written.json"}, names(t, d.folder)); diff != "" {
		t.Errorf("the folder (-want +got):\n%s", diff)
	}
}

func TestWhatIsThereIsNotWrittenOver(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	d := newDesk(t, w)
	d.calls(t, w.Account, false, "first0000001")
	for _, format := range []string{"eml", "mbox", "csv"} {
		d.Format = format
		if err := os.WriteFile(d.Out, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := d.write(t.Context(), w.Service)
		if text, _ := os.ReadFile(d.Out); string(text) != "mine" || !errors.As(err, new(command.WrongUsage)) {
			t.Errorf("%s: %v; the file has %q", format, err, text)
		}
	}
	if err := errors.Join(os.Remove(d.Out), os.Mkdir(d.Out, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.write(t.Context(), w.Service); !errors.As(err, new(command.WrongUsage)) {
		t.Errorf("a table in place of a folder: %v", err)
	}
	d.Format = "eml"
	if got, _ := d.writes(t); len(got) != 1 {
		t.Errorf("an empty folder gets %v", got)
	}
}

func TestADamagedBookIsRefused(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	d := newDesk(t, w)
	d.calls(t, w.Account, false, "first0000001")
	const mark = `{"account": "5001", "at": "2027-04-08T00:00:00Z"}`
	for name, text := range map[string]string{
		"empty": "", "cut short": `{"version": 1, "letters": [` + mark, "of another kind": "[]", "zeros": strings.Repeat("\x00", 64), "without letters": `{"version": 1}`,
		"of a later release": `{"version": 2, "letters": []}`, "an account twice": `{"version": 1, "letters": [` + mark + "," + mark + `]}`,
		"without a time": `{"version": 1, "letters": [{"account": "5001"}]}`, "with an unknown member": `{"version": 1, "letters": [], "more": 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(d.Written, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := d.write(t.Context(), w.Service)
			if err == nil || !strings.Contains(err.Error(), d.Written) || !strings.Contains(err.Error(), "from the backup") {
				t.Errorf("it says: %v", err)
			}
			if left, _ := os.ReadFile(d.Written); string(left) != text {
				t.Errorf("the book is now %q", left)
			}
			if diff := cmp.Diff([]string{"written.json"}, names(t, d.folder)); diff != "" {
				t.Errorf("the folder (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFlagsOfLetters(t *testing.T) {
	for name, test := range map[string]struct {
		flags legacyLetters
		want  string // of the error
	}{
		"done gets no letter":       {legacyLetters{State: []string{"done"}}, "--state must be active, silent or both"},
		"a day that does not exist": {legacyLetters{Since: "2027-02-30"}, "--since must be a day"},
		"no address":                {legacyLetters{From: "support"}, "--from must be an address"},
		"two lines":                 {legacyLetters{From: "a@example.com\nBcc: b@example.com"}, "--from must be an address"},
		"nowhere":                   {legacyLetters{Out: "nothing/letters"}, "--out: there is no folder nothing"},
		"a book nowhere":            {legacyLetters{Written: "nothing/written.json"}, "--written: there is no folder nothing"},
		"a folder for a book":       {legacyLetters{Written: "."}, "--written must be a file"},
		"not the service":           {legacyLetters{BaseURL: "https://api.example.com/v1"}, "--base-url ends in /v1"},
	} {
		if test.flags.BaseURL == "" {
			test.flags.BaseURL = "https://api.example.com"
		}
		if err := test.flags.check(); err == nil || !errors.As(err, new(command.WrongUsage)) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Chdir(t.TempDir())
	m := &legacyLetters{BaseURL: "https://api.example.com/"}
	if err := m.check(); err != nil || m.from.String() != `"Seller API" <seller-api@api.example.com>` || m.BaseURL != "https://api.example.com" {
		t.Errorf("without flags: %+v, %v", m, err)
	}
}
