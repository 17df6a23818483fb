package browsertest

import (
	"net/http/httptest"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/changelog"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
)

// TestKnownIssuesAreShown opens the page of known issues with invented ones, because the table of the program may be empty.
func TestKnownIssuesAreShown(t *testing.T) {
	t.Parallel()
	requireBrowser(t)
	table, err := os.ReadFile("../../../changelog/testdata/issues.json")
	if err != nil {
		t.Fatal(err)
	}
	issues, err := changelog.DecodeIssues(table)
	if err != nil {
		t.Fatal(err)
	}
	w := servertest.New(t, servertest.SQLite(t))
	s, err := server.New(server.Config{Service: w.Service, Logger: w.Config.Logger, BaseURL: w.Config.BaseURL, KnownIssues: issues})
	if err != nil {
		t.Fatal(err)
	}
	public := httptest.NewServer(s.Public)
	t.Cleanup(public.Close)
	p := newTab(t, public.URL)
	for name, screen := range map[string]screen{"a desktop": desktop, "a phone": phone} {
		p.on(t, screen)
		p.open(t, public.URL+changelog.IssuesPath+"#2027-02-twice")
		p.wantNoProblems(t)
		if diff := cmp.Diff([]string{}, eval[[]string](t, p, tooWide)); diff != "" {
			t.Errorf("on %s it scrolls sideways (-want +got):\n%s", name, diff)
		}
		want := []string{"Known issues", "Not corrected yet", "Some notifications come twice", "What you can do", "Corrected", `Pictures <late> & "pending"`, "Is something else wrong?"}
		got := eval[[]string](t, p, `[...document.querySelectorAll('main :is(h1, h2, h3, h4)')].filter(e => e.checkVisibility()).map(e => e.innerText)`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("headings on %s (-want +got):\n%s", name, diff)
		}
	}
}
