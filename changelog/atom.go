package changelog

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/gorilla/feeds"
)

// The paths of the feed and of the page of the change log. Below the page's path is a page for each version.
const (
	FeedPath = "/changelog.atom"
	PagePath = "/changelog"
	// IssuesPath is the page of known issues, on which each has its id as anchor.
	IssuesPath = "/known-issues"
)

// WorkaroundHeading is the heading of what programs can do about a known issue.
const WorkaroundHeading = "What you can do"

// Stylesheets are the paths of the CSS files that make a page of the feed in a browser. XSLT could do more, but browsers are
// removing it.
var Stylesheets = []string{"/style.css", "/changelog.css"}

// tag begins the ids of the feed and its entries (RFC 4151). The ids never change, whatever the service's address: a feed
// reader shows an entry again when its id changes.
const tag = "tag:delcampe.net,2026-10-05:seller-api/changelog"

// Feed is an Atom document (RFC 4287).
type Feed struct {
	XML     []byte
	Updated time.Time
}

// News is what the feed tells beside the releases that are out.
type News struct {
	Issues    []Issue
	Drills    []Drill
	Reminders []Reminder // that are due
}

// Atom makes the feed of the releases that are out and of other news, in one category or, if category is empty, in all. baseURL is
// the address of the service. A category that does not exist is an error; one without entries is an empty feed.
func Atom(other News, baseURL, category string) (Feed, error) {
	return atom(Releases(), other, baseURL, category)
}

func atom(releases []Release, other News, baseURL, category string) (Feed, error) {
	if category != "" && !isCategory(category) {
		return Feed{}, fmt.Errorf("there is no category %q", category)
	}
	releases = slices.DeleteFunc(slices.Clone(releases), func(r Release) bool { return !r.Released() })
	entries := slices.Concat(releaseNews(releases, baseURL), issueNews(other.Issues, baseURL), drillNews(other.Drills, baseURL),
		reminderNews(other.Reminders, baseURL))
	slices.SortStableFunc(entries, func(a, b news) int { return b.Updated.Compare(a.Updated) })

	self, id, title := baseURL+FeedPath, tag, "Seller API: change log"
	if category != "" {
		query := "?" + url.Values{"category": {category}}.Encode()
		self, id, title = self+query, id+query, title+", "+category
	}
	log := &feeds.Feed{
		Title: title, Description: "What changes for programs that call the seller API.",
		Author: &feeds.Author{Name: "Seller API"},
	}
	if len(entries) > 0 {
		log.Updated = entries[len(entries)-1].Updated // an empty feed was updated when the log began
	}
	var shown []news
	for _, entry := range entries {
		if category == "" || slices.Contains(entry.terms, category) {
			shown = append(shown, entry)
			log.Add(&entry.Item)
		}
	}
	if len(shown) > 0 {
		log.Updated = shown[0].Updated
	}
	made := atomFeed{
		AtomFeed: (&feeds.Atom{Feed: log}).AtomFeed(),
		Links: []feeds.AtomLink{
			{Href: self, Rel: "self", Type: "application/atom+xml"},
			{Href: baseURL + PagePath, Rel: "alternate", Type: "text/html"},
		},
		Note: note{Text: "This is a feed: give its address to a feed reader, which will show you what is new. To read it here, see ", Link: anchor{PagePath, "the change log"}},
	}
	made.Id = id
	made.Author.Uri = baseURL + "/"
	for i, entry := range made.AtomFeed.Entries {
		made.Entries = append(made.Entries, newAtomEntry(entry, shown[i]))
	}
	return Feed{made.print(), log.Updated}, nil
}

// news is an entry of the feed: a release, a known issue, a drill or a reminder.
type news struct {
	feeds.Item
	summary string
	terms   []string // its categories
}

