package conformance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// TestARunningServiceIsAsPromised replays transcripts as the command does, with nothing beside the service, one after the other and twice.
// The workers run whenever the replay waits. The account has more events than a page of the feed walks, as it has after a replay of all
// releases.
func TestARunningServiceIsAsPromised(t *testing.T) {
	suite := load(t)
	needs := map[string]bool{}
	for name, machine := range map[string]struct {
		database func(testing.TB) string
		private  bool
	}{
		"sqlite": {servertest.SQLite, false}, "postgres": {servertest.Postgres, false}, "a developer's machine": {servertest.SQLite, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBeside(t, machine.database(t), func(c *v1.Config) { c.AllowPrivateTargets = machine.private })
			left := fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT CAST(1001 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < 5100)
 INSERT INTO events (id, owner, type, resource_type, resource_id, sequence, body, created_at)
 SELECT i, %d, 'item.updated', 'item', i, 1, '{}', %d + i FROM n`, v1.OwnerOf(b.w.Account, true), b.w.Clock.Now().UnixMicro()-6000)
			err := b.w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
				_, err := tx.ExecContext(ctx, left)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			runner := b.runner(suite)
			runner.Beside, runner.Pause = nil, func(ctx context.Context, d time.Duration) error { b.w.Clock.Advance(d); return b.Work(ctx) }
			for range 2 {
				for _, replay := range suite.Replays() {
					file := replay.Transcript.File
					if !strings.HasPrefix(file, "released/1.2.1/") && file != "released/1.3.0/BrowseEvents.txt" && file != "released/1.3.0/GetEvent.txt" {
						continue
					}
					for _, result := range runner.Run(t.Context(), replay.Transcript, replay.Operation) {
						if len(result.Problems) > 0 {
							t.Errorf("%s, %s:\n%s", file, result.Title, strings.Join(result.Problems, "\n"))
						}
						why, _, _ := strings.Cut(result.LeftOut, ":")
						needs[why] = true
					}
				}
			}
		})
	}
	for _, why := range []string{"", "needs a program beside the service", "needs a section that is left out", "needs a service without --allow-private-targets"} {
		if !needs[why] {
			t.Errorf("no section %s", why)
		}
		delete(needs, why)
	}
	if len(needs) > 0 {
		t.Errorf("sections are left out because of %v", needs)
	}
}
