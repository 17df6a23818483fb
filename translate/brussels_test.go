package translate

import (
	"testing"
	"time"
	_ "time/tzdata" // for machines without zones

	"github.com/google/go-cmp/cmp"
)

// TestTheOwnZoneIsThatOfTheMachine compares the zone in this folder with the one that this machine or the Go command has, from before the
// first item to long after the end of the old interface.
func TestTheOwnZoneIsThatOfTheMachine(t *testing.T) {
	own, err := time.LoadLocationFromTZData(LegacyZone, ownBrussels)
	if err != nil {
		t.Fatal(err)
	}
	known, err := time.LoadLocation(LegacyZone)
	if err != nil {
		t.Fatal(err)
	}
	end := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	for at := time.Date(1995, 1, 1, 0, 0, 0, 0, time.UTC); at.Before(end); at = at.Add(time.Hour) {
		if diff := cmp.Diff(at.In(known).Format(time.RFC3339), at.In(own).Format(time.RFC3339)); diff != "" {
			t.Fatalf("(-machine +own):\n%s", diff)
		}
	}
}
