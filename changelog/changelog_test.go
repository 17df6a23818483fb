package changelog_test

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/changelog"
)

func TestTheFilesAreAsTheyArePrinted(t *testing.T) {
	compare(t, path.Base(changelog.File), changelog.Decode, changelog.Encode[changelog.Release])
	compare(t, path.Base(changelog.IssuesFile), changelog.DecodeIssues, changelog.Encode[changelog.Issue])
}

// compare reads and prints a table, and the table of the same name in testdata.
func compare[E any](t *testing.T, name string, decode func([]byte) ([]E, error), encode func([]E) []byte) {
	for _, name := range []string{name, "testdata/" + name} {
		t.Run(name, func(t *testing.T) {
			committed, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := decode(committed)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(committed), string(encode(entries))); diff != "" {
				t.Errorf("(-committed +printed):\n%s", diff)
			}
		})
	}
}

func TestTheReleasesAreThere(t *testing.T) {
	dates := map[string]string{}
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		release, ok := changelog.Find(version)
		if !ok {
			t.Errorf("there is no release %s", version)
		}
		dates[version] = release.Date
	}
	if diff := cmp.Diff(map[string]string{"1.0.0": "2026-10-05", "1.1.0": "2026-10-06", "1.2.0": "2026-11-22"}, dates); diff != "" {
		t.Errorf("their dates (-want +got):\n%s", diff)
	}
	if release, ok := changelog.Find("9.9.9"); ok {
		t.Errorf("there is a release %+v", release)
	}
}

func TestNobodyCanChangeTheTable(t *testing.T) {
	changelog.Releases()[0].Version = "0.0.0"
	if got := changelog.Releases()[0].Version; got == "0.0.0" {
		t.Error("the next reader sees the change")
	}
}

func TestMistakesAreNamed(t *testing.T) {
	committed, err := os.ReadFile("testdata/releases.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"an unknown member":                   {`"title": "The first"`, `"titel": "The first"`, "titel"},
		"a member that comes twice":           {`"title": "The first"`, `"title": "The first", "title": "Again"`, "duplicate"},
		"a version that is not three numbers": {`"1.1.1"`, `"1.1"`, "release 1.1: its version is not three numbers"},
		"an older version on top":             {`"1.1.1"`, `"1.0.9"`, "release 1.0.9 stands before 1.1.0"},
		"a version that comes twice":          {`"1.1.1"`, `"1.1.0"`, "release 1.1.0 stands before 1.1.0"},
		"a day that does not exist":           {`"2027-02-03"`, `"2027-02-30"`, "release 1.0.0: its date is neither"},
		"a day before that of the one below":  {`"2027-02-03"`, `"2027-04-03"`, "release 1.1.0 of 2027-03-01 is not newer than 1.0.0 of 2027-04-03"},
		"an instant before that of the one below": {
			`"2027-03-01T15:04:05Z"`, `"2027-03-01T00:00:01Z"`, "release 1.2.0 of 2027-03-01T00:00:01Z is not newer than 1.1.1 of 2027-03-01",
		},
		"an instant of another zone":      {`"2027-03-01T15:04:05Z"`, `"2027-03-01T15:04:05+01:00"`, "release 1.2.0: its date is neither"},
		"an instant with a fraction":      {`"2027-03-01T15:04:05Z"`, `"2027-03-01T15:04:05.5Z"`, "release 1.2.0: its date is neither"},
		"an hour that does not exist":     {`"2027-03-01T15:04:05Z"`, `"2027-03-01T25:04:05Z"`, "release 1.2.0: its date is neither"},
		"no date below the newest":        {`"2027-02-03"`, `""`, "release 1.0.0: only the newest release can be without a date"},
		"a kind that does not exist":      {`"fix"`, `"bugfix"`, `release 1.1.1: there is no kind "bugfix"`},
		"a second first release":          {`"fix"`, `"initial"`, "release 1.1.1: the kind of the first release"},
		"a first release of another kind": {`"initial"`, `"addition"`, "release 1.0.0: the kind of the first release"},
		"a category that does not exist":  {`"rest"`, `"soap"`, `release 1.1.0: there is no category "soap"`},
		"the kind among the categories":   {`"rest"`, `"deprecation"`, `release 1.1.0: it is twice in the category "deprecation"`},
		"an operation that comes twice":   {`"UpdateItem"`, `"GetItem"`, `release 1.1.1: it names the operation "GetItem" twice`},
		"no operations":                   {"\"GetItem\",\n      \"UpdateItem\"", "", "release 1.1.1: it names no operations"},
		"no title":                        {`"The first"`, `""`, "release 1.0.0: its title is not one line"},
		"no text":                         {`"It began."`, `""`, "release 1.0.0: it has no text"},
		"a heading of the page's rank":    {`"It began."`, `"## It began"`, "release 1.0.0: headings of its text begin with ###"},
		"HTML in the text":                {`"It began."`, `"It <b>began</b>."`, "release 1.0.0: its text has HTML"},
		"a hash that is cut short":        {strings.Repeat("0", 64), "00", "release 1.1.1: its contract_hash"},
		"a seal in capital letters":       {strings.Repeat("1", 64), strings.Repeat("A", 64), "release 1.1.1: its seal"},
		"no releases":                     {string(committed), "[]", "there are no releases"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(string(committed), c.old) {
				t.Fatalf("the table has no %s", c.old)
			}
			_, err := changelog.Decode([]byte(strings.Replace(string(committed), c.old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), changelog.File) {
				t.Errorf("want %s and %q, got: %v", changelog.File, c.want, err)
			}
		})
	}
}
