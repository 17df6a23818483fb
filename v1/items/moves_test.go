package items

import (
	"testing"
	"time"

	"sellerd/v1/wire"

	"pgregory.net/rapid"
)

// In Brussels the clocks go back from 03:00 to 02:00 on Sunday 25 October 2026 (01:00 UTC), so that 02:00 to 03:00 occurs
// twice, and forward from 02:00 to 03:00 on Sunday 28 March 2027 (01:00 UTC), so that 02:00 to 03:00 does not occur.
func TestAnEndMovesOnToThePreferredDayAndTime(t *testing.T) {
	for _, test := range []struct {
		name        string
		start       string
		days        int
		day, clock  string
		zone, ended string
	}{
		{"without wishes it is the duration to the second", "2026-11-21T12:00:07.5Z", 7, "", "", "Europe/Brussels", "2026-11-28T12:00:07.5Z"},
		{"the clocks' change does not touch a duration", "2026-10-20T12:00:00Z", 7, "", "", "Europe/Brussels", "2026-10-27T12:00:00Z"},
		{"a day that fits keeps the end as it is", "2026-11-21T12:00:07.5Z", 7, "sat", "", "Europe/Brussels", "2026-11-28T12:00:07.5Z"},
		{"a later day keeps the time of day", "2026-11-21T12:00:07.5Z", 7, "mon", "", "Europe/Brussels", "2026-11-30T12:00:07.5Z"},
		{"the day before comes six days later", "2026-11-21T12:00:00Z", 7, "fri", "", "Europe/Brussels", "2026-12-04T12:00:00Z"},
		{"a later time is on the same day", "2026-11-21T12:00:00Z", 7, "", "20:30", "Europe/Brussels", "2026-11-28T19:30:00Z"},
		{"an earlier time is on the next day", "2026-11-21T12:00:00Z", 7, "", "09:00", "Europe/Brussels", "2026-11-29T08:00:00Z"},
		{"the very time is on the same day", "2026-11-21T12:00:00Z", 7, "", "13:00", "Europe/Brussels", "2026-11-28T12:00:00Z"},
		{"seconds after the time make it the next day", "2026-11-21T12:00:01Z", 7, "", "13:00", "Europe/Brussels", "2026-11-29T12:00:00Z"},
		{"a day and a time of it that is over wait a week", "2026-11-21T12:00:00Z", 7, "sat", "09:00", "Europe/Brussels", "2026-12-05T08:00:00Z"},
		{"a day and a time ahead are taken together", "2026-11-21T12:00:00Z", 7, "sun", "20:30", "Europe/Brussels", "2026-11-29T19:30:00Z"},
		{"the day is the zone's, not UTC's", "2026-11-21T23:30:00Z", 7, "sun", "", "Europe/Brussels", "2026-11-28T23:30:00Z"},
		{"an unknown zone is UTC", "2026-11-21T12:00:00Z", 7, "", "20:30", "Nowhere/Atall", "2026-11-28T20:30:00Z"},

		{"in autumn the repeated hour's first time stays", "2026-10-18T00:30:00Z", 7, "sun", "", "Europe/Brussels", "2026-10-25T00:30:00Z"},
		{"in autumn the repeated hour's second time stays", "2026-10-18T01:30:00Z", 7, "sun", "", "Europe/Brussels", "2026-10-25T01:30:00Z"},
		{"out of the second 02:30 to a Monday's 02:30", "2026-10-18T01:30:00Z", 7, "mon", "", "Europe/Brussels", "2026-10-26T01:30:00Z"},
		{"from a Saturday's 02:30 into the repeated hour's first time", "2026-10-17T00:30:00Z", 7, "sun", "", "Europe/Brussels", "2026-10-25T00:30:00Z"},
		{"after autumn's change an evening stays an evening", "2026-10-17T18:30:00Z", 7, "sun", "20:30", "Europe/Brussels", "2026-10-25T19:30:00Z"},
		{"the time of the second 02:30 stays", "2026-10-18T01:30:00Z", 7, "", "02:30", "Europe/Brussels", "2026-10-25T01:30:00Z"},
		{"the day and time of the second 02:30 stay", "2026-10-18T01:30:00Z", 7, "sun", "02:30", "Europe/Brussels", "2026-10-25T01:30:00Z"},
		{"02:45 is still ahead at the second 02:30", "2026-10-18T01:30:00Z", 7, "sun", "02:45", "Europe/Brussels", "2026-10-25T01:45:00Z"},

		// In New York the hour from 01:00 to 02:00 repeats on Sunday 1 November 2026, at 05:00 and at 06:00 UTC.
		{"west of Greenwich too the first of the two", "2026-10-24T05:30:00Z", 7, "sun", "", "America/New_York", "2026-11-01T05:30:00Z"},
		{"west of Greenwich the repeated hour's second time stays", "2026-10-25T06:30:00Z", 7, "sun", "", "America/New_York", "2026-11-01T06:30:00Z"},
		{"west of Greenwich the day and time of the second 01:30 stay", "2026-10-25T06:30:00Z", 7, "sun", "01:30", "America/New_York", "2026-11-01T06:30:00Z"},
		{"west of Greenwich 01:45 is still ahead at the second 01:30", "2026-10-25T06:30:00Z", 7, "sun", "01:45", "America/New_York", "2026-11-01T06:45:00Z"},

		{"in spring 02:30 is the hour after the gap", "2027-03-20T12:00:00Z", 7, "sun", "02:30", "Europe/Brussels", "2027-03-28T01:30:00Z"},
		{"in spring the end's own 02:30 moves with the gap", "2027-03-20T01:30:00Z", 7, "sun", "", "Europe/Brussels", "2027-03-28T01:30:00Z"},
		{"after spring's change an evening stays an evening", "2027-03-20T18:30:00Z", 7, "sun", "20:30", "Europe/Brussels", "2027-03-28T18:30:00Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := endAfter(instantOf(t, test.start), test.days, test.day, test.clock, test.zone)
			if want := instantOf(t, test.ended); got != want {
				t.Errorf("%v instead of %v", got, want)
			}
		})
	}
}

