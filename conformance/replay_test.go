package conformance_test

import (
	"flag"
	"os"
	"strings"
	"sync"
	"testing"

	"sellerd/conformance"
	"sellerd/internal/proof/servertest"
)

// update records what transcripts do not pin yet, and what has changed. It never touches what is sealed.
var update = flag.Bool("update", false, "record the answers of transcripts that are not sealed anew")

func load(t *testing.T) *conformance.Suite {
	t.Helper()
	suite, err := conformance.Load()
	if err != nil {
		t.Fatal(err)
	}
	return suite
}

// TestEveryPromiseIsKept replays all transcripts on both databases.
func TestEveryPromiseIsKept(t *testing.T) {
	suite := load(t)
	if *update {
		record(t, suite)
		return
	}
	for _, replay := range suite.Replays() {
		t.Run(fileName(replay.Transcript.File)+"/"+replay.Operation, func(t *testing.T) {
			t.Parallel()
			for name, database := range map[string]func(testing.TB) string{"sqlite": servertest.SQLite, "postgres": servertest.Postgres} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					for _, result := range newBeside(t, database(t)).runner(suite).Run(t.Context(), replay.Transcript, replay.Operation) {
						if result.LeftOut != "" {
							t.Errorf("%s: left out, for it %s", result.Title, result.LeftOut)
						}
						if len(result.Problems) > 0 {
							t.Errorf("%s:\n%s", result.Title, strings.Join(result.Problems, "\n"))
						}
					}
				})
			}
		})
	}
}

// record writes what the program answers on SQLite into the transcripts that are not sealed.
func record(t *testing.T, suite *conformance.Suite) {
	for _, transcript := range suite.Transcripts {
		if suite.Sealed(transcript) {
			continue
		}
		operation := transcript.Operation()
		if operation == "" {
			operation = transcript.For[0]
		}
		t.Run(fileName(transcript.File), func(t *testing.T) {
			t.Parallel()
			for i, result := range newBeside(t, servertest.SQLite(t)).runner(suite).Run(t.Context(), transcript, operation) {
				if result.Got() == nil {
					t.Errorf("%s: %s%s", result.Title, result.LeftOut, strings.Join(result.Problems, "\n"))
					continue
				}
				transcript.Sections[i].Answer = result.Got()
			}
			recording.Lock()
			defer recording.Unlock()
			if err := os.WriteFile(transcript.File, []byte(transcript.Text()), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
}

var recording sync.Mutex
