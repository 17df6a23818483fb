package changelog

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sellerd/internal/base/pattern"
)

// IssuesFile is the path of the table of known issues from the module's root. An entry is added to it, and corrected in it,
// by a release of the program; none is ever removed, because feeds and pages lead to it.
const IssuesFile = "changelog/issues.json"

// IssueTerm is the category of known issues in the feed, and the name of their page.
const IssueTerm = "known-issue"

//go:embed issues.json
var issuesFile []byte

// Issue is a fault of the service that is known to affect programs.
type Issue struct {
	ID         string    `json:"id"`         // small letters, digits and dashes, such as 2026-12-late-pictures; never changes
	Title      string    `json:"title"`      // plain text
	Announced  time.Time `json:"announced"`  // when it was made known
	Updated    time.Time `json:"updated"`    // when the entry was last changed; at first the same as Announced
	Since      string    `json:"since"`      // YYYY-MM-DD, the day from which it affects programs
	Until      string    `json:"until"`      // YYYY-MM-DD, the day on which it was corrected; empty as long as it was not
	Affects    []string  `json:"affects"`    // the interfaces: v1, rest
	Text       Markup    `json:"text"`       // what happens, and to which requests
	Workaround Markup    `json:"workaround"` // what programs can do until it is corrected; empty if they can do nothing
}

// Open says whether the issue is not corrected yet.
func (i Issue) Open() bool { return i.Until == "" }

var loadIssues = sync.OnceValues(func() ([]Issue, error) { return DecodeIssues(issuesFile) })

// Issues returns the built-in table of known issues, those that were changed last first. It panics if the table has a
// mistake.
func Issues() []Issue {
	issues, err := loadIssues()
	if err != nil {
		panic(err)
	}
	return slices.Clone(issues)
}

// DecodeIssues reads a table of known issues as it is in the file, strictly, and checks it.
func DecodeIssues(data []byte) ([]Issue, error) {
	issues, err := decode(IssuesFile, data, checkIssues)
	for i := range issues {
		issues[i].Announced, issues[i].Updated = issues[i].Announced.UTC(), issues[i].Updated.UTC()
	}
	return issues, err
}

// checkIssues finds the first mistake of a table.
func checkIssues(issues []Issue) error {
	for n, i := range issues {
		if err := i.check(); err != nil {
			return fmt.Errorf("issue %s: %w", i.ID, err)
		}
		if n > 0 && issues[n-1].Updated.Before(i.Updated) {
			return fmt.Errorf("issue %s: it was changed later than %s, before which it has to stand", i.ID, issues[n-1].ID)
		}
		if slices.ContainsFunc(issues[:n], func(other Issue) bool { return other.ID == i.ID }) {
			return fmt.Errorf("issue %s: another one has the same id", i.ID)
		}
	}
	return nil
}

var issueIDForm = pattern.Late(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (i Issue) check() error {
	switch {
	case !issueIDForm().MatchString(i.ID):
		return errors.New("its id is not made of small letters, digits and single dashes")
	case i.Title == "" || strings.TrimSpace(i.Title) != i.Title || strings.Contains(i.Title, "\n"):
		return errors.New("its title is not one line")
	case i.Text.trimmed() == "":
		return errors.New("it has no text")
	case anyHeading().MatchString(string(i.Text + "\n" + i.Workaround)):
		return errors.New("its texts have headings: those of an issue are the page's")
	case strings.Contains(i.Text.HTML("")+i.Workaround.HTML(""), "raw HTML omitted"):
		return errors.New("its texts have HTML, which no page shows")
	case i.Announced.IsZero() || i.Updated.Before(i.Announced):
		return errors.New("it was changed before it was announced")
	case !isDay(i.Since):
		return errors.New("its since is not a day as YYYY-MM-DD")
	case i.Until != "" && (!isDay(i.Until) || i.Until < i.Since):
		return errors.New("its until is neither empty nor a day that follows since")
	case i.Until != "" && i.Updated.UTC().Format(time.DateOnly) < i.Until:
		return errors.New("it ended after it was changed last: updated says when the end was written down")
	case len(i.Affects) == 0:
		return errors.New("it affects no interface")
	}
	for _, name := range i.Affects {
		if name != "v1" && name != "rest" {
			return fmt.Errorf("there is no interface %q", name)
		}
	}
	if name, twice := repeated(i.Affects); twice {
		return fmt.Errorf("it affects %s twice", name)
	}
	return nil
}

var anyHeading = pattern.Late(`(?m)^#+\s`)

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}
