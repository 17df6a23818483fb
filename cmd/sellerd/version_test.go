package main

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/store"
	"sellerd/v1"
)

func TestTheVersionTellsWhatTheProgramWasBuiltFrom(t *testing.T) {
	for _, test := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"a build of a commit", &debug.BuildInfo{GoVersion: "go1.26.0", Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123abc"}, {Key: "vcs.time", Value: "2026-11-01T10:00:00Z"}, {Key: "vcs.modified", Value: "false"},
		}}, "sellerd " + v1.Release + "-dev\ngo      go1.26.0\ncommit  0123abc of 2026-11-01T10:00:00Z\nschema  N\n"},
		{"a build of changed files", &debug.BuildInfo{GoVersion: "go1.26.0", Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123abc"}, {Key: "vcs.modified", Value: "true"},
		}}, "sellerd " + v1.Release + "-dev\ngo      go1.26.0\ncommit  0123abc, with changes\nschema  N\n"},
		{"a build outside of a repository", &debug.BuildInfo{GoVersion: "go1.26.0"}, "sellerd " + v1.Release + "-dev\ngo      go1.26.0\nschema  N\n"},
		{"a build that noted nothing down", nil, "sellerd " + v1.Release + "-dev\nschema  N\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if err := printVersion(&out, test.info); err != nil {
				t.Fatal(err)
			}
			schema, err := store.SchemaVersion()
			if err != nil {
				t.Fatal(err)
			}
			test.want = strings.Replace(test.want, "schema  N", fmt.Sprint("schema  ", schema), 1)
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
