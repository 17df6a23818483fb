package server_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	if link := `<a href="/changelog/` + releases[last].Version + `"`; !strings.Contains(get(s.Public, "/").Body.String(), link) {
		t.Errorf("there is no %s", link)
	}
}

// TestTheTimelineCancelsTheMonthsThatHavePassed counts the stamps of the timeline on some days.
func TestTheTimelineCancelsTheMonthsThatHavePassed(t *testing.T) {
	for _, c := range []struct {
		at   time.Time
		want []int // stamps, passed, current
	}{
		{translate.Deprecated, []int{12, 0, 1}},
		{translate.Deprecated.AddDate(0, 1, 0), []int{12, 1, 1}},
		{translate.Sunset.Add(-time.Hour), []int{12, 11, 1}},
	} {
		w, s, _ := logged(t)
		w.Clock.Advance(c.at.Sub(w.Clock.Now()))
		page := get(s.Public, "/").Body.String()
		_, page, _ = strings.Cut(page, `<div class="strip"`)
		page, _, _ = strings.Cut(page, "</div>")
		got := []int{strings.Count(page, "</span></span>"), strings.Count(page, `class="past"`), strings.Count(page, `class="now"`)}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("at %s: stamps, passed, current (-want +got):\n%s", c.at, diff)
		}
	}
}

// mostOfHome is how many bytes the home page and all that it loads may have, without compression.
const mostOfHome = 60 << 10

// TestTheHomePageIsSmall counts the bytes of the page, and of the stylesheet, the scripts and the pictures that it loads.
func TestTheHomePageIsSmall(t *testing.T) {
	_, s, _ := logged(t)
	page := get(s.Public, "/").Body.String()
	total := len(page)
	for _, loaded := range regexp.MustCompile(`<(?:script src|link rel="(?:stylesheet|icon)" href|img src)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		got := get(s.Public, loaded[1])
		if got.Code != http.StatusOK {
			t.Errorf("%s: %d", loaded[1], got.Code)
		}
		t.Logf("%6d %s", got.Body.Len(), loaded[1])
		total += got.Body.Len()
	}
	t.Logf("%6d the page, %d in all", len(page), total)
	if total > mostOfHome {
		t.Errorf("it loads %d bytes, more than %d", total, mostOfHome)
	}
}

// TestTheHomePageShowsARequestInFiveLanguages expects the sample that the reference has, in tabs.
func TestTheHomePageShowsARequestInFiveLanguages(t *testing.T) {
	_, s, _ := logged(t)
	page := get(s.Public, "/").Body.String()
	var tabs []string
	for _, tab := range regexp.MustCompile(`role="tabpanel" aria-label="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		tabs = append(tabs, tab[1])
	}
	if diff := cmp.Diff([]string{"curl", "PHP", "JavaScript", "Python", "Go"}, tabs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Count(page, "/v1/items") < len(tabs) {
		t.Error("a sample does not create an item")
	}
}
