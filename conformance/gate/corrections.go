package gate

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"sellerd/changelog"
	"sellerd/conformance"
)

// CheckCorrections rejects a correction without evidence, without a change-log entry, or of a section that does not exist. Whether a corrected
// section is wrong at all only a replay can say: see conformance.Result.
func CheckCorrections(suite *conformance.Suite, files fs.FS, releases []changelog.Release, rest []byte) error {
	seen := map[string]bool{}
	for i := range suite.Corrections {
		c := &suite.Corrections[i]
		err := errors.Join(checkProof(c), checkEntry(c, releases), checkSections(suite, c, seen), checkDocument(files, c, rest))
		if err != nil {
			return fmt.Errorf("the correction of %s %s: %w", c.Release, c.Transcript, err)
		}
	}
	return nil
}

// checkProof requires the mistake and its evidence.
func checkProof(c *conformance.Correction) error {
	switch {
	case strings.TrimSpace(c.Mistake) == "":
		return errors.New("does not say what was wrong")
	case !strings.Contains(c.Evidence, "https://"):
		return errors.New("gives no evidence: the address of the record that proves it")
	case len(c.Sections) == 0 && len(c.Document) == 0:
		return errors.New("names neither a section nor a difference of the document")
	}
	return nil
}

// checkEntry requires the correcting release's entry to describe it, as a fix.
func checkEntry(c *conformance.Correction, releases []changelog.Release) error {
	i := slices.IndexFunc(releases, func(r changelog.Release) bool { return r.Version == c.Entry })
	if c.Entry == "" || i < 0 {
		return fmt.Errorf("has no entry in the change log: there is no release %q", c.Entry)
	}
	entry, category := releases[i], "v1"
	if c.Legacy() {
		category = "rest"
	}
	switch {
	case c.By != "" && c.By != c.Entry:
		return fmt.Errorf("came with %s, and names the entry of %s", c.By, c.Entry)
	case c.By == "" && (i > 0 || entry.Released()):
		return fmt.Errorf("comes with the next release, and names the entry of %s", c.Entry)
	case entry.Kind != changelog.Fix:
		return fmt.Errorf("its entry, %s, is called %s and not %s", c.Entry, entry.Kind, changelog.Fix)
	case !slices.Contains(entry.Categories, category):
		return fmt.Errorf("its entry, %s, is not in the category %s", c.Entry, category)
	}
	return nil
}

// checkSections requires each section to exist, once, with its successor in the correcting release.
func checkSections(suite *conformance.Suite, c *conformance.Correction, seen map[string]bool) error {
	if len(c.Sections) == 0 {
		return nil
	}
	wrong := suite.Of(c)
	switch {
	case wrong == nil || !suite.Sealed(wrong):
		return errors.New("there is no such sealed transcript")
	case !conformance.Later(c.By, c.Release):
		return fmt.Errorf("%s did not come after it", c.By)
	}
	operations := wrong.For
	if wrong.Operation() != "" {
		operations = []string{wrong.Operation()}
	}
	for _, operation := range c.For {
		if !slices.Contains(operations, operation) || wrong.Operation() != "" {
			return fmt.Errorf("%s does not follow the transcript for itself", operation)
		}
	}
	if len(c.For) > 0 {
		operations = c.For
	}
	for _, title := range c.Sections {
		for _, operation := range operations {
			key := strings.Join([]string{wrong.File, title, operation}, "\n")
			if seen[key] {
				return fmt.Errorf("the section %q is corrected twice", title)
			}
			seen[key] = true
			if wrong.Section(title) != nil && suite.Successor(c, operation, title) == nil {
				return fmt.Errorf("the release that corrects has no section %q of %s, which says what is right", title, operation)
			}
		}
		if wrong.Section(title) == nil {
			return fmt.Errorf("there is no section %q", title)
		}
	}
	return nil
}

// checkDocument requires each listed difference of the document to exist. Sealed releases were checked when they were new.
func checkDocument(files fs.FS, c *conformance.Correction, rest []byte) error {
	if len(c.Document) == 0 || c.By != "" {
		return nil
	}
	changes, err := restChanges(files, c.Release, rest)
	if err != nil {
		return err
	}
	for _, named := range c.Document {
		if !slices.ContainsFunc(changes, func(change Change) bool { return change.String() == named }) {
			return fmt.Errorf("the document of /rest does not differ so: %s", named)
		}
	}
	return nil
}
