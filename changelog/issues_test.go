package changelog_test

import (
	"os"
	"strings"
	"testing"

	"sellerd/changelog"
)

func TestMistakesInIssuesAreNamed(t *testing.T) {
	committed, err := os.ReadFile("testdata/issues.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, to, want string }{
		"an unknown member":             {`"since": "2027-02-03"`, `"sinse": "2027-02-03"`, "sinse"},
		"an id that is no anchor":       {`"2027-02-twice"`, `"Twice!"`, "small letters"},
		"an id that another one has":    {`"2027-02-twice"`, `"2027-02-late-pictures"`, "same id"},
		"no title":                      {`"Some notifications come twice"`, `""`, "title"},
		"no text":                       {`"Events of sales are delivered twice, under the same ` + "`webhook-id`" + `."`, `""`, "no text"},
		"a heading":                     {`"Events of sales`, `"### Events of sales`, "headings"},
		"HTML":                          {`"Events of sales`, `"<b>Events</b> of sales`, "HTML"},
		"no time":                       {`"announced": "2027-02-21T10:00:00Z"`, `"announced": "yesterday"`, "yesterday"},
		"a change before it was known":  {`"updated": "2027-02-21T10:00:00Z"`, `"updated": "2027-02-21T09:59:59Z"`, "before it was announced"},
		"a day that there is not":       {`"since": "2027-02-03"`, `"since": "2027-02-30"`, "since"},
		"an end before the beginning":   {`"until": "2027-03-01"`, `"until": "2027-02-18"`, "until"},
		"an end that is not written":    {`"until": "2027-03-01"`, `"until": "2027-03-03"`, "updated says"},
		"nothing that it affects":       {`"affects": [` + "\n      \"v1\"\n    ]", `"affects": []`, "no interface"},
		"an interface that there isn't": {`"rest"`, `"soap"`, "soap"},
		"an interface twice":            {`"rest"`, `"v1"`, "twice"},
		"an older change first":         {`"updated": "2027-02-21T10:00:00Z"`, `"updated": "2027-03-03T10:00:00Z"`, "changed later"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(string(committed), c.from, c.to, 1)
			if changed == string(committed) {
				t.Fatalf("the table has no %s", c.from)
			}
			if _, err := changelog.DecodeIssues([]byte(changed)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error about %q, got %v", c.want, err)
			}
		})
	}
}
