package conformance_test

import (
	"os"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/conformance"
)

// TestTheProgramHasTheTranscriptsOfTheFolder compares what the program was built with to the folder.
func TestTheProgramHasTheTranscriptsOfTheFolder(t *testing.T) {
	if *update {
		content, err := conformance.Archive(here)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(conformance.ArchiveFile, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	built, err := conformance.Load()
	if err != nil {
		t.Fatal(err)
	}
	folder := load(t)
	if len(folder.Transcripts) == 0 || len(folder.Corrections) == 0 {
		t.Fatalf("the folder has %d transcripts and %d corrections", len(folder.Transcripts), len(folder.Corrections))
	}
	if diff := cmp.Diff(folder, built, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("run go test ./conformance -run TranscriptsOfTheFolder -update (-folder +program):\n%s", diff)
	}
}
