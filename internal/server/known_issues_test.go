package server_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sellerd/changelog"
	"sellerd/internal/server"
)

func TestTodayNoIssueIsOpen(t *testing.T) {
	_, s, _ := logged(t)
	page := get(s.Public, "/known-issues").Body.String()
	if slices.ContainsFunc(changelog.Issues(), changelog.Issue.Open) || !strings.Contains(page, "No issue is known to affect programs.") {
		t.Errorf("the page is\n%s", page)
	}
	for _, issue := range changelog.Issues() {
		if !strings.Contains(page, `id="`+issue.ID+`"`) {
			t.Errorf("the page does not list %s, which was corrected", issue.ID)
		}
	}
}

func TestAKnownIssueIsOnThePageAndInTheFeed(t *testing.T) {
	w, _, _ := logged(t)
	table, err := os.ReadFile("../../changelog/testdata/issues.json")
	if err != nil {
		t.Fatal(err)
	}
	issues, err := changelog.DecodeIssues(table)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Service: w.Service, BaseURL: w.Config.BaseURL, Logger: w.Config.Logger, KnownIssues: issues})
	if err != nil {
		t.Fatal(err)
	}
	page := get(s.Public, "/known-issues").Body.String()
	if strings.Contains(page, "No issue is known") {
		t.Error("the page says that no issue is known")
	}
	open, corrected := strings.Index(page, `id="2027-02-twice"`), strings.Index(page, `id="2027-02-late-pictures"`)
	if open < 0 || corrected < open {
		t.Errorf("the open issue is at %d and the corrected one at %d", open, corrected)
	}
	for _, want := range []string{
		`since <time datetime="2027-02-03">3 February 2027</time> · affects`, `<code>/v1</code>, <code>/rest</code>`,
		`<h4>What you can do</h4>`, `<a href="/docs/webhooks">Webhooks</a>`,
		`Pictures &lt;late&gt; &amp; &#34;pending&#34;`, `corrected on <time datetime="2027-03-01">1 March 2027</time>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s:\n%s", want, page)
		}
	}
	for path, want := range map[string]int{"/changelog.atom?category=known-issue": 2, "/changelog.atom?category=rest": 1, "/changelog.atom": 2} {
		feed := get(s.Public, path).Body.String()
		if got := strings.Count(feed, w.Config.BaseURL+"/known-issues#2027-02-"); got != want {
			t.Errorf("%s has %d known issues, want %d:\n%s", path, got, want, feed)
		}
	}
}
