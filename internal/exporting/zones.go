package exporting

import "time"

// StartOfDay is the first instant of a day in a time zone. Where clocks change at midnight, the day has no midnight, or two.
func StartOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	noon := time.Date(year, month, day, 12, 0, 0, 0, zone)
	midnight := time.Date(year, month, day, 0, 0, 0, 0, zone)
	switch change, _ := noon.ZoneBounds(); {
	case midnight.YearDay() != noon.YearDay() || midnight.Hour() != 0: // the clock went over it
		return change
	case midnight.Add(-time.Hour).YearDay() == noon.YearDay(): // the second midnight
		return midnight.Add(-time.Hour)
	}
	return midnight
}
