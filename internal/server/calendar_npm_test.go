//go:build npm

package server_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// TestNPMCalendarReader lets an independent reader of calendars, the npm package ical.js, read the calendar of a running server. It needs
// the network, so it stands behind a build tag: make npm
func TestNPMCalendarReader(t *testing.T) {
	folder := installNPM(t, "testdata/calendarreader")
	w := servertest.New(t, servertest.SQLite(t))
	public := httptest.NewServer(w.Server.Public)
	defer public.Close()
	node := exec.CommandContext(t.Context(), "node", "read.js", public.URL+"/migration.ics")
	node.Dir, node.Stderr = folder, os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	type event struct {
		UID, Start, Zone, End, Summary, Description, Stamp, URL string
		Day                                                     bool
	}
	type calendar struct {
		Version, Name string
		Events        []event
	}
	var got calendar
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const guide = "What to send to /v1 in place of each call: http://sellerd.test/migration"
	reminder := func(days, start, end, summary string) event {
		return event{
			"sunset-" + days + "@seller-api.delcampe.net", start, "floating", end, summary + ": /rest ends on 5 October 2027",
			"Programs that still call /rest stop working on 5 October 2027, 00:00 UTC.\n" + guide + "\nSee today what they will do then: http://sellerd.test/docs/legacy-rehearsal",
			"2026-10-05T00:00:00Z", "http://sellerd.test/migration", true,
		}
	}
	want := calendar{"2.0", "The end of /rest", []event{
		reminder("180", "2027-04-08", "2027-04-09", "180 days left"), reminder("90", "2027-07-07", "2027-07-08", "90 days left"),
		reminder("30", "2027-09-05", "2027-09-06", "30 days left"), reminder("7", "2027-09-28", "2027-09-29", "7 days left"),
		reminder("1", "2027-10-04", "2027-10-05", "1 day left"),
		{
			"sunset@seller-api.delcampe.net", "2027-10-05T00:00:00Z", "UTC", "2027-10-05T00:00:00Z", "/rest ends",
			"From now on, /rest answers every request with 410.\n" + guide, "2026-10-05T00:00:00Z", "http://sellerd.test/migration", false,
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}
