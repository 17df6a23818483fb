package cause_test

import (
	"fmt"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1/cause"
)

// TestAFollowedKeyMeetsFewPages has the plan made when there are few keys, and looks at what it costs among many.
func TestAFollowedKeyMeetsFewPages(t *testing.T) {
	plantest.EachBelief(t, func(t *testing.T, w *servertest.World, costs *plantest.Costs) {
		text, args := cause.LineStatement("key-1", "key-2", "none")
		costs.Prepare(t, "line", text, args)
		plantest.Fill(t, w, plantest.Numbered(1, 5000)+fmt.Sprintf(`INSERT INTO api_keys (id, account_id, test, name, secret_sha256, last_four, created_at, successor_id)
 SELECT 'key-' || i, %d, true, '', '\x00', '', i, CASE WHEN i %% 10 < 8 THEN 'key-' || (i + 2) END FROM n`, w.Account))
		costs.Filled(t)
		if plan, pages := costs.Of(t, "line"); pages > 100 {
			t.Errorf("it meets %d pages:\n%s", pages, plan)
		}
	})
}
