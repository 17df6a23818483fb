package installed_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
)

// watched is a test that writes down how it was ended.
type watched struct {
	testing.TB
	reports []string
}

func (w *watched) Helper() {}

func (w *watched) Fatalf(format string, args ...any) {
	w.reports = append(w.reports, "failed: "+fmt.Sprintf(format, args...))
}

func (w *watched) Skipf(format string, args ...any) {
	w.reports = append(w.reports, "skipped: "+fmt.Sprintf(format, args...))
}

func TestPath(t *testing.T) {
	const what = "THE SERVER WAS NOT STARTED"
	t.Run("is that of the program", func(t *testing.T) {
		w := &watched{TB: t}
		if path := installed.Path(w, what, "go"); filepath.Base(path) != "go" || w.reports != nil {
			t.Errorf("it is %q, and reported %q", path, w.reports)
		}
	})
	t.Run("skips the test, loudly, where there is none", func(t *testing.T) {
		t.Setenv(installed.EnvRequire, "")
		w := &watched{TB: t}
		installed.Path(w, what, "no-such-program")
		if diff := cmp.Diff([]string{"skipped: " + what + ": no-such-program is not installed."}, w.reports); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestRequire(t *testing.T) {
	const what, missing = "THE PAGES WERE NOT OPENED", "no-such-program"
	for _, c := range []struct {
		name, required string
		programs, want []string
	}{
		{"what is there is no hindrance", "1", []string{"go"}, nil},
		{"what is missing skips the test, loudly", "", []string{"go", missing}, []string{"skipped: " + what + ": " + missing + " is not installed."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(installed.EnvRequire, c.required)
			w := &watched{TB: t}
			installed.Require(w, what, c.programs...)
			if diff := cmp.Diff(c.want, w.reports); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("and fails it where nothing may be skipped", func(t *testing.T) {
		t.Setenv(installed.EnvRequire, "1")
		w := &watched{TB: t}
		installed.Require(w, what, missing)
		// The test ends there; ours goes on, so what is skipped comes after.
		if len(w.reports) == 0 || w.reports[0] != "failed: "+missing+" is not installed" {
			t.Errorf("it reported %q", w.reports)
		}
	})
}
