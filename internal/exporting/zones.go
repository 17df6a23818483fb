package exporting

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"io"
	"time"
)

// zoneFiles are the time zones of IANA: gzip -9n < "$(go env GOROOT)/lib/time/zoneinfo.zip". Windows has none, and package time/tzdata would
// make the program of sellers four times as much larger.
//
//go:embed zoneinfo.zip.gz
var zoneFiles []byte

// LoadZone finds a time zone by its IANA name, on this machine or in the program. "Local" is none: it differs from machine to machine.
func LoadZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" {
		return nil, errors.New("it is not a name of IANA")
	}
	if zone, err := time.LoadLocation(name); err == nil {
		return zone, nil
	}
	return ownZone(name)
}

// ownZone finds a time zone in the program.
func ownZone(name string) (*time.Location, error) {
	packed, err := gzip.NewReader(bytes.NewReader(zoneFiles))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(packed)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(all), int64(len(all)))
	if err != nil {
		return nil, err
	}
	file, err := archive.Open(name)
	if err != nil {
		return nil, errors.New("there is no such time zone")
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(name, data)
}

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
