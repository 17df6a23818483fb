package changelog

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the feeds in testdata anew")

const baseURL = "https://api.example.com"

// invented are the releases of testdata: one that is not out, two of one day, and characters that XML cannot have as they are.
func invented(t *testing.T) []Release {
	t.Helper()
	data, err := os.ReadFile("testdata/releases.json")
	if err != nil {
		t.Fatal(err)
	}
	releases, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return releases
}

// inventedIssues are the known issues of testdata: one that is corrected, and one that is not.
func inventedIssues(t *testing.T) []Issue {
	t.Helper()
	data, err := os.ReadFile("testdata/issues.json")
	if err != nil {
		t.Fatal(err)
	}
	issues, err := DecodeIssues(data)
	if err != nil {
		t.Fatal(err)
	}
	return issues
}

func TestFeedsLookLikeThis(t *testing.T) {
	for name, category := range map[string]string{"all": "", "deprecation": "deprecation", "without entries": "breaking", "known-issues": IssueTerm} {
		t.Run(name, func(t *testing.T) {
			feed, err := atom(invented(t), News{Issues: inventedIssues(t)}, baseURL, category)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+".atom")
			if *update {
				if err := os.WriteFile(golden, feed.XML, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(feed.XML)); diff != "" {
				t.Errorf("(-golden +made), go test ./changelog -update writes it anew:\n%s", diff)
			}
		})
	}
}

func TestAFeedIsAsOldAsItsNewestEntry(t *testing.T) {
	for name, c := range map[string]struct{ category, want string }{
		"a corrected issue is as new as its correction":       {"", "2027-03-02T08:00:00Z"},
		"of two on one day the later one is a second later":   {"fix", "2027-03-01T00:00:01Z"},
		"a category has its own newest entry, at its instant": {"deprecation", "2027-03-01T15:04:05Z"},
		"without entries it is as old as the log":             {"addition", "2027-02-03T00:00:00Z"},
		"what is not out does not count, though it is newer":  {"breaking", "2027-02-03T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			feed, err := atom(invented(t), News{Issues: inventedIssues(t)}, baseURL, c.category)
			if err != nil {
				t.Fatal(err)
			}
			if got := feed.Updated.Format(time.RFC3339); got != c.want || !strings.Contains(string(feed.XML), "<updated>"+c.want+"</updated>") {
				t.Errorf("want %s, got %s and\n%.600s", c.want, got, feed.XML)
			}
		})
	}
}

// TestReleasesThatAreOutKeepTheirPlace has what readers have stored of the releases that were announced with their day alone. Later ones
// have the instant of their seal.
func TestReleasesThatAreOutKeepTheirPlace(t *testing.T) {
	feed, err := Atom(News{}, baseURL, "")
	if err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(`(?s)<entry>.*?<updated>(.*?)</updated>.*?<id>(.*?)</id>.*?<published>(.*?)</published>`)
	var got []string
	for _, found := range entry.FindAllStringSubmatch(string(feed.XML), -1) {
		got = append(got, strings.Join([]string{found[2], found[3], found[1]}, " "))
	}
	const id = "tag:delcampe.net,2026-10-05:seller-api/changelog/"
	want := []string{
		id + "1.5.0 2026-11-23T00:00:02Z 2026-11-23T00:00:02Z", id + "1.4.0 2026-11-23T00:00:01Z 2026-11-23T00:00:01Z",
		id + "1.3.0 2026-11-23T00:00:00Z 2026-11-23T00:00:00Z", id + "1.2.1 2026-11-22T00:00:01Z 2026-11-22T00:00:01Z",
		id + "1.2.0 2026-11-22T00:00:00Z 2026-11-22T00:00:00Z", id + "1.1.0 2026-10-06T00:00:00Z 2026-10-06T00:00:00Z",
		id + "1.0.0 2026-10-05T00:00:00Z 2026-10-05T00:00:00Z",
	}
	if diff := cmp.Diff(want, got[max(0, len(got)-len(want)):]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIDsDoNotDependOnTheAddress(t *testing.T) {
	ids := func(base string) []string {
		feed, err := Atom(News{Issues: Issues()}, base, "")
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`<id>.*</id>`).FindAllString(string(feed.XML), -1)
	}
	want := ids("https://api.example.com")
	if len(want) < 4 {
		t.Fatalf("the feed has the ids %q", want)
	}
	if diff := cmp.Diff(want, ids("http://localhost:8080")); diff != "" {
		t.Error(diff)
	}
	tagURI := regexp.MustCompile(`^<id>tag:[a-z0-9.-]+,\d{4}-\d\d-\d\d:[a-z0-9./-]+</id>$`) // RFC 4151, as far as we use it
	seen := map[string]bool{}
	for _, id := range want {
		if !tagURI.MatchString(id) || seen[id] {
			t.Errorf("%s is not a tag of its own", id)
		}
		seen[id] = true
	}
}

func TestAnUnknownCategoryIsNoEmptyFeed(t *testing.T) {
	if feed, err := Atom(News{Issues: Issues()}, baseURL, "soap"); err == nil {
		t.Errorf("got %s", feed.XML)
	}
}

func TestTheFeedIsWellFormed(t *testing.T) {
	for _, c := range append([]Category{{}}, Categories...) {
		feed, err := Atom(News{Issues: Issues()}, baseURL, c.Term)
		if err != nil {
			t.Fatal(err)
		}
		decoder := xml.NewDecoder(strings.NewReader(string(feed.XML)))
		for err == nil {
			_, err = decoder.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("category %q: %v", c.Term, err)
		}
	}
}

func TestLinksInTextsLeadToTheService(t *testing.T) {
	release := Release{Text: "See [the sandbox](/docs/sandbox), [RFC 4287](https://www.rfc-editor.org/rfc/rfc4287) and [above](#top)."}
	want := `<p>See <a href="https://api.example.com/docs/sandbox">the sandbox</a>, <a href="https://www.rfc-editor.org/rfc/rfc4287">RFC 4287</a> and <a href="#top">above</a>.</p>` + "\n"
	if diff := cmp.Diff(want, release.Text.HTML(baseURL)); diff != "" {
		t.Error(diff)
	}
}

func TestTheSummaryIsTheFirstParagraphAsPlainText(t *testing.T) {
	release := Release{Text: "Items **can** be\n`checked`, see [the page](/docs).\n\nAnd more."}
	if diff := cmp.Diff("Items can be checked, see the page.", release.Text.summary()); diff != "" {
		t.Error(diff)
	}
}
