package server

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"sellerd/changelog"
	"sellerd/translate"
)

// This file is the calendar of the end of /rest (RFC 5545): the days on which the feed reminds of it, and the end itself.

// calendarType is the media type of calendars.
const calendarType = "text/calendar; charset=utf-8"

// newCalendar is the calendar of an end for a service that is reached at baseURL. It never changes: each event has its stamp from the day on
// which the end was announced.
func newCalendar(end time.Time, baseURL string) []byte {
	var c calendar
	c.line("BEGIN", "VCALENDAR")
	c.line("VERSION", "2.0")
	c.line("PRODID", "-//sellerd//The seller API//EN")
	c.line("CALSCALE", "GREGORIAN")
	c.text("X-WR-CALNAME", "The end of /rest")
	guide := "What to send to /v1 in place of each call: " + baseURL + translate.GuidePath
	for _, r := range changelog.Reminders(end) {
		c.event(r.ID(), baseURL, func() {
			c.line("DTSTART;VALUE=DATE", r.At.Format("20060102")) // the whole day, wherever the reader is
			c.text("SUMMARY", r.Title())
			c.text("DESCRIPTION", "Programs that still call /rest stop working on "+end.Format(longDay)+", 00:00 UTC.\n"+guide+"\n"+
				"See today what they will do then: "+baseURL+"/docs/legacy-rehearsal")
		})
	}
	c.event("sunset", baseURL, func() {
		c.line("DTSTART", end.Format("20060102T150405Z"))
		c.text("SUMMARY", "/rest ends")
		c.text("DESCRIPTION", "From now on, /rest answers every request with 410.\n"+guide)
	})
	c.line("END", "VCALENDAR")
	return c.Bytes()
}

// calendar is a calendar as it is written.
type calendar struct{ bytes.Buffer }

// event writes an event with what all of them have. Its name is in its UID, by which calendars know it again.
func (c *calendar) event(name, baseURL string, own func()) {
	c.line("BEGIN", "VEVENT")
	c.line("UID", name+"@seller-api.delcampe.net")
	c.line("DTSTAMP", translate.Deprecated.Format("20060102T150405Z"))
	own()
	c.line("URL", baseURL+translate.GuidePath)
	c.line("TRANSP", "TRANSPARENT") // nobody is busy then
	c.line("END", "VEVENT")
}

// calendarEscapes are the characters that texts of calendars cannot have as they are.
var calendarEscapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`)

// text writes a property that is a text.
func (c *calendar) text(name, value string) { c.line(name, calendarEscapes.Replace(value)) }

// calendarLine is how many bytes a line may have without its end. What is longer goes on in a line that begins with a blank.
const calendarLine = 75

// line writes a property, in as many lines as it needs. No character is cut.
func (c *calendar) line(name, value string) {
	line := name + ":" + value
	for room := calendarLine; len(line) > room; room = calendarLine - 1 {
		cut := room
		for !utf8.RuneStart(line[cut]) {
			cut--
		}
		c.WriteString(line[:cut] + "\r\n ")
		line = line[cut:]
	}
	c.WriteString(line + "\r\n")
}