// TestAnEndNeverComesEarly draws ends around the nights on which the clocks change, where calendars go wrong.
func TestAnEndNeverComesEarly(t *testing.T) {
	changes := []time.Time{
		time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC),
		time.Date(2027, 3, 14, 7, 0, 0, 0, time.UTC), time.Date(2027, 3, 28, 1, 0, 0, 0, time.UTC),
	}
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.SampledFrom([]int{7, 10, 14, 21, 28}).Draw(t, "days")
		minutes := rapid.IntRange(-9*24*60, 2*24*60).Draw(t, "minutes from the change")
		duration := time.Duration(days) * 24 * time.Hour
		earliest := wire.TimeOf(rapid.SampledFrom(changes).Draw(t, "change").Add(time.Duration(minutes) * time.Minute))
		day := rapid.SampledFrom([]string{"", "sun", "mon", "tue", "wed", "thu", "fri", "sat"}).Draw(t, "day")
		clock := rapid.SampledFrom([]string{"", "00:00", "01:59", "02:00", "02:30", "03:00", "20:30", "23:59"}).Draw(t, "time")
		zone := rapid.SampledFrom([]string{"Europe/Brussels", "Europe/London", "America/New_York", "UTC"}).Draw(t, "zone")

		end := endAfter(earliest.Add(-duration), days, day, clock, zone)
		if end < earliest {
			t.Fatalf("%v is before %v", end, earliest)
		}
		longest := 24 * time.Hour // to the next such time of day
		if day != "" {
			longest *= 7
		}
		if over := end.Sub(earliest); over > longest+time.Hour { // an autumn day has 25 hours
			t.Fatalf("%v is %v after %v", end, over, earliest)
		}
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		if local := end.Std().In(location); day != "" && local.Weekday() != weekdays[day] {
			t.Fatalf("%v is a %v", local, local.Weekday())
		}
	})
}

func instantOf(t *testing.T, text string) wire.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return wire.TimeOf(at)
}