// releaseNews are the entries of releases that are out.
func releaseNews(releases []Release, baseURL string) (entries []news) {
	at := times(releases)
	for i, r := range releases {
		entries = append(entries, news{feeds.Item{
			Id: tag + "/" + r.Version, Title: r.Version + ": " + r.Title, Created: at[i], Updated: at[i], Content: r.Text.HTML(baseURL),
			Link: &feeds.Link{Href: baseURL + PagePath + "/" + r.Version, Type: "text/html"},
		}, r.Text.summary(), r.Terms()})
	}
	return entries
}

// issueNews are the entries of known issues. An issue that is corrected keeps its entry, which says so.
func issueNews(issues []Issue, baseURL string) (entries []news) {
	for _, i := range issues {
		title, text := "Known issue: ", "<p>Since "+i.Since+".</p>\n"
		if !i.Open() {
			title, text = "Corrected: ", "<p>Since "+i.Since+", corrected on "+i.Until+".</p>\n"
		}
		text += i.Text.HTML(baseURL)
		if i.Workaround != "" {
			text += "<h3>" + WorkaroundHeading + "</h3>\n" + i.Workaround.HTML(baseURL)
		}
		entries = append(entries, news{feeds.Item{
			Id: tag + "/" + IssueTerm + "/" + i.ID, Title: title + i.Title, Created: i.Announced, Updated: i.Updated, Content: text,
			Link: &feeds.Link{Href: baseURL + IssuesPath + "#" + i.ID, Type: "text/html"},
		}, i.Text.summary(), append([]string{IssueTerm}, i.Affects...)})
	}
	return entries
}

// times are the instants of the releases, in UTC. A release of which only the day is known has midnight, and is a second after another
// one of that day, so that readers, which sort by time, keep them in order.
func times(releases []Release) []time.Time {
	at := make([]time.Time, len(releases))
	for i, r := range slices.Backward(releases) {
		at[i], _ = parseDate(r.Date) // checked when it was decoded
		if i+1 < len(releases) && r.Date == releases[i+1].Date {
			at[i] = at[i+1].Add(time.Second)
		}
	}
	return at
}

// InstantForm is how the date of a release is written.
const InstantForm = "2006-01-02T15:04:05Z"

// parseDate reads an instant, or the day that older releases have.
func parseDate(date string) (time.Time, error) {
	if len(date) == len(time.DateOnly) {
		return time.Parse(time.DateOnly, date)
	}
	at, err := time.Parse(InstantForm, date)
	if err == nil && at.Format(InstantForm) != date { // it had a fraction
		err = errors.New("it has more than seconds")
	}
	return at, err
}

// atomFeed adds what the library's feed lacks: more than one link, and categories as elements. A field here replaces the
// library's field of the same element.
type atomFeed struct {
	*feeds.AtomFeed
	Links   []feeds.AtomLink `xml:"link"`
	Note    note
	Entries []atomEntry `xml:"entry"`
}

type atomEntry struct {
	*feeds.AtomEntry
	Categories []atomCategory `xml:"category"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

// note is for people who open the feed in a browser. Links of Atom cannot be clicked there, those of HTML can. Feed readers
// ignore elements that are not Atom's.
type note struct {
	XMLName xml.Name `xml:"http://www.w3.org/1999/xhtml p"`
	Text    string   `xml:",chardata"`
	Link    anchor   `xml:"a"`
}

type anchor struct {
	Href string `xml:"href,attr"`
	Text string `xml:",chardata"`
}

func newAtomEntry(entry *feeds.AtomEntry, from news) atomEntry {
	entry.Published = from.Created.Format(time.RFC3339)
	entry.Summary = &feeds.AtomSummary{Type: "text", Content: from.summary}
	out := atomEntry{AtomEntry: entry}
	for _, term := range from.terms {
		out.Categories = append(out.Categories, atomCategory{term})
	}
	return out
}

func (f atomFeed) print() []byte {
	out := []byte(xml.Header)
	for _, path := range Stylesheets {
		out = fmt.Appendf(out, "<?xml-stylesheet type=\"text/css\" href=\"%s\"?>\n", path)
	}
	text, err := xml.MarshalIndent(f, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("print the feed: %v", err)) // it has only texts
	}
	return append(append(out, text...), '\n')
}
