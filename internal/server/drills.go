package server

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"sellerd/changelog"
	"sellerd/translate"
	"sellerd/translate/guide"
	"sellerd/v1"
)

// This file announces the end of /rest. Drills for everybody, which the operator schedules while the service runs, are on the home page,
// in the timeline of the migration guide and in the feed; reminders are in the change log and the feed from their days on.

// announcements are what pages tell of the end of /rest, beside its date.
type announcements struct {
	drills    []changelog.Drill
	reminders []changelog.Reminder // that are due
}

// byAnnouncements keeps pages that show announcements. It makes them again when the drills have changed or a reminder has become due,
// which is rare.
type byAnnouncements[T any] struct {
	make func(announcements) (T, error)

	mu    sync.Mutex
	made  bool
	of    []v1.AnnouncedDrill
	due   int // how many reminders are
	pages T
	err   error
}

// get returns the pages for what is announced now.
func (p *byAnnouncements[T]) get(ctx context.Context, service *v1.Service) (T, error) {
	announced, reminders := service.AnnouncedDrills(ctx), changelog.Due(translate.Sunset, service.Clock().Now())
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.made || p.due != len(reminders) || !slices.Equal(p.of, announced) {
		p.pages, p.err = p.make(announcements{drillsFrom(announced), reminders})
		p.made, p.of, p.due = true, announced, len(reminders)
	}
	return p.pages, p.err
}

// withPages shows something of the pages for what is announced now.
func withPages[T any](s *Server, of *byAnnouncements[T], show func(http.ResponseWriter, *http.Request, T)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		pages, err := of.get(r.Context(), s.config.Service)
		if err != nil {
			s.config.Service.Refuse(w, r, err)
			return
		}
		show(w, r, pages)
	}
}

func drillsFrom(announced []v1.AnnouncedDrill) (drills []changelog.Drill) {
	for _, d := range announced {
		drill := changelog.Drill{ID: d.ID.String(), From: d.From.Std(), To: d.To.Std(), Announced: d.CreatedAt.Std()}
		if d.CalledOffAt.Set {
			drill.CalledOff = d.CalledOffAt.V.Std()
		}
		drills = append(drills, drill)
	}
	return drills
}

// withDrills puts the drills that are not called off into a timeline, before its last moment: the sunset. One that was ended early
// has taken place.
func withDrills(timeline []guide.Moment, drills []changelog.Drill) []guide.Moment {
	last := len(timeline) - 1
	out := slices.Clone(timeline[:last])
	for _, d := range drills {
		switch {
		case d.EndedEarly():
			out = append(out, guide.Moment{When: d.When(), What: "A drill for everybody, which was ended early: `/rest` answered every request as it will after its end."})
		case d.CalledOff.IsZero():
			out = append(out, guide.Moment{When: d.When(), What: "A drill for everybody: `/rest` answers every request as it will after its end."})
		}
	}
	return append(out, timeline[last])
}

// drillsToCome are the times of the drills that are not over at an instant, for people.
func drillsToCome(announced []v1.AnnouncedDrill, now time.Time) (times []string) {
	for _, d := range drillsFrom(announced) {
		if d.CalledOff.IsZero() && now.Before(d.To) {
			times = append(times, d.When())
		}
	}
	return times
}
