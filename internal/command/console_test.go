package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAClickIsExplainedUntilEnter(t *testing.T) {
	p := &Program{Clicked: func() string { return "Type a command.\n" }}
	in, out := strings.NewReader("\r\nmore"), &strings.Builder{}
	p.explain(in, out)
	if diff := cmp.Diff("Type a command.\n\nPress Enter to close this window.\n", out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExamplesSetVariablesAsTheShellDoes(t *testing.T) {
	const text = "Examples:\n\n    SELLERD_KEY=dk_test_… seller import a.csv\n    seller scan shop\n"
	want := "Examples:\n\n    $env:SELLERD_KEY = 'dk_test_…'; seller import a.csv\n    seller scan shop\n"
	if diff := cmp.Diff([]string{text, want}, []string{forShell(text, false), forShell(text, true)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
