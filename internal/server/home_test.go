package server_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sellerd/changelog"
	"sellerd/translate"
)

func TestTheHomePageTellsHowLongTheOldInterfaceAnswers(t *testing.T) {
	for _, c := range []struct {
		name string
		at   time.Time
		want string
	}{
		{"on the first day", translate.Deprecated, "365 days are left."},
		{"a day before the end", translate.Sunset.Add(-25 * time.Hour), "2 days are left."},
		{"in its last hour", translate.Sunset.Add(-time.Hour), "Less than a day is left."},
		{"at its end", translate.Sunset, "was switched off on 5 October 2027 and answers 410"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, s, _ := logged(t)
			w.Clock.Advance(c.at.Sub(w.Clock.Now()))
			page := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(get(s.Public, "/").Body.String(), "")
			if !strings.Contains(page, c.want) {
				t.Errorf("it does not say %q:\n%s", c.want, page)
			}
		})
	}
}

func TestTheHomePageLeadsToTheLastRelease(t *testing.T) {
	_, s, _ := logged(t)
	releases := changelog.Releases()
	last := slices.IndexFunc(releases, changelog.Release.Released)
	if last < 0 {
		t.Fatal("nothing is released")
	}
	if link := `<a href="/changelog/` + releases[last].Version + `">`; !strings.Contains(get(s.Public, "/").Body.String(), link) {
		t.Errorf("there is no %s", link)
	}
}
