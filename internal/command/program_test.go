package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHabitsOfOtherProgramsAreUnderstood(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"", "--help"},
		{"help", "--help"},
		{"help keys create", "keys create --help"},
		{"--version", "version"},
		{"version", "version"},
		{"import help.csv", "import help.csv"},
	} {
		if diff := cmp.Diff(strings.Fields(test.want), withSynonyms(strings.Fields(test.line))); diff != "" {
			t.Errorf("sellerd %s: %s", test.line, diff)
		}
	}
}
