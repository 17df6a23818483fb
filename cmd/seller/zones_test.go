package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTheOwnZonesAreThoseOfTheMachine compares zones of several parts of the world, from before the first item on.
func TestTheOwnZonesAreThoseOfTheMachine(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Brussels", "Europe/London", "Europe/Kyiv", "America/New_York", "America/Argentina/Buenos_Aires", "Asia/Tokyo"} {
		own, err := ownZone(name)
		if err != nil {
			t.Fatal(err)
		}
		known, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		end := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
		for at := time.Date(1995, 1, 1, 0, 0, 0, 0, time.UTC); at.Before(end); at = at.Add(6 * time.Hour) {
			if diff := cmp.Diff(at.In(known).Format(time.RFC3339), at.In(own).Format(time.RFC3339)); diff != "" {
				t.Fatalf("%s (-machine +own):\n%s", name, diff)
			}
		}
	}
	for _, name := range []string{"Europe/Atlantis", "../zones.go", "Europe"} {
		if zone, err := ownZone(name); err == nil {
			t.Errorf("%q is %s", name, zone)
		}
	}
}
