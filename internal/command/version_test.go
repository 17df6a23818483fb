package command

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheVersionTellsWhatTheProgramWasBuiltFrom(t *testing.T) {
	schema := func() ([][2]string, error) { return [][2]string{{"schema", "42"}}, nil }
	for _, test := range []struct {
		name  string
		info  *debug.BuildInfo
		parts func() ([][2]string, error)
		want  string
	}{
		{"a build of a commit", &debug.BuildInfo{GoVersion: "go1.26.0", Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123abc"}, {Key: "vcs.time", Value: "2026-11-01T10:00:00Z"}, {Key: "vcs.modified", Value: "false"},
		}}, schema, "sellerd 1.2.3\ngo      go1.26.0\ncommit  0123abc of 2026-11-01T10:00:00Z\nschema  42\n"},
		{"a build of changed files", &debug.BuildInfo{GoVersion: "go1.26.0", Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123abc"}, {Key: "vcs.modified", Value: "true"},
		}}, nil, "sellerd 1.2.3\ngo      go1.26.0\ncommit  0123abc, with changes\n"},
		{"a build outside of a repository", &debug.BuildInfo{GoVersion: "go1.26.0"}, nil, "sellerd 1.2.3\ngo      go1.26.0\ncommit  unknown\n"},
		{"a build that noted nothing down", nil, schema, "sellerd 1.2.3\ncommit  unknown\nschema  42\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			p := &Program{Name: "sellerd", Version: "1.2.3", Commit: commitOf(test.info), Parts: test.parts}
			if err := p.printVersion(&out, test.info); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
