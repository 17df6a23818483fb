package letter

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sellerd/translate"
	"sellerd/translate/guide"
	"sellerd/v1"
)

// Letter is a letter to a seller.
type Letter struct {
	Account    v1.ID
	Nickname   string
	Email      string
	Language   string // one of Languages
	State      string // of the seller: active or silent
	LastUsedAt v1.Time
	Keys       []string // the prefixes of those that the letter is about
	Calls      []string // the ids of the calls that it is about, each once
	Subject    string
	Body       string // plain text, lines of at most 72 characters but for addresses
}

// Writer writes the letters of a service.
type Writer struct {
	guide *guide.Page
	now   time.Time
}

// NewWriter makes a writer. The letters say how many days are left from now on.
func NewWriter(table *translate.Table, baseURL string, now time.Time) *Writer {
	return &Writer{guide.New(table, baseURL), now}
}

// content is what the texts of the letters show.
type content struct {
	Nickname string
	Account  string
	Active   bool // the seller calls /rest
	Over     bool // /rest has ended
	Imported bool // a key of the old interface is among the keys
	Days     int  // whole days that are left, at least 1 before the end
	Sunset   time.Time
	LastUsed time.Time
	Keys     []key

	Base       string // the address of the service, with which the addresses of pages begin
	Guide      string
	Calendar   string
	DrillField string // the header of a drill
}

type key struct {
	Prefix   string
	Test     bool
	LastUsed time.Time
	Calls    []call
}

type call struct {
	Legacy   string // method and path
	V1       string // the operations that take its place, empty if none does
	URL      string // of its page in the guide
	Count    int64  // today and in the 30 days before
	LastUsed time.Time
	Fields   []field // that /v1 does not take as they are
}

// field is a field that lost something on its way to /v1.
type field struct {
	Name string
	V1   string // what takes its place
	Kind string // narrowed, dropped, or unknown to the call
}

// Letter writes to a seller, in the seller's language.
func (w *Writer) Letter(s *v1.LegacySeller) (Letter, error) {
	l := Letter{
		Account: s.Account.ID, Nickname: s.Account.Nickname, Email: s.Account.Email, Language: s.Language, State: s.State, LastUsedAt: s.LastUsedAt,
	}
	if !slices.Contains(Languages, l.Language) {
		l.Language = Languages[0]
	}
	left := translate.Sunset.Sub(w.now)
	site := w.site(l.Language)
	c := content{
		Nickname: l.Nickname, Account: l.Account.String(), Active: s.State == v1.LegacyActive, Over: left <= 0,
		Days: int((left + 24*time.Hour - 1) / (24 * time.Hour)), Sunset: translate.Sunset, LastUsed: s.LastUsedAt.Std(),
		Base: w.guide.BaseURL, Guide: site + translate.GuidePath, Calendar: w.guide.BaseURL + guide.CalendarPath, DrillField: translate.DrillHeader,
	}
	for i := range s.Keys {
		k := w.key(&s.Keys[i], site)
		c.Keys = append(c.Keys, k)
		c.Imported = c.Imported || !strings.HasPrefix(k.Prefix, "dk_")
		l.Keys = append(l.Keys, k.Prefix)
		for _, used := range s.Keys[i].Calls {
			if !slices.Contains(l.Calls, used.Call) {
				l.Calls = append(l.Calls, used.Call)
			}
		}
	}
	var err error
	if l.Subject, err = fill(l.Language, "subject", &c); err == nil {
		l.Body, err = fill(l.Language, "body", &c)
	}
	if err != nil {
		return l, fmt.Errorf("write the letter to account %s: %w", l.Account, err)
	}
	return l, nil
}

// site is where the pages in a language are. Those that exist in English alone are led to from there.
func (w *Writer) site(language string) string {
	if language == Languages[0] {
		return w.guide.BaseURL
	}
	return w.guide.BaseURL + "/" + language
}

// key is what the letter says of a key, with links to the guide on a site.
func (w *Writer) key(left *v1.LegacyLeft, site string) key {
	k := key{Prefix: left.Key.Prefix, Test: left.Key.Mode == "test", LastUsed: left.LastUsedAt.Std()}
	for _, used := range left.Calls {
		c := call{Legacy: used.Call, URL: site + translate.GuidePath, Count: used.Count, LastUsed: used.LastUsedAt.Std()}
		if known := w.guide.Call(used.Call); known != nil { // else a later release counted it
			c.Legacy, c.URL, c.V1 = known.Legacy.Method+" "+known.Legacy.Path, site+strings.TrimPrefix(known.URL, w.guide.BaseURL), successors(known)
			c.Fields = w.fields(known, used.LossyFields)
		}
		k.Calls = append(k.Calls, c)
	}
	return k
}

func successors(c *guide.Call) string {
	steps := make([]string, len(c.V1))
	for i, step := range c.V1 {
		steps[i] = step.Method + " " + step.Path
	}
	return strings.Join(steps, " + ")
}

// fields are the lossy fields of a call, those of all entries of a bulk together.
func (w *Writer) fields(c *guide.Call, lossy []string) (fields []field) {
	known := c.Fields
	for _, name := range lossy {
		parts := strings.FieldsFunc(name, func(r rune) bool { return r == '[' || r == ']' })
		if len(parts) == 0 {
			continue
		}
		f, of := field{Name: parts[0], Kind: string(translate.NoteUnknown)}, parts[0]
		if c.Each != "" && parts[0] == c.Each && len(parts) > 2 {
			of, f.Name = parts[2], c.Each+"[]["+parts[2]+"]"
		}
		for i := range known {
			if row := &known[i]; strings.TrimSuffix(row.Legacy, "[]") == of {
				f.V1, f.Kind = row.Path, string(translate.Narrowed)
				if row.Path == "" {
					f.Kind = string(translate.Dropped)
				}
			}
		}
		if !slices.Contains(fields, f) {
			fields = append(fields, f)
		}
	}
	return fields
}

// Columns are the names of the columns of a letter.
var Columns = []string{"account_id", "email", "nickname", "language", "state", "last_used_at", "keys", "calls", "subject", "body"}

// Row is the letter as a row.
func (l *Letter) Row() []string {
	row := []string{
		l.Account.String(), l.Email, l.Nickname, l.Language, l.State, l.LastUsedAt.String(), strings.Join(l.Keys, " "), strings.Join(l.Calls, " "), l.Subject, l.Body,
	}
	for i := range row {
		row[i] = PlainCell(row[i])
	}
	return row
}

// PlainCell keeps spreadsheets from reading a seller's text as a formula. Some read the wide forms of the signs, too.
func PlainCell(text string) string {
	if strings.IndexAny(text, "=+-@\t\r\n＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}
