package phrases_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/phrases"
)

func TestDays(t *testing.T) {
	first, third := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 8, 3, 23, 59, 0, 0, time.UTC)
	want := map[string][]string{
		"en": {"1 March 2027", "3 August 2027"}, "fr": {"1er mars 2027", "3 août 2027"}, "de": {"1. März 2027", "3. August 2027"},
		"it": {"1º marzo 2027", "3 agosto 2027"}, "es": {"1 de marzo de 2027", "3 de agosto de 2027"}, "nl": {"1 maart 2027", "3 augustus 2027"},
	}
	got := map[string][]string{}
	for language := range want {
		got[language] = []string{phrases.Day(language, first), phrases.Day(language, third)}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
