package server_test

import (
	"encoding/xml"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/translate"
)

// told is a reminder in the feed, and the day on which a reader saw it first.
type told struct {
	Seen, ID, Title, Updated, Link string
	Terms                          []string
}

// reminders are the entries of the feed that remind of the end.
func reminders(t *testing.T, handler http.Handler, path string, seen time.Time) (found []told) {
	t.Helper()
	var feed struct {
		Entries []struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Updated string `xml:"updated"`
			Link    struct {
				Href string `xml:"href,attr"`
			} `xml:"link"`
			Categories []struct {
				Term string `xml:"term,attr"`
			} `xml:"category"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(get(handler, path).Body.Bytes(), &feed); err != nil {
		t.Fatal(err)
	}
	for _, e := range feed.Entries {
		if !strings.Contains(e.ID, "/sunset/") {
			continue
		}
		entry := told{Seen: seen.Format(time.DateOnly), ID: e.ID, Title: e.Title, Updated: e.Updated, Link: e.Link.Href}
		for _, c := range e.Categories {
			entry.Terms = append(entry.Terms, c.Term)
		}
		found = append(found, entry)
	}
	return found
}

func TestTheFeedRemindsOfTheEndFiveTimes(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	const path = "/changelog.atom?category=deprecation"
	want := func(seen, days, title string) told {
		return told{
			seen, "tag:delcampe.net,2026-10-05:seller-api/changelog/sunset/" + days, title + ": /rest ends on 5 October 2027", seen + "T00:00:00Z",
			"http://sellerd.test/changelog#sunset-" + days,
			[]string{"deprecation", "rest"},
		}
	}
	all := []told{
		want("2027-04-08", "180", "180 days left"), want("2027-07-07", "90", "90 days left"), want("2027-09-05", "30", "30 days left"),
		want("2027-09-28", "7", "7 days left"), want("2027-10-04", "1", "1 day left"),
	}
	var got []told
	w.Clock.Advance(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC).Sub(w.Clock.Now()))
	last := get(w.Server.Public, path).Header()
	for range 365 {
		w.Clock.Advance(24 * time.Hour)
		now := reminders(t, w.Server.Public, path, w.Clock.Now())
		answer := get(w.Server.Public, path, "If-None-Match", last.Get("ETag"))
		asked := get(w.Server.Public, path, "If-Modified-Since", last.Get("Last-Modified"))
		if len(now) == len(got) {
			if answer.Code != http.StatusNotModified || asked.Code != http.StatusNotModified {
				t.Fatalf("%s: nothing is new, and it answers %d and %d", w.Clock.Now(), answer.Code, asked.Code)
			}
			continue
		}
		last = answer.Header()
		if modified := w.Clock.Now().Format(http.TimeFormat); answer.Code != http.StatusOK || asked.Code != http.StatusOK || last.Get("Last-Modified") != modified {
			t.Errorf("%s: a reminder is new, and it answers %d and %d, modified %s", w.Clock.Now(), answer.Code, asked.Code, last.Get("Last-Modified"))
		}
		got = append(got, now[0]) // the newest comes first
	}
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("in a year (-want +got):\n%s", diff)
	}
	for _, path := range []string{"/changelog.atom", "/changelog.atom?category=rest"} {
		if n := len(reminders(t, w.Server.Public, path, w.Clock.Now())); n != 5 {
			t.Errorf("%s has %d reminders", path, n)
		}
	}
	if n := len(reminders(t, w.Server.Public, "/changelog.atom?category=v1", w.Clock.Now())); n != 0 {
		t.Errorf("the feed of /v1 has %d reminders", n)
	}
}

func TestAReminderIsShownFromItsMomentOn(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	shown := func() []bool {
		page := get(w.Server.Public, "/changelog").Body.String()
		feed := get(w.Server.Public, "/changelog.atom").Body.String()
		text := get(w.Server.Public, "/changelog.md").Body.String()
		return []bool{
			strings.Contains(page, `<h2 id="sunset-180">180 days left: /rest ends on 5 October 2027</h2>`), strings.Contains(feed, "/sunset/180</id>"),
			strings.Contains(text, "\n## 180 days left: /rest ends on 5 October 2027\n\n2027-04-08\n"),
		}
	}
	w.Clock.Advance(translate.Sunset.AddDate(0, 0, -180).Sub(w.Clock.Now()) - time.Microsecond)
	if diff := cmp.Diff([]bool{false, false, false}, shown()); diff != "" {
		t.Errorf("a moment before it is due, in the page, the feed and Markdown (-want +got):\n%s", diff)
	}
	w.Clock.Advance(time.Microsecond)
	if diff := cmp.Diff([]bool{true, true, true}, shown()); diff != "" {
		t.Errorf("when it is due, in the page, the feed and Markdown (-want +got):\n%s", diff)
	}
	page := get(w.Server.Public, "/changelog").Body.String()
	if reminder, release := strings.Index(page, `id="sunset-180"`), strings.Index(page, `id="1.5.0"`); reminder > release {
		t.Error("it stands below older releases")
	}
	text := get(w.Server.Public, "/changelog.md").Body.String()
	if reminder, release := strings.Index(text, "## 180 days left"), strings.Index(text, "## 1.5.0"); reminder > release {
		t.Error("it stands below older releases in Markdown")
	}
}

// property is a content line of a calendar (RFC 5545, 3.1).
var property = regexp.MustCompile(`^([A-Z-]+)((?:;[A-Z-]+=[^;:]+)*):(.*)$`)

// calendarComponents reads a calendar as strictly as RFC 5545 is: lines that end with CRLF and have at most 75 octets, unfolded, in components that
// are closed in order. It returns the properties of the calendar and of each event, texts without their escapes.
func calendarComponents(t *testing.T, text string) (calendar map[string]string, events []map[string]string) {
	t.Helper()
	if !strings.HasSuffix(text, "\r\n") || strings.Count(text, "\n") != strings.Count(text, "\r\n") || strings.Count(text, "\r") != strings.Count(text, "\n") {
		t.Fatal("its lines do not all end with CRLF")
	}
	for line := range strings.SplitSeq(text, "\r\n") {
		if len(line) > 75 || !utf8.ValidString(line) {
			t.Errorf("this line has %d octets, or half a character: %q", len(line), line)
		}
	}
	calendar = map[string]string{}
	var open []string
	for line := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n ", ""), "\r\n"), "\r\n") {
		parts := property.FindStringSubmatch(line)
		if parts == nil {
			t.Fatalf("this is no property: %q", line)
		}
		name, value := parts[1], parts[3]
		switch {
		case name == "BEGIN":
			if value == "VEVENT" {
				events = append(events, map[string]string{})
			}
			open = append(open, value)
			continue
		case name == "END":
			if open == nil || open[len(open)-1] != value {
				t.Fatalf("%q is not open", value)
			}
			open = open[:len(open)-1]
			continue
		case len(open) == 0:
			t.Fatalf("outside of the calendar: %q", line)
		}
		into := calendar
		if open[len(open)-1] == "VEVENT" {
			into = events[len(events)-1]
		}
		if slices.Contains([]string{"SUMMARY", "DESCRIPTION", "X-WR-CALNAME"}, name) {
			if bare := regexp.MustCompile(`\\[\\;,nN]`).ReplaceAllString(value, ""); strings.ContainsAny(bare, `\;,`) {
				t.Errorf("%s is not escaped: %q", name, value)
			}
			value = strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n").Replace(value)
		}
		if _, twice := into[name]; twice {
			t.Errorf("%s comes twice", name)
		}
		into[name+parts[2]] = value
	}
	if len(open) > 0 {
		t.Errorf("%q are not closed", open)
	}
	return calendar, events
}

func TestTheCalendarHasTheDaysOfTheFeedAndTheEnd(t *testing.T) {
	_, s, _ := logged(t)
	answer := get(s.Public, "/migration.ics")
	if kind := answer.Header().Get("Content-Type"); answer.Code != http.StatusOK || kind != "text/calendar; charset=utf-8" {
		t.Fatalf("%d %s", answer.Code, kind)
	}
	calendar, events := calendarComponents(t, answer.Body.String())
	wantCalendar := map[string]string{"VERSION": "2.0", "PRODID": "-//sellerd//The seller API//EN", "CALSCALE": "GREGORIAN", "X-WR-CALNAME": "The end of /rest"}
	if diff := cmp.Diff(wantCalendar, calendar); diff != "" {
		t.Errorf("the calendar (-want +got):\n%s", diff)
	}
	const guide = "What to send to /v1 in place of each call: http://sellerd.test/migration"
	event := func(uid, start, day, summary, description string) map[string]string {
		return map[string]string{
			"UID": uid + "@seller-api.delcampe.net", "DTSTAMP": "20261005T000000Z", start: day, "SUMMARY": summary, "DESCRIPTION": description,
			"URL": "http://sellerd.test/migration", "TRANSP": "TRANSPARENT",
		}
	}
	const reminds = "Programs that still call /rest stop working on 5 October 2027, 00:00 UTC.\n" + guide +
		"\nSee today what they will do then: http://sellerd.test/docs/legacy-rehearsal"
	want := []map[string]string{
		event("sunset-180", "DTSTART;VALUE=DATE", "20270408", "180 days left: /rest ends on 5 October 2027", reminds),
		event("sunset-90", "DTSTART;VALUE=DATE", "20270707", "90 days left: /rest ends on 5 October 2027", reminds),
		event("sunset-30", "DTSTART;VALUE=DATE", "20270905", "30 days left: /rest ends on 5 October 2027", reminds),
		event("sunset-7", "DTSTART;VALUE=DATE", "20270928", "7 days left: /rest ends on 5 October 2027", reminds),
		event("sunset-1", "DTSTART;VALUE=DATE", "20271004", "1 day left: /rest ends on 5 October 2027", reminds),
		event("sunset", "DTSTART", "20271005T000000Z", "/rest ends", "From now on, /rest answers every request with 410.\n"+guide),
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("its events (-want +got):\n%s", diff)
	}
	if again := get(s.Public, "/migration.ics", "If-None-Match", answer.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("asked again, it answers %d", again.Code)
	}
}

func TestTheCalendarIsFound(t *testing.T) {
	_, s, _ := logged(t)
	for _, path := range []string{"/", "/migration", "/migration.md", "/migration.json", "/llms.txt", "/.well-known/api-catalog"} {
		if !strings.Contains(get(s.Public, path).Body.String(), "/migration.ics") {
			t.Errorf("%s does not lead to the calendar", path)
		}
	}
}
