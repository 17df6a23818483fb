package translate

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"sellerd/v1"
)

// LegacyZone is the time zone of all dates on /rest, which have none themselves.
const LegacyZone = "Europe/Brussels"

// ownBrussels is Europe/Brussels as the zones of Go have it.
//
//go:embed brussels.tzif
var ownBrussels []byte

const localForm = "2006-01-02 15:04:05"

// brussels is the zone that the machine knows, or the one in this file: Windows knows no zones. A program with all zones would be half a
// megabyte larger.
var brussels = func() *time.Location {
	zone, err := time.LoadLocation(LegacyZone)
	if err != nil {
		zone, err = time.LoadLocationFromTZData(LegacyZone, ownBrussels)
	}
	if err != nil {
		panic(err)
	}
	return zone
}()

// LocalTime converts a date in Brussels, without a zone, to an instant in UTC.
var LocalTime = &Converter{
	Name: "local date", Law: Narrowing, Example: [2]string{"2026-11-20 14:23:23", "2026-11-20T13:23:23Z"},
	Doc: "Y-m-d H:i:s in " + LegacyZone + " for UTC. A time that the change to summer time skips is refused; one that the change " +
		"back repeats means the first of the two. What is finer than a second is dropped on the way to /rest.",
	Anchor: "value-date", Becomes: "Brussels → UTC: `2026-11-20 14:23:23` → `2026-11-20T13:23:23Z`",
	Reads: Form{Pattern: localPattern}, Writes: localPattern,
	ToV1:         localToUTC,
	AppendLegacy: appendLocal,
}

func localToUTC(text string) (string, error) {
	t, err := time.ParseInLocation(localForm, text, brussels)
	if err != nil || len(text) != len(localForm) || strings.ContainsAny(text, ".,") {
		return "", valueError("must be a date such as 2026-11-20 14:23:23")
	}
	if t.Format(localForm) != text {
		return "", valueError(fmt.Sprintf("does not exist in %s: the clocks went forward over it", LegacyZone))
	}
	// When a local time exists twice, Go may return either instant.
	if earlier := t.Add(-time.Hour); earlier.Format(localForm) == text {
		t = earlier
	}
	if t.UTC().Year() < 1970 {
		return "", valueError("must be after 1970")
	}
	return t.UTC().Format(time.RFC3339), nil
}

// appendLocal appends the local time of an instant that is given as a text.
func appendLocal(b, v1Text []byte) []byte {
	t, err := time.Parse(time.RFC3339, string(v1Text))
	if err != nil {
		return append(b, v1Text...)
	}
	return appendLocalTime(b, v1.TimeOf(t))
}

// appendLocalTime appends the local time of an instant. It cuts it out of RFC 3339, which the standard library writes in half
// the time of any other form.
func appendLocalTime(b []byte, t v1.Time) []byte {
	start := len(b)
	b = t.Std().In(brussels).AppendFormat(b, time.RFC3339)
	end := start + bytes.IndexByte(b[start:], 'T') // years have five digits from 10000 on
	b[end] = ' '
	return b[:end+len(" 15:04:05")]
}

// Hour is the time of day at which an item should end.
var Hour = verbatim(Converter{
	Name: "hour of the day", Law: Canonical, Example: [2]string{"18:00", "18:00"},
	Doc:    "HH:MM for HH:MM. A full hour from 0 to 23 is understood as well.",
	Anchor: "value-hour", Becomes: "`18:00` → `18:00`",
	Reads: Form{Pattern: `([01]?[0-9]|2[0-3])(:[0-5][0-9])?`}, Writes: `([01][0-9]|2[0-3]):[0-5][0-9]`,
	ToV1: func(text string) (string, error) {
		for _, form := range []string{"15", "15:04"} {
			if t, err := time.Parse(form, text); err == nil {
				return t.Format("15:04"), nil
			}
		}
		return "", valueError("must be an hour from 0 to 23, or HH:MM")
	},
})
