package server_test

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// feedEntry is an entry of the feed as a reader sees it.
type feedEntry struct {
	ID, Title, Updated, Summary string
	Term                        string
}

func drillsInFeed(t *testing.T, handler http.Handler, path string) []feedEntry {
	t.Helper()
	var feed struct {
		Entries []struct {
			ID         string `xml:"id"`
			Title      string `xml:"title"`
			Updated    string `xml:"updated"`
			Summary    string `xml:"summary"`
			Categories []struct {
				Term string `xml:"term,attr"`
			} `xml:"category"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(get(handler, path).Body.Bytes(), &feed); err != nil {
		t.Fatal(err)
	}
	found := []feedEntry{}
	for _, e := range feed.Entries {
		if strings.Contains(e.ID, "/drill/") {
			found = append(found, feedEntry{e.ID, e.Title, e.Updated, e.Summary, e.Categories[0].Term})
		}
	}
	return found
}

func TestADrillForAllIsAnnounced(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const when = "30 November 2026, 23:00 to 1 December 2026, 01:30 UTC"
		shown := func(what, path string, want bool) {
			t.Helper()
			if got := strings.Contains(get(w.Server.Public, path).Body.String(), when); got != want {
				t.Errorf("%s: %s shows it: %v", what, path, got)
			}
		}
		pages := func(what string, want bool) {
			t.Helper()
			for _, path := range []string{"/", "/migration", "/migration.md", "/migration.json"} {
				shown(what, path, want)
			}
		}
		pages("none is scheduled", false)
		tag := get(w.Server.Public, "/migration.json").Header().Get("ETag")
		begin := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
		made := w.DoOperator(t, servertest.Request{
			Path: "/operator/legacy-drills", Body: map[string]any{"from": v1.TimeOf(begin), "to": v1.TimeOf(begin.Add(150 * time.Minute))},
		})
		if made.Status != http.StatusCreated {
			t.Fatalf("%d %s", made.Status, made.Body)
		}
		id := servertest.Into[map[string]any](t, made)["id"].(string)
		pages("it is scheduled", true)
		if got := get(w.Server.Public, "/migration.json").Header().Get("ETag"); got == tag {
			t.Errorf("the guide has another timeline, and still the tag %s", got)
		}
		entry := feedEntry{
			"tag:delcampe.net,2026-10-05:seller-api/changelog/drill/" + id, "Drill of the end of /rest: " + when, "2026-11-21T12:00:00Z",
			"A drill: /rest answers every request with 410, as it will after its end. " + when + ".", "rest",
		}
		for path, want := range map[string][]feedEntry{"/changelog.atom": {entry}, "/changelog.atom?category=rest": {entry}, "/changelog.atom?category=v1": {}} {
			if diff := cmp.Diff(want, drillsInFeed(t, w.Server.Public, path)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}

		w.Clock.Advance(begin.Add(150*time.Minute - time.Microsecond).Sub(w.Clock.Now()))
		shown("it is about to end", "/", true)
		w.Clock.Advance(time.Microsecond)
		shown("it is over", "/", false)
		shown("it is over", "/migration", true)

		late := w.DoOperator(t, servertest.Request{Method: "DELETE", Path: "/operator/legacy-drills/" + id})
		if diff := cmp.Diff([]feedEntry{entry}, drillsInFeed(t, w.Server.Public, "/changelog.atom")); diff != "" || late.Status != http.StatusNotFound {
			t.Errorf("called off when it is over: %d (-want +got):\n%s", late.Status, diff)
		}
	})
}

func TestADrillThatIsCalledOffIsAnnouncedAsSuch(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const when = "30 November 2026, 23:00 to 1 December 2026, 01:30 UTC"
		begin := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
		id := servertest.Into[map[string]any](t, w.DoOperator(t, servertest.Request{
			Path: "/operator/legacy-drills", Body: map[string]any{"from": v1.TimeOf(begin), "to": v1.TimeOf(begin.Add(150 * time.Minute))},
		}))["id"].(string)
		w.Clock.Advance(time.Hour)
		w.DoOperator(t, servertest.Request{Method: "DELETE", Path: "/operator/legacy-drills/" + id})
		for _, path := range []string{"/", "/migration", "/migration.md", "/migration.json"} {
			if strings.Contains(get(w.Server.Public, path).Body.String(), when) {
				t.Errorf("%s shows it", path)
			}
		}
		entry := feedEntry{ID: "tag:delcampe.net,2026-10-05:seller-api/changelog/drill/" + id, Term: "rest"}
		entry.Title, entry.Updated = "Called off: drill of the end of /rest: "+when, "2026-11-21T13:00:00Z"
		entry.Summary = "The drill of the end of /rest was called off. " + when + "."
		if diff := cmp.Diff([]feedEntry{entry}, drillsInFeed(t, w.Server.Public, "/changelog.atom")); diff != "" {
			t.Errorf("called off (-want +got):\n%s", diff)
		}
	})
}

func TestADrillThatIsEndedEarlyHasTakenPlace(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		begin := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
		id := servertest.Into[map[string]any](t, w.DoOperator(t, servertest.Request{
			Path: "/operator/legacy-drills", Body: map[string]any{"from": v1.TimeOf(begin), "to": v1.TimeOf(begin.Add(150 * time.Minute))},
		}))["id"].(string)
		w.Clock.Advance(begin.Add(30 * time.Minute).Sub(w.Clock.Now()))
		w.DoOperator(t, servertest.Request{Method: "DELETE", Path: "/operator/legacy-drills/" + id})
		const when = "30 November 2026, 23:00 to 23:30 UTC"
		entry := feedEntry{
			"tag:delcampe.net,2026-10-05:seller-api/changelog/drill/" + id, "Ended early: drill of the end of /rest: " + when, "2026-11-30T23:30:00Z",
			"The drill of the end of /rest was ended early. " + when + ".", "rest",
		}
		if diff := cmp.Diff([]feedEntry{entry}, drillsInFeed(t, w.Server.Public, "/changelog.atom")); diff != "" {
			t.Errorf("the feed (-want +got):\n%s", diff)
		}
		if page := get(w.Server.Public, "/migration.md").Body.String(); !strings.Contains(page, when) || !strings.Contains(page, "which was ended early") {
			t.Error("the guide does not say that it was ended early")
		}
		if page := get(w.Server.Public, "/").Body.String(); strings.Contains(page, "A drill for everybody") {
			t.Error("the home page announces it")
		}
	})
}

func TestADrillOfASellerIsNotAnnounced(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	begin := w.Clock.Now().Add(time.Hour)
	w.Do(t, servertest.Request{Path: "/v1/account/legacy-drills", Body: map[string]any{"from": v1.TimeOf(begin), "to": v1.TimeOf(begin.Add(time.Hour))}})
	if got := drillsInFeed(t, w.Server.Public, "/changelog.atom"); len(got) > 0 {
		t.Errorf("the feed: %v", got)
	}
	if page := get(w.Server.Public, "/").Body.String(); strings.Contains(page, "A drill for everybody") {
		t.Errorf("the home page shows it:\n%s", page)
	}
}
