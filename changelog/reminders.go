package changelog

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gorilla/feeds"
)

// This file reminds of the end of /rest in the feed, on days that follow from the date of the end.

// Reminder is a day on which the feed reminds of the end of /rest.
type Reminder struct {
	Days int       // how many days are left
	At   time.Time // when it is due
	End  time.Time
}

// reminderDays are how many days before the end the feed reminds of it. They are in the ids of its entries, so they never change.
var reminderDays = []int{180, 90, 30, 7, 1}

// Reminders are the days on which the feed reminds of an end, the first one first.
func Reminders(end time.Time) (all []Reminder) {
	for _, days := range reminderDays {
		all = append(all, Reminder{days, end.AddDate(0, 0, -days), end})
	}
	return all
}

// Due are the reminders that are due at an instant.
func Due(end, now time.Time) []Reminder {
	return slices.DeleteFunc(Reminders(end), func(r Reminder) bool { return now.Before(r.At) })
}

// ID names the reminder for ever: it is its anchor in the page, and its name in the calendar.
func (r Reminder) ID() string { return "sunset-" + strconv.Itoa(r.Days) }

// Title is the reminder in a line.
func (r Reminder) Title() string {
	left := " days left"
	if r.Days == 1 {
		left = " day left"
	}
	return strconv.Itoa(r.Days) + left + ": /rest ends on " + r.End.Format(reminderDay)
}

const reminderDay = "2 January 2006"

// Text is what the reminder says, as Markdown.
func (r Reminder) Text() Markup {
	return Markup(fmt.Sprintf("From %s, 00:00 UTC, on, `/rest` answers every request with 410, and programs that still call it stop working.\n\n"+
		"[The migration guide](/migration) shows for each call what to send to `/v1` in its place. [Your own list](/migration/usage) shows the calls that "+
		"your account still makes. [A drill](/docs/legacy-rehearsal) shows today what your programs will do then.", r.End.Format(reminderDay)))
}

// Terms are the categories of reminders.
func (Reminder) Terms() []string { return []string{string(Deprecation), "rest"} }

// reminderNews are the entries of reminders.
func reminderNews(due []Reminder, baseURL string) (entries []news) {
	for _, r := range due {
		entries = append(entries, news{feeds.Item{
			Id: tag + "/sunset/" + strconv.Itoa(r.Days), Title: r.Title(), Created: r.At, Updated: r.At, Content: r.Text().HTML(baseURL),
			Link: &feeds.Link{Href: baseURL + PagePath + "#" + r.ID(), Type: "text/html"},
		}, r.Text().summary(), r.Terms()})
	}
	return entries
}
