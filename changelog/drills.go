package changelog

import (
	"time"

	"github.com/gorilla/feeds"
)

// This file announces drills of the end of /rest in the feed. The operator schedules them while the service runs.

// drillTerm is the category of drills.
const drillTerm = "rest"

// Drill is a time in which /rest answers everybody as after its end.
type Drill struct {
	ID        string
	From, To  time.Time
	Announced time.Time
	CalledOff time.Time // when it was called off or, if it was running, ended; zero if it was not
}

// EndedEarly says whether the drill was ended while it was running.
func (d Drill) EndedEarly() bool { return !d.CalledOff.IsZero() && !d.CalledOff.Before(d.From) }

// When is the time of a drill for people: 2 March 2027, 10:00 to 12:00 UTC. A drill that was ended early has the time that it took.
func (d Drill) When() string {
	const day, minute = "2 January 2006", "15:04"
	from, to := d.From.UTC(), d.To.UTC()
	if d.EndedEarly() {
		to = d.CalledOff.UTC()
	}
	text := from.Format(day+", "+minute) + " to "
	if from.Format(day) != to.Format(day) {
		text += to.Format(day + ", ")
	}
	return text + to.Format(minute) + " UTC"
}

// state says in a sentence what happens in a drill, how its entry begins, and when that was known last.
func (d Drill) state() (what, title string, updated time.Time) {
	switch {
	case d.EndedEarly():
		return "The drill of the end of /rest was ended early.", "Ended early: drill of the end of /rest: ", d.CalledOff
	case !d.CalledOff.IsZero():
		return "The drill of the end of /rest was called off.", "Called off: drill of the end of /rest: ", d.CalledOff
	}
	return "A drill: /rest answers every request with 410, as it will after its end.", "Drill of the end of /rest: ", d.Announced
}

// What says what happens in a drill, in one sentence.
func (d Drill) What() string {
	what, _, _ := d.state()
	return what
}

// drillNews are the entries of drills. A drill that is called off or ended early keeps its entry, which says so.
func drillNews(drills []Drill, baseURL string) (entries []news) {
	for _, d := range drills {
		what, title, updated := d.state()
		entries = append(entries, news{feeds.Item{
			Id: tag + "/drill/" + d.ID, Title: title + d.When(), Created: d.Announced, Updated: updated,
			Content: "<p>" + what + " " + d.When() + ".</p>\n<p><a href=\"" + baseURL + "/migration\">The migration guide</a> leads to /v1.</p>\n",
			Link:    &feeds.Link{Href: baseURL + "/migration", Type: "text/html"},
		}, what + " " + d.When() + ".", []string{drillTerm}})
	}
	return entries
}
