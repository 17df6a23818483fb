package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCandidatesArePrintedWithTheirMeaning(t *testing.T) {
	var out strings.Builder
	if err := printCandidates(&out, []Candidate{{"revoke", "End a key at once"}, anyFile}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("revoke\tEnd a key at once\n:files\t\n", out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
