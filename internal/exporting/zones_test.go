package exporting

import (
	"testing"
	"time"
)

func TestADayBeginsWhereClocksChangeAtMidnight(t *testing.T) {
	for _, test := range []struct{ zone, day, want string }{
		{"Europe/Brussels", "2026-03-29", "2026-03-28T23:00:00Z"},
		{"Europe/Brussels", "2026-10-25", "2026-10-24T22:00:00Z"},
		{"America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"}, // no midnight
		{"America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"},   // no midnight
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"},   // two
		{"Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"},     // no midnight
		{"Africa/Cairo", "2026-04-25", "2026-04-24T21:00:00Z"},
		{"Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"}, // no midnight
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.Parse(time.DateOnly, test.day)
		if err != nil {
			t.Fatal(err)
		}
		start := StartOfDay(day.Year(), day.Month(), day.Day(), zone)
		if got := start.UTC().Format(time.RFC3339); got != test.want || start.Add(-time.Second).Day() == day.Day() || start.Day() != day.Day() {
			t.Errorf("%s in %s begins at %s (%s), want %s", test.day, test.zone, got, start, test.want)
		}
	}
}
