package changelog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"sellerd/internal/base/pattern"
)

// check finds the first mistake of a table.
func check(releases []Release) error {
	if len(releases) == 0 {
		return errors.New("there are no releases")
	}
	for i, r := range releases {
		if err := r.check(); err != nil {
			return fmt.Errorf("release %s: %w", r.Version, err)
		}
		if first := i == len(releases)-1; first != (r.Kind == Initial) {
			return fmt.Errorf("release %s: the kind of the first release, and of no other, is %s", r.Version, Initial)
		}
		if i == 0 {
			continue
		}
		newer := releases[i-1]
		switch {
		case semver.Compare("v"+newer.Version, "v"+r.Version) <= 0:
			return fmt.Errorf("release %s stands before %s: the newest comes first", newer.Version, r.Version)
		case !r.Released():
			return fmt.Errorf("release %s: only the newest release can be without a date", r.Version)
		}
	}
	at := times(releases)
	for i, r := range releases[1:] {
		if newer := releases[i]; newer.Released() && !at[i].After(at[i+1]) {
			return fmt.Errorf("release %s of %s is not newer than %s of %s, which it follows", newer.Version, newer.Date, r.Version, r.Date)
		}
	}
	return nil
}

var (
	versionForm = pattern.Late(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`)
	hashForm    = pattern.Late(`^([0-9a-f]{64})?$`)
	highHeading = pattern.Late(`(?m)^##?\s`)
)

func (r Release) check() error {
	switch {
	case !versionForm().MatchString(r.Version):
		return errors.New("its version is not three numbers")
	case r.Title == "" || strings.TrimSpace(r.Title) != r.Title || strings.Contains(r.Title, "\n"):
		return errors.New("its title is not one line")
	case r.Text.trimmed() == "":
		return errors.New("it has no text")
	case highHeading().MatchString(string(r.Text)):
		return errors.New("headings of its text begin with ###: those above are the page's")
	case strings.Contains(r.Text.HTML(""), "raw HTML omitted"):
		return errors.New("its text has HTML, which no page shows")
	case len(r.Operations) == 0:
		return errors.New("it names no operations")
	case !hashForm().MatchString(r.ContractHash):
		return errors.New("its contract_hash is not a SHA-256 in lowercase hexadecimal digits")
	case !hashForm().MatchString(r.Seal):
		return errors.New("its seal is not a SHA-256 in lowercase hexadecimal digits")
	case r.Released():
		if _, err := parseDate(r.Date); err != nil {
			return fmt.Errorf("its date is neither an instant as %s nor a day: %w", InstantForm, err)
		}
	}
	if !slices.Contains([]Kind{Initial, Addition, Fix, Deprecation, Breaking}, r.Kind) {
		return fmt.Errorf("there is no kind %q", r.Kind)
	}
	for _, term := range r.Categories {
		if !isCategory(term) {
			return fmt.Errorf("there is no category %q", term)
		}
	}
	if term, twice := repeated(r.Terms()); twice {
		return fmt.Errorf("it is twice in the category %q", term)
	}
	if name, twice := repeated(r.Operations); twice {
		return fmt.Errorf("it names the operation %q twice", name)
	}
	return nil
}

// repeated finds a name that a list has more than once.
func repeated(names []string) (string, bool) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name, true
		}
	}
	return "", false
}
